import { appendFileSync, existsSync } from "node:fs";

/**
 * A named place in a write path where tests make things go wrong: `UA_HOOKS_FAULT=<point>:<what>`, several with `;`
 * between, `*` for every point. What is one of
 *   `kill`         SIGKILL to ourselves; `kill@3` at the third time this process comes by
 *   `wait=<file>`  append our pid to `<file>.reached`, go on when the file appears
 *   `note=<file>`  append `<point> <pid>` to the file
 *   an errno such as `ENOSPC`, thrown.
 * Without the variable it is one look at the environment.
 */
export function faultPoint(name: string): void {
  const wanted = process.env.UA_HOOKS_FAULT;
  if (wanted === undefined) return;
  for (const one of wanted.split(";")) {
    const colon = one.indexOf(":");
    const point = one.slice(0, colon);
    if (point === name || point === "*") act(name, one.slice(colon + 1));
  }
}

const visits = new Map<string, number>();

function act(name: string, what: string): void {
  const [verb = "", value = ""] = splitOnce(what);
  if (verb === "kill") killAt(name, Number(value || 1));
  else if (verb === "wait") waitFor(value);
  else if (verb === "note") appendFileSync(value, `${name} ${process.pid}\n`);
  else throw Object.assign(new Error(`${what}: injected at ${name}`), { code: what });
}

/** `kill@3`, `wait=/a/file`. */
function splitOnce(what: string): [string, string] {
  const at = what.search(/[@=]/);
  return at < 0 ? [what, ""] : [what.slice(0, at), what.slice(at + 1)];
}

function killAt(name: string, visit: number): void {
  const now = (visits.get(name) ?? 0) + 1;
  visits.set(name, now);
  if (now === visit) process.kill(process.pid, "SIGKILL");
}

function waitFor(file: string): void {
  if (existsSync(file)) return;
  appendFileSync(`${file}.reached`, `${process.pid}\n`);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  // A test that was killed must not leave us waiting for ever.
  const deadline = Date.now() + 120_000;
  while (!existsSync(file) && Date.now() < deadline) Atomics.wait(cell, 0, 0, 2);
}
