/** One line of two texts: in both, only in the older, only in the newer. */
export interface DiffLine {
  sign: " " | "-" | "+";
  text: string;
}

/** With more changed lines than these, the rest of the search is not worth its time: what differs is given as replaced. */
const MOST_EDITS = 1000;

/** The shortest way from one list of lines to another (Myers, "An O(ND) difference algorithm"). */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const kept = (lines: readonly string[]) => lines.map((text): DiffLine => ({ sign: " ", text }));
  return [
    ...kept(before.slice(0, start)),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...kept(before.slice(before.length - end)),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const steps = before.length === 0 || after.length === 0 ? null : search(before, after);
  if (steps === null) return [...signed(before, "-"), ...signed(after, "+")];
  return trace(before, after, steps);
}

const signed = (lines: readonly string[], sign: DiffLine["sign"]): DiffLine[] => lines.map((text) => ({ sign, text }));

/** How far each diagonal comes with each number of edits; null if there are too many. */
function search(before: readonly string[], after: readonly string[]): Int32Array[] | null {
  const most = Math.min(before.length + after.length, MOST_EDITS);
  let reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const steps: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    steps.push(reach);
    const next = reach.slice();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = middle + diagonal;
      const isDown = diagonal === -edits || (diagonal !== edits && valueAt(reach, at - 1) < valueAt(reach, at + 1));
      let x = isDown ? valueAt(reach, at + 1) : valueAt(reach, at - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      next[at] = x;
      if (x >= before.length && x - diagonal >= after.length) return [...steps, next];
    }
    reach = next;
  }
  return null;
}

const valueAt = (reach: Int32Array, at: number): number => reach[at] ?? 0;

/** Back from the end, one edit at a time. */
function trace(before: readonly string[], after: readonly string[], steps: readonly Int32Array[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [before.length, after.length];
  for (let edits = steps.length - 2; edits >= 0; edits--) {
    const reach = steps[edits] ?? new Int32Array();
    const middle = (reach.length - 1) / 2;
    const diagonal = x - y;
    const at = middle + diagonal;
    const isDown = diagonal === -edits || (diagonal !== edits && valueAt(reach, at - 1) < valueAt(reach, at + 1));
    const fromX = edits === 0 ? 0 : isDown ? valueAt(reach, at + 1) : valueAt(reach, at - 1);
    const fromY = edits === 0 ? 0 : fromX - (isDown ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0 && before[x - 1] === after[y - 1]) {
      lines.push({ sign: " ", text: before[--x] ?? "" });
      y--;
    }
    if (edits === 0) break;
    if (isDown) lines.push({ sign: "+", text: after[--y] ?? "" });
    else lines.push({ sign: "-", text: before[--x] ?? "" });
  }
  return lines.reverse();
}

/** As text: the whole, or the first lines and what changed, with some lines around. */
export function renderDiff(
  lines: readonly DiffLine[],
  { mostLines, head, around }: { mostLines: number; head: number; around: number },
): string {
  const spelled = ({ sign, text }: DiffLine) => `${sign}${text}`;
  if (lines.length <= mostLines) return lines.map(spelled).join("\n");
  const isNear = nearChanges(lines, around);
  const shown: string[] = [];
  let omitted = 0;
  for (const [at, line] of lines.entries()) {
    if (at >= head && isNear[at] !== 1) {
      omitted++;
      continue;
    }
    if (omitted > 0) shown.push(omission(omitted));
    omitted = 0;
    shown.push(spelled(line));
  }
  return [...shown, ...(omitted > 0 ? [omission(omitted)] : [])].join("\n");
}

/** Without a number: some lines. */
export const omission = (lines?: number): string =>
  `@@ ${lines === undefined ? "" : `${lines} `}${lines === 1 ? "line" : "lines"} omitted @@`;

export const isOmission = (line: string): boolean => /^@@ \d+ lines? omitted @@$/.test(line);

/** 1 for lines that are changed, or that many lines from one. */
function nearChanges(lines: readonly DiffLine[], around: number): Uint8Array {
  const near = new Uint8Array(lines.length);
  for (const [at, { sign }] of lines.entries()) {
    if (sign !== " ") near.fill(1, Math.max(0, at - around), at + around + 1);
  }
  return near;
}
