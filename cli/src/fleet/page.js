"use strict";
// Filters and sorts what is there. Nothing is made from text but text.

const form = document.getElementById("filter");
const shown = document.getElementById("shown");
const agents = Array.from(document.querySelectorAll("#matrix > tbody"), (body) => ({
  body,
  text: body.textContent.toLowerCase(),
  codes: Array.from(body.querySelectorAll(".said > strong"), (code) => code.textContent),
}));

function filter() {
  const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const outcome = form.elements.outcome.value;
  const code = form.elements.code.value;
  const rule = form.elements.rule.value;
  let count = 0;
  for (const agent of agents) {
    const { dataset } = agent.body;
    const fits =
      words.every((word) => agent.text.includes(word)) &&
      (outcome === "" || dataset.outcome === outcome) &&
      (code === "" || agent.codes.includes(code)) &&
      (rule === "" || dataset.rule === rule);
    agent.body.hidden = !fits;
    count += fits ? 1 : 0;
  }
  shown.textContent = `${count} of ${agents.length} agents shown`;
}

// What has no value comes last either way.
function sort(entries, column, direction, numeric) {
  const keyed = entries.map(({ element, row }) => {
    const cell = row.cells[column];
    const text = cell.dataset.order ?? cell.textContent.trim();
    const number = cell.dataset.order === undefined ? NaN : Number(text);
    return { element, text, number, missing: numeric ? Number.isNaN(number) : text === "" || text === "–" };
  });
  keyed.sort((left, right) => {
    if (left.missing || right.missing) {
      return Number(left.missing) - Number(right.missing);
    }
    const both = !Number.isNaN(left.number) && !Number.isNaN(right.number);
    return direction * (both ? left.number - right.number : left.text.localeCompare(right.text, "en"));
  });
  return keyed.map(({ element }) => element);
}

function sortable(table) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      // Most first where numbers of messages are compared.
      const first = head.classList.contains("code") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const now = before === first ? other : first;
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", now);
      const direction = now === "ascending" ? 1 : -1;
      const isMatrix = table.id === "matrix";
      const entries = isMatrix
        ? Array.from(table.tBodies, (body) => ({ element: body, row: body.rows[0] }))
        : Array.from(table.tBodies[0].rows, (row) => ({ element: row, row }));
      const sorted = sort(entries, column, direction, head.dataset.sort === "number");
      (isMatrix ? table : table.tBodies[0]).append(...sorted);
    });
  });
}

document.querySelectorAll("#matrix, .sortable").forEach(sortable);
form.addEventListener("input", filter);
form.addEventListener("change", filter);
form.addEventListener("submit", (event) => event.preventDefault());
// The fields are empty after the event.
form.addEventListener("reset", () => setTimeout(filter));
form.hidden = false;
filter();
