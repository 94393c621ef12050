import { decodePath } from "./paths.js";
import { git } from "./run.js";

/** Which commit wrote a line last. */
export interface LineOrigin {
  /** From 1, in the blamed content. */
  line: number;
  /** null: not committed. */
  commit: string | null;
  /** The file's path in that commit. */
  path: string;
}

/**
 * Who wrote these lines last. Blanks do not count (-w), so neither a new indentation nor other line ends make a line new; a file that was
 * renamed is followed. `commit` null blames the file in the work tree. A revision list of the user's config would change the answer.
 */
export async function blameLines(
  cwd: string,
  { commit, path, lines }: { commit: string | null; path: string; lines: readonly number[] },
): Promise<LineOrigin[]> {
  const ranges = rangesOf(lines).flatMap(([first, last]) => ["-L", `${first},${last}`]);
  const config = ["-c", "blame.ignoreRevsFile=", "-c", "core.quotePath=false"];
  const args = ["--literal-pathspecs", "blame", "-w", "--porcelain", "--no-progress", ...ranges];
  const output = await git(cwd, [...config, ...args, ...(commit === null ? [] : [commit]), "--", path], {
    timeFactor: 4,
  });
  return parseBlame(output);
}

/** So many arguments at most; beyond them the whole file is blamed. */
const MOST_RANGES = 200;

function rangesOf(lines: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const line of [...new Set(lines)].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] + 1 === line) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.length > MOST_RANGES ? [] : ranges;
}

/**
 * `<oid> <its line> <this line> [<lines>]`, then headers, then `\t<text>` (git-blame(1), "THE PORCELAIN FORMAT"). The headers of a commit
 * stand at its first line only, `filename` wherever it is another one. An oid of zeros is the work tree.
 */
export function parseBlame(output: Buffer): LineOrigin[] {
  const found: LineOrigin[] = [];
  const paths = new Map<string, string>();
  let current: { commit: string; line: number } | null = null;
  for (let at = 0; at < output.length; ) {
    const newline = output.indexOf(0x0a, at);
    const end = newline < 0 ? output.length : newline;
    if (output[at] === 0x09) {
      if (current !== null) {
        const { commit, line } = current;
        found.push({ line, commit: /^0+$/.test(commit) ? null : commit, path: paths.get(commit) ?? "" });
      }
      current = null;
    } else if (current === null) {
      const [, commit = "", line = ""] = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(output.toString("latin1", at, end)) ?? [];
      current = { commit, line: Number(line) };
    } else if (output.toString("latin1", at, at + 9) === "filename ") {
      paths.set(current.commit, decodePath(output.subarray(at + 9, end)));
    }
    at = end + 1;
  }
  return found;
}
