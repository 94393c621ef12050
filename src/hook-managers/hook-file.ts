import { accessSync, constants, existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Event } from "../git/hook-events.js";
import { isWindows } from "../platform/windows.js";
import { readBytes } from "../store/files.js";
import { hasBlock, withBlock, withoutBlock } from "../store/marked-block.js";
import type { FileStep } from "./plan.js";

/** The suffix of an existing hook that is not a shell script, while ours runs before it. */
const CHAINED = ".before-ua-hooks";
export const SHEBANG = "#!/bin/sh\n";
/** By name and not by `$0`: a hook manager may have renamed our file and run it under the new name. */
const runChained = (event: Event) =>
  `if [ -x "\${0%/*}/${event}${CHAINED}" ]; then exec "\${0%/*}/${event}${CHAINED}" "$@"; fi\n`;

/**
 * Adds our block to one hook file: after the shebang of a shell script, in a new file, or in a new file that runs the
 * existing one.
 */
export function blockSteps(file: string, event: Event, block: string): FileStep[] {
  const fresh = SHEBANG + block;
  const link = lstatSync(file, { throwIfNoEntry: false });
  if (link === undefined) return [{ file, what: `${event}: new hook file`, text: fresh, mode: 0o755 }];
  const text = link.isFile() ? readBytes(file) : "";
  if (link.isFile() && isShellScript(text) && hasRunBit(file)) {
    const wanted = withBlock(text, Buffer.from(block).toString("latin1"), afterShebang(text));
    if (wanted === text) return [];
    const what = hasBlock(text) ? `${event}: block updated` : `${event}: block added to the existing hook`;
    return [{ file, what, text: Buffer.from(wanted, "latin1"), mode: statSync(file).mode & 0o777 }];
  }
  // Another program, a link, or a script that is not executable: it keeps its own file, and its mode decides whether it
  // runs.
  const chained = join(dirname(file), event + CHAINED);
  return [
    { file, what: `${event}: existing hook kept as ${event}${CHAINED}`, moveTo: chained },
    { file, what: `${event}: new hook file that runs it`, text: fresh + runChained(event), mode: 0o755 },
  ];
}

/** Suffixes that hook managers give to an existing hook file, ours included. */
const SET_ASIDE = ["", ".old", ".legacy"];

/** Removes our part of one hook file, also if a hook manager renamed the file. */
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
    return [gone, { file: chained, what: `${event}: the earlier hook restored`, moveTo: file }];
  }
  const mode = statSync(file).mode & 0o777;
  return [{ file, what: `${event}: block removed`, text: Buffer.from(rest, "latin1"), mode }];
}

/** A file that contains only our block. */
export function isOursAlone(text: string): boolean {
  return hasBlock(text) && withoutBlock(text) === SHEBANG;
}

/** A file without a shebang is a shell script too: git passes it to sh. */
export function isShellScript(text: string): boolean {
  if (!text.startsWith("#!")) return !text.includes("\0");
  return /^#!.*\b(ba|da|a|k|z)?sh\b/.test(text.split("\n", 1)[0] ?? "");
}

function hasRunBit(file: string): boolean {
  return isWindows || (statSync(file).mode & 0o111) !== 0;
}

/** git's own test. On a mount without run rights it fails whatever the mode is. */
export function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const NO_RUN_RIGHTS = "programs cannot run there (a mount with `noexec`?)";

export function afterShebang(text: string): number {
  if (!text.startsWith("#!")) return 0;
  const newline = text.indexOf("\n");
  return newline < 0 ? text.length : newline + 1;
}
