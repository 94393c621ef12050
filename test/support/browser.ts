import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import { tempDir, until } from "./repo.js";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Debian's Chromium, or what stands for it; null where there is none, and then these tests are skipped. */
export function findChromium(): string | null {
  return process.env.UA_HOOKS_CHROMIUM ?? PLACES.find((path) => existsSync(path)) ?? null;
}

export const NO_CHROMIUM =
  findChromium() === null ? "no Chromium here: the page was not tried in a browser (apt-get install chromium)" : false;

const FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-extensions", "--mute-audio"],
  ...["--remote-debugging-pipe", "--force-device-scale-factor=1", "--hide-scrollbars", "--font-render-hinting=none"],
];

type Params = Record<string, unknown>;

/** One page of a real browser, spoken to over a pipe (Chrome DevTools Protocol): no port, no package. */
export interface Page {
  open(file: string): Promise<void>;
  /** The value of an expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  click(x: number, y: number): Promise<void>;
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  theme(name: "light" | "dark"): Promise<void>;
  size(width: number, height: number): Promise<void>;
  screenshot(whole?: boolean): Promise<Buffer>;
  /** Errors, warnings and violations of the policy, as the browser tells them. */
  problems: string[];
  /** Every address that was asked for, the page's own file aside. */
  requests: string[];
}

/** Gives a page to each test that asks for one, with nothing in it that another has left. */
export function startBrowser(t: TestContext): (user: TestContext) => Promise<Page> {
  const program = findChromium();
  if (program === null) throw new Error("there is no Chromium");
  let stop = async () => {};
  t.after(() => stop()); // hooks run in their order: the browser must be gone before its folder goes
  const home = tempDir(t);
  const env = { PATH: process.env.PATH, HOME: home, TZ: "UTC", LANG: "C.UTF-8" };
  const child = spawn(program, [...FLAGS, `--user-data-dir=${join(home, "profile")}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    env,
  });
  const connection = connect(child);
  stop = () => end(child, connection);
  return (user) => newPage(user, connection);
}

async function newPage(t: TestContext, { send, listen }: Connection): Promise<Page> {
  const context = (await send("Target.createBrowserContext")) as { browserContextId: string };
  t.after(() => send("Target.disposeBrowserContext", context).catch(() => {}));
  const { targetId } = (await send("Target.createTarget", { url: "about:blank", ...context })) as { targetId: string };
  const { sessionId } = (await send("Target.attachToTarget", { targetId, flatten: true })) as { sessionId: string };
  const heard: Listen = (listener) =>
    listen((method, params, session) => session === sessionId && listener(method, params));
  return pageOf((method, params) => send(method, params, sessionId), heard);
}

/** Asked to close, it takes its helpers along; not `close`, since a helper may hold on to the pipes. */
async function end(child: ChildProcess, { send }: Connection): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const killer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  send("Browser.close").catch(() => {});
  await gone;
  clearTimeout(killer);
  for (const stream of child.stdio) stream?.destroy();
}

interface Connection {
  send(method: string, params?: Params, sessionId?: string): Promise<unknown>;
  listen(listener: (method: string, params: Params, sessionId?: string) => void): void;
}

type Listen = (listener: (method: string, params: Params) => void) => void;

/** Messages are JSON with a NUL after each: in on descriptor 3, out on descriptor 4. */
function connect(child: ChildProcess): Connection {
  const [, , , input, output] = child.stdio as unknown as [unknown, unknown, unknown, Writable, Readable];
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners: ((method: string, params: Params, sessionId?: string) => void)[] = [];
  let last = 0;
  let rest = "";
  output.setEncoding("utf8");
  output.on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\0");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const { id, method, params, sessionId, result, error } = JSON.parse(part);
      if (id === undefined) for (const listener of listeners) listener(method, params, sessionId);
      else if (error === undefined) waiting.get(id)?.resolve(result);
      else waiting.get(id)?.reject(new Error(error.message));
      waiting.delete(id);
    }
  });
  const fail = () => {
    for (const { reject } of waiting.values()) reject(new Error("the browser is gone"));
    waiting.clear();
  };
  child.on("exit", fail);
  input.on("error", fail);
  return {
    listen: (listener) => listeners.push(listener),
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        if (child.exitCode !== null || child.signalCode !== null) return reject(new Error("the browser is gone"));
        waiting.set(++last, { resolve, reject });
        input.write(
          `${JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
        );
      }),
  };
}

type Send = (method: string, params?: Params) => Promise<unknown>;

async function pageOf(send: Send, listen: Listen): Promise<Page> {
  const { problems, requests } = watch(listen);
  for (const domain of ["Runtime", "Log", "Network", "Page", "Audits"]) await send(`${domain}.enable`);
  const evaluate = evaluator(send);
  const drawn = () => evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  return {
    problems,
    requests,
    evaluate,
    ...hands(send),
    open: async (file) => {
      await send("Page.navigate", { url: `file://${file}` });
      const isReady = "document.readyState === 'complete' && document.getElementById('theme')?.textContent !== ''";
      await until("the page is drawn", () => evaluate<boolean>(isReady));
      await drawn();
      requests.splice(0, requests.length, ...requests.filter((url) => url !== `file://${file}`));
    },
    theme: async (value) => {
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
    },
    size: async (width, height) => {
      await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    },
    screenshot: async (whole = false) => {
      await drawn();
      const options = { format: "png", captureBeyondViewport: whole };
      const { data } = (await send("Page.captureScreenshot", options)) as { data: string };
      return Buffer.from(data, "base64");
    },
  };
}

const PROBLEMS = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded", "Audits.issueAdded"];

function watch(listen: Listen): Pick<Page, "problems" | "requests"> {
  const problems: string[] = [];
  const requests: string[] = [];
  listen((method, params) => {
    if (PROBLEMS.includes(method)) problems.push(JSON.stringify(params));
    if (method === "Network.requestWillBeSent") requests.push((params as { request: { url: string } }).request.url);
  });
  return { problems, requests };
}

function evaluator(send: Send): Page["evaluate"] {
  return async <T>(expression: string): Promise<T> => {
    const answer = (await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true })) as {
      result: { value: T };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    };
    const { exceptionDetails: wrong } = answer;
    if (wrong !== undefined) throw new Error(wrong.exception?.description ?? wrong.text);
    return answer.result.value;
  };
}

/** Mouse and keyboard, as a person's would come. */
function hands(send: Send): Pick<Page, "click" | "press" | "type"> {
  const mouse = (type: string, x: number, y: number) =>
    send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
  return {
    click: async (x, y) => {
      for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) await mouse(type, x, y);
    },
    press: async (key) => {
      const text = key === "Enter" ? { text: "\r" } : key.length === 1 ? { text: key } : {};
      await send("Input.dispatchKeyEvent", { type: "keyDown", key, ...text, ...codeOf(key) });
      await send("Input.dispatchKeyEvent", { type: "keyUp", key, ...codeOf(key) });
    },
    type: async (text) => {
      await send("Input.insertText", { text });
    },
  };
}

const CODES: Record<string, number> = {
  Enter: 13,
  Escape: 27,
  Tab: 9,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
};

function codeOf(key: string): Params {
  return { code: key, windowsVirtualKeyCode: CODES[key] ?? key.toUpperCase().charCodeAt(0) };
}
