import { appendFileSync, existsSync } from "node:fs";

/**
 * A named place in a write path where tests make things go wrong: `UA_HOOKS_FAULT=<point>:<what>`, with what one of
 * `kill` (SIGKILL to ourselves), an errno such as `ENOSPC` (thrown), or `wait=<file>` (touch `<file>.reached`, go on
 * when the file appears). Without the variable it is one look at the environment.
 */
export function faultPoint(name: string): void {
  const wanted = process.env.UA_HOOKS_FAULT;
  if (wanted === undefined) return;
  const colon = wanted.indexOf(":");
  if (wanted.slice(0, colon) !== name) return;
  act(name, wanted.slice(colon + 1));
}

function act(name: string, what: string): void {
  if (what === "kill") process.kill(process.pid, "SIGKILL");
  else if (what.startsWith("wait=")) waitFor(what.slice("wait=".length));
  else if (what.startsWith("note=")) appendFileSync(what.slice("note=".length), `${name} ${process.pid}\n`);
  else throw Object.assign(new Error(`${what}: injected at ${name}`), { code: what });
}

function waitFor(file: string): void {
  appendFileSync(`${file}.reached`, "");
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(file)) Atomics.wait(cell, 0, 0, 2);
}
