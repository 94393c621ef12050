import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Event } from "../git/hook-events.js";
import { readBytes } from "../store/files.js";
import { hasBlock, withBlock, withoutBlock } from "../store/marked-block.js";
import type { FileStep } from "./plan.js";

/** What a hook that is no shell script is called while ours stands in front of it. */
const CHAINED = ".before-ua-hooks";
export const SHEBANG = "#!/bin/sh\n";
/** By name and not by `$0`: a manager may have renamed our file, and runs it under the new name. */
const runChained = (event: Event) =>
  `if [ -x "\${0%/*}/${event}${CHAINED}" ]; then exec "\${0%/*}/${event}${CHAINED}" "$@"; fi\n`;

/** Our block in one hook file: after the shebang of a shell script, in a new file, or in one that then runs what was there. */
export function blockSteps(file: string, event: Event, block: string): FileStep[] {
  const fresh = SHEBANG + block;
  const link = lstatSync(file, { throwIfNoEntry: false });
  if (link === undefined) return [{ file, what: `${event}: new hook file`, text: fresh, mode: 0o755 }];
  const text = link.isFile() ? readBytes(file) : "";
  if (link.isFile() && isShellScript(text) && isRunnable(file)) {
    const wanted = withBlock(text, Buffer.from(block).toString("latin1"), afterShebang(text));
    if (wanted === text) return [];
    const what = hasBlock(text) ? `${event}: block brought up to date` : `${event}: block added to the existing hook`;
    return [{ file, what, text: Buffer.from(wanted, "latin1"), mode: statSync(file).mode & 0o777 }];
  }
  // Another program, a link, or a script that git does not run: it keeps its own file, and its run bit decides.
  const chained = join(dirname(file), event + CHAINED);
  return [
    { file, what: `${event}: existing hook kept as ${event}${CHAINED}`, moveTo: chained },
    { file, what: `${event}: new hook file that runs it`, text: fresh + runChained(event), mode: 0o755 },
  ];
}

/** What managers call a hook file that they found, ours included. */
const SET_ASIDE = ["", ".old", ".legacy"];

/** Our part of one hook file goes, wherever a manager has moved the file since. */
export function unblockSteps(dir: string, event: Event): FileStep[] {
  return SET_ASIDE.flatMap((suffix) => unblockOne(join(dir, event + suffix), event));
}

function unblockOne(file: string, event: Event): FileStep[] {
  if (!existsSync(file) || !lstatSync(file).isFile()) return [];
  const text = readBytes(file);
  if (!hasBlock(text)) return [];
  const rest = withoutBlock(text);
  if (rest === SHEBANG) return [{ file, what: `${event}: hook file removed`, text: null }];
  if (rest === SHEBANG + runChained(event)) {
    const chained = join(dirname(file), event + CHAINED);
    const gone: FileStep = { file, what: `${event}: our hook file removed`, text: null };
    if (lstatSync(chained, { throwIfNoEntry: false }) === undefined) return [gone];
    return [gone, { file: chained, what: `${event}: the hook that was there is back`, moveTo: file }];
  }
  const mode = statSync(file).mode & 0o777;
  return [{ file, what: `${event}: block taken out`, text: Buffer.from(rest, "latin1"), mode }];
}

/** A file with nothing in it but ours. */
export function isOursAlone(text: string): boolean {
  return hasBlock(text) && withoutBlock(text) === SHEBANG;
}

/** No shebang is a shell script too: git hands such a file to sh. */
export function isShellScript(text: string): boolean {
  if (!text.startsWith("#!")) return !text.includes("\0");
  return /^#!.*\b(ba|da|a|k|z)?sh\b/.test(text.split("\n", 1)[0] ?? "");
}

function isRunnable(file: string): boolean {
  return (statSync(file).mode & 0o111) !== 0;
}

export function afterShebang(text: string): number {
  if (!text.startsWith("#!")) return 0;
  const newline = text.indexOf("\n");
  return newline < 0 ? text.length : newline + 1;
}
