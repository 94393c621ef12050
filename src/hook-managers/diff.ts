import { lstatSync } from "node:fs";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import type { FileStep } from "./plan.js";

const CONTEXT = 3;

/**
 * A step as a unified diff. Our change of a file is in one piece, so one hunk from the first to the last changed line
 * is enough; `name` is how the file is shown.
 */
export function diffOf({ file, text, moveTo, run, what }: FileStep, name: (file: string) => string): string[] {
  if (run !== undefined) return [`# ${what}`];
  if (moveTo !== undefined) return [`rename from ${name(file)}`, `rename to ${name(moveTo)}`];
  const there = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;
  const before = there ? readTextIfThere(file, MOST_TEXT_BYTES) : null;
  const after = text === null || text === undefined ? null : text.toString();
  const head = [
    `--- ${before === null ? "/dev/null" : `a/${name(file)}`}`,
    `+++ ${after === null ? "/dev/null" : `b/${name(file)}`}`,
  ];
  return [...head, ...hunk(linesOf(before), linesOf(after))];
}

/** Marks a last line without a newline, as diff(1) does. */
function linesOf(text: string | null): string[] {
  if (text === null || text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  else lines[lines.length - 1] += "\n\\ No newline at end of file";
  return lines;
}

function hunk(before: readonly string[], after: readonly string[]): string[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  const top = Math.max(0, start - CONTEXT);
  const tail = Math.min(CONTEXT, end);
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const kept = before.slice(top, start);
  const rest = before.slice(before.length - end, before.length - end + tail);
  const range = (count: number) => `${count === 0 && top === 0 ? 0 : top + 1},${count}`;
  const sizes = [removed.length, added.length].map((count) => kept.length + count + rest.length);
  return [
    `@@ -${range(sizes[0] ?? 0)} +${range(sizes[1] ?? 0)} @@`,
    ...kept.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...rest.map((line) => ` ${line}`),
  ];
}
