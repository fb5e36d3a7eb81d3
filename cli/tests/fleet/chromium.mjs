// Chromium over its pipe: one page, and everything that it does beside what it shows.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Browser {
  static start(program) {
    const folder = mkdtempSync(join(tmpdir(), "countersign-chromium-"));
    const child = spawn(
      program,
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--no-first-run",
        `--user-data-dir=${folder}`,
        "--remote-debugging-pipe",
        "about:blank",
      ],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] },
    );
    return new Browser(child, folder);
  }

  constructor(child, folder) {
    this.child = child;
    this.folder = folder;
    this.last = 0;
    this.waiting = new Map();
    this.listeners = [];
    this.ended = new Promise((resolve) => child.once("exit", resolve));
    child.once("error", (error) => this.fail(error));
    child.once("exit", () => this.fail(new Error("chromium ended")));
    let rest = "";
    child.stdio[4].setEncoding("utf8");
    child.stdio[4].on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach((message) => this.receive(JSON.parse(message)));
    });
    child.stdio[3].on("error", () => {});
  }

  fail(error) {
    this.waiting.forEach(({ reject }) => reject(error));
    this.waiting.clear();
  }

  receive(message) {
    if (message.id === undefined) {
      this.listeners.forEach((listener) => listener(message));
      return;
    }
    const { resolve, reject } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) {
      reject(new Error(message.error.message));
    } else {
      resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async page() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    return new Page(this, sessionId);
  }

  async stop() {
    this.child.kill("SIGKILL");
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    // Addresses that the page asked for, and what it complained about.
    this.requests = [];
    this.complaints = [];
    this.loaded = undefined;
    browser.listeners.push((message) => {
      if (message.sessionId !== session) {
        return;
      }
      const { method, params } = message;
      if (method === "Network.requestWillBeSent") {
        this.requests.push(params.request.url);
      } else if (method === "Runtime.exceptionThrown") {
        this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      } else if (method === "Runtime.consoleAPICalled") {
        this.complaints.push(params.args.map((argument) => argument.value).join(" "));
      } else if (method === "Log.entryAdded") {
        this.complaints.push(params.entry.text);
      } else if (method === "Page.javascriptDialogOpening") {
        this.complaints.push(`dialog: ${params.message}`);
        this.send("Page.handleJavaScriptDialog", { accept: false });
      } else if (method === "Page.loadEventFired") {
        this.loaded?.();
      }
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async open(url, { script = true, width = 1440, height = 900 } = {}) {
    for (const domain of ["Page", "Network", "Runtime", "Log"]) {
      await this.send(`${domain}.enable`);
    }
    await this.send("Emulation.setScriptExecutionDisabled", { value: !script });
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    const loaded = new Promise((resolve) => {
      this.loaded = resolve;
    });
    await this.send("Page.navigate", { url });
    await loaded;
  }

  // The value of an expression; it is not bound by the policy of the page.
  async ask(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  async press(key) {
    const codes = { Enter: 13, Escape: 27, Tab: 9, " ": 32 };
    const text = { Enter: "\r", " ": " " }[key];
    const event = { key, code: key === " " ? "Space" : key, windowsVirtualKeyCode: codes[key], text };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event, text: undefined });
  }

  async type(text) {
    await this.send("Input.insertText", { text });
  }

  async colours(scheme) {
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  }

  async screenshot() {
    const { contentSize } = await this.send("Page.getLayoutMetrics").then((metrics) => ({
      contentSize: metrics.cssContentSize,
    }));
    const clip = { x: 0, y: 0, width: contentSize.width, height: contentSize.height, scale: 1 };
    const { data } = await this.send("Page.captureScreenshot", { clip, captureBeyondViewport: true });
    return Buffer.from(data, "base64");
  }

  async pdf() {
    const { data } = await this.send("Page.printToPDF", { preferCSSPageSize: true, printBackground: false });
    return Buffer.from(data, "base64");
  }
}
