import { appendFileSync, existsSync } from "node:fs";

/** A named place in a write path where tests inject errors. The published build has none. */
export function faultPoint(name: string): void {
  if (FOR_TESTS && process.env.UA_HOOKS_FAULT !== undefined) injectFault(name, process.env.UA_HOOKS_FAULT);
}

/**
 * `UA_HOOKS_FAULT=<point>:<what>`, several separated by `;`, `*` for every point. `<what>` is one of
 *   `kill`         SIGKILL to this process
 *   `clock=<ms>`   from here on the clock of this process is ahead by this, or behind
 *   an errno such as `ENOSPC`, thrown
 *   `wait=<file>`  append our pid to `<file>.reached`, go on when the file appears
 *   `note=<file>`  append `<point> <pid>` to the file.
 * The first three also as `kill@3`: only at the third visit of this process; otherwise kill and clock act at the first,
 * an errno at every one.
 */
function injectFault(name: string, wanted: string): void {
  const visit = countVisit(name);
  for (const one of wanted.split(";")) {
    const colon = one.indexOf(":");
    const point = one.slice(0, colon);
    if (point === name || point === "*") act(name, visit, one.slice(colon + 1));
  }
}

/** Per process: each file of dist/ has a copy of this module. */
function countVisit(name: string): number {
  const shared = globalThis as { uaHooksVisits?: Map<string, number> };
  shared.uaHooksVisits ??= new Map();
  const visit = (shared.uaHooksVisits.get(name) ?? 0) + 1;
  shared.uaHooksVisits.set(name, visit);
  return visit;
}

function act(name: string, visit: number, what: string): void {
  const [, verb = "", value = ""] = /^(\w+)=(.*)$/s.exec(what) ?? [];
  if (verb === "wait") waitFor(value);
  if (verb === "note") appendFileSync(value, `${name} ${process.pid}\n`);
  const [how = "", at = ""] = what.split("@");
  const isErrno = /^E[A-Z]+$/.test(how);
  if (visit !== Number(at || (isErrno ? visit : 1))) return;
  if (isErrno) throw Object.assign(new Error(`${how}: injected at ${name}`), { code: how });
  if (verb === "clock") shiftClock(Number.parseInt(value, 10));
  else if (how === "kill") process.kill(process.pid, "SIGKILL");
}

function shiftClock(ms: number): void {
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given: [] | [number | string | Date]) {
      super(...((given.length === 0 ? [Real.now() + ms] : given) as [number]));
    }

    static override now(): number {
      return Real.now() + ms;
    }
  } as DateConstructor;
}

function waitFor(file: string): void {
  if (existsSync(file)) return;
  appendFileSync(`${file}.reached`, `${process.pid}\n`);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  // A killed test must not leave this process waiting.
  const deadline = Date.now() + 120_000;
  while (!existsSync(file) && Date.now() < deadline) Atomics.wait(cell, 0, 0, 2);
}
