// Looks at a fleet report as a reader does: node drive.mjs CHROMIUM PAGE fleet|hostile [FOLDER FOR PICTURES]

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { Browser } from "./chromium.mjs";

const [program, file, kind, pictures] = process.argv.slice(2);
const url = pathToFileURL(resolve(file)).href;

const VISIBLE = "Array.from(document.querySelectorAll('#matrix > tbody:not([hidden])'))";

async function picture(page, name) {
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    writeFileSync(join(pictures, `${name}.png`), await page.screenshot());
  }
}

// Nothing was asked for but the page, nothing was refused, and nothing ran but its script.
async function isQuiet(page) {
  assert.deepEqual([...new Set(page.requests)], [url]);
  assert.deepEqual(page.complaints, []);
  assert.equal(await page.ask("'ran' in globalThis"), false);
  const foreign = "script, img, iframe, object, embed, svg, link, base, [src], [href]:not([href^='#']), [style]";
  assert.equal(await page.ask(`document.querySelectorAll(${JSON.stringify(foreign)}).length`), 1);
  const handlers =
    "Array.from(document.querySelectorAll('*')).flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on'))";
  assert.deepEqual(await page.ask(handlers), []);
}

async function choose(page, name, value) {
  await page.ask(`(() => {
    const field = document.getElementById("filter").elements[${JSON.stringify(name)}];
    field.value = ${JSON.stringify(value)};
    field.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
}

async function reset(page) {
  await page.ask("document.querySelector('#filter [type=reset]').focus()");
  await page.press("Enter");
  await page.ask("new Promise((resolve) => setTimeout(resolve, 20))");
}

async function filters(page) {
  const all = await page.ask("document.querySelectorAll('#matrix > tbody').length");
  const told = () => page.ask("document.getElementById('shown').textContent");
  assert.ok(all > 0);
  assert.equal(await told(), `${all} of ${all} agents shown`);

  const outcomes = await page.ask("Array.from(document.querySelectorAll('#matrix > tbody'), (body) => body.dataset.outcome)");
  for (const outcome of new Set(outcomes)) {
    await choose(page, "outcome", outcome);
    const shown = await page.ask(`${VISIBLE}.map((body) => body.dataset.outcome)`);
    assert.deepEqual(shown, outcomes.filter((one) => one === outcome));
    assert.equal(await told(), `${shown.length} of ${all} agents shown`);
  }
  await reset(page);

  for (const [name, said] of [
    ["code", "Array.from(body.querySelectorAll('.said > strong'), (code) => code.textContent)"],
    ["rule", "[body.dataset.rule]"],
  ]) {
    const values = await page.ask(
      `Array.from(document.getElementById("filter").elements[${JSON.stringify(name)}].options, (option) => option.value)`,
    );
    for (const value of values.filter(Boolean)) {
      await choose(page, name, value);
      const shown = await page.ask(`${VISIBLE}.map((body) => ${said})`);
      assert.ok(shown.length > 0, value);
      assert.ok(shown.every((texts) => texts.includes(value)), value);
    }
    await reset(page);
  }
  assert.equal(await told(), `${all} of ${all} agents shown`);

  await page.ask("document.getElementById('filter').elements.text.focus()");
  await page.type("NO SUCH AGENT");
  assert.equal(await told(), `0 of ${all} agents shown`);
  await reset(page);
}

async function sorts(page) {
  const order = (column) =>
    page.ask(
      `Array.from(document.querySelectorAll("#matrix > tbody"), (body) => { const cell = body.rows[0].cells[${column}]; return cell.dataset.order ?? cell.textContent; })`,
    );
  const state = (column) => page.ask(`document.querySelectorAll("#matrix thead th")[${column}].getAttribute("aria-sort")`);
  await page.ask("document.querySelectorAll('#matrix thead th')[1].firstElementChild.focus()");
  await page.press("Enter");
  assert.equal(await state(1), "ascending");
  const rising = (await order(1)).map(Number);
  assert.deepEqual(rising, rising.toSorted((left, right) => left - right));
  await page.press("Enter");
  assert.equal(await state(1), "descending");
  assert.deepEqual((await order(1)).map(Number), rising.toReversed());

  const codes = await page.ask("document.querySelector('#matrix thead .code').cellIndex");
  await page.ask(`document.querySelectorAll('#matrix thead th')[${codes}].firstElementChild.focus()`);
  await page.press("Enter");
  assert.equal(await state(codes), "descending");
  assert.equal(await state(1), null);
  const numbers = (await order(codes)).map((text) => Number(text || 0));
  assert.ok(numbers[0] > 0);
  assert.deepEqual(numbers, numbers.toSorted((left, right) => right - left));
}

async function opens(page) {
  const first = "document.querySelector('#matrix > tbody:not([hidden]) details')";
  await page.ask(`${first}.querySelector("summary").focus()`);
  await page.press("Enter");
  assert.equal(await page.ask(`${first}.open`), true);
  await page.press("Enter");
  assert.equal(await page.ask(`${first}.open`), false);
}

async function tells(page) {
  const button = "document.querySelector('#matrix td.code button')";
  const isOpen = `document.getElementById(${button}.getAttribute("popovertarget")).matches(":popover-open")`;
  await page.ask(`${button}.focus()`);
  await page.press("Enter");
  assert.equal(await page.ask(isOpen), true);
  await page.press("Escape");
  assert.equal(await page.ask(isOpen), false);
  assert.equal(await page.ask(`document.activeElement === ${button}`), true);
}

// WCAG 2.2, 1.4.3: 4.5 to 1 for text.
const FAINT = `(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([red, green, blue]) => {
    const [r, g, b] = [red, green, blue].map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = (one) => {
    for (let element = one; element; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour[3] !== 0) return colour;
    }
    return parse(getComputedStyle(document.documentElement).backgroundColor);
  };
  const faint = [];
  for (const element of document.body.querySelectorAll("*")) {
    const text = Array.from(element.childNodes).filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    if (text.length === 0 || !element.checkVisibility()) continue;
    const [ink, under] = [light(parse(getComputedStyle(element).color)), light(paper(element))];
    const ratio = (Math.max(ink, under) + 0.05) / (Math.min(ink, under) + 0.05);
    if (ratio < 4.5) faint.push(\`\${element.tagName}.\${element.className} \${ratio.toFixed(2)}\`);
  }
  return [...new Set(faint)];
})()`;

async function isLegible(page) {
  await page.ask("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
  for (const scheme of ["light", "dark"]) {
    await page.colours(scheme);
    assert.deepEqual(await page.ask(FAINT), [], scheme);
    await picture(page, `${kind}-${scheme}-open`);
  }
  await page.ask("document.querySelectorAll('details').forEach((one) => { one.open = false; })");
  for (const scheme of ["dark", "light"]) {
    await page.colours(scheme);
    await picture(page, `${kind}-${scheme}`);
  }
}

// Every control says what it is for.
async function isNamed(page) {
  const nameless = `Array.from(document.querySelectorAll("input, select, button, summary"))
    .filter((one) => !(one.labels?.length > 0) && !one.getAttribute("aria-label") && one.textContent.trim() === "")
    .map((one) => one.outerHTML)`;
  assert.deepEqual(await page.ask(nameless), []);
  const twice = `(() => {
    const ids = Array.from(document.querySelectorAll("[id]"), (one) => one.id);
    return ids.filter((id, index) => ids.indexOf(id) !== index);
  })()`;
  assert.deepEqual(await page.ask(twice), []);
}

async function fits(page) {
  assert.equal(await page.ask("document.documentElement.scrollWidth <= innerWidth"), true, "the page is wider than the window");
}

async function withoutScript(browser) {
  const page = await browser.page();
  await page.open(url, { script: false });
  assert.equal(await page.ask("document.getElementById('filter').checkVisibility()"), false);
  assert.equal(await page.ask("document.querySelectorAll('#matrix thead button').length"), 0);
  assert.equal(
    await page.ask(`${VISIBLE}.every((body) => body.checkVisibility())`),
    true,
    "an agent is not shown without the script",
  );
  await opens(page);
  if ((await page.ask("document.querySelectorAll('#matrix td.code button').length")) > 0) {
    await tells(page);
  }
  await isQuiet(page);
}

async function narrow(browser) {
  const page = await browser.page();
  await page.open(url, { width: 640, height: 900 });
  await fits(page);
  await picture(page, `${kind}-narrow`);
}

const browser = Browser.start(program);
try {
  const page = await browser.page();
  await page.open(url);
  await isQuiet(page);
  await isNamed(page);
  await fits(page);
  await picture(page, `${kind}-first`);
  await filters(page);
  await opens(page);
  await tells(page);
  await picture(page, `${kind}-after`);
  await sorts(page);
  await isLegible(page);
  await isQuiet(page);
  await narrow(browser);
  await withoutScript(browser);
  if (pictures) {
    writeFileSync(join(pictures, `${kind}.pdf`), await page.pdf());
    copyFileSync(file, join(pictures, `${kind}.html`));
  }
  console.log("ok");
} finally {
  await browser.stop();
}
