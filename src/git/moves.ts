import { decodePath } from "./paths.js";
import { git, isRefusal } from "./run.js";
import { fitArguments, records } from "./trees.js";

export interface Deletion {
  commit: string;
  path: string;
}

/**
 * The deletions of these paths, or of files below them, in the history of a commit, newest first; all of them where no paths are given. A
 * merge is not looked at: what it deletes was deleted in one of its branches.
 */
export async function deletionsOf(cwd: string, commit: string, paths: readonly string[] | null): Promise<Deletion[]> {
  if (paths?.length === 0) return [];
  const flags = ["--format=%x00%H", "-z", "--name-only", "--no-renames", "--diff-filter=D", "--topo-order"];
  const some = paths !== null && fitArguments(paths) ? paths : [];
  const args = ["--literal-pathspecs", "log", "--no-show-signature", ...flags, commit, "--", ...some];
  return parseDeletions(await git(cwd, args, { timeFactor: 8 }));
}

/** `\0<oid>\0\n<path>\0<path>\0` for each commit: with -z a commit ends with NUL, and its names follow a line break. */
export function parseDeletions(output: Buffer): Deletion[] {
  const found: Deletion[] = [];
  let commit = "";
  const whole = output.at(-1) === 0 || output.length === 0 ? output : Buffer.concat([output, Buffer.from([0])]);
  for (const record of records(whole)) {
    const text = record[0] === 0x0a ? record.subarray(1) : record;
    if (text.length === 0) continue;
    const line = text.toString("latin1");
    if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(line)) commit = line;
    else found.push({ commit, path: decodePath(text) });
  }
  return found;
}

export interface RenamedPath {
  from: string;
  to: string;
  /** In percent. */
  similarity: number;
}

/** More pairs than this many times itself are compared by their oids alone. */
const RENAME_LIMIT = 1_000;

/** The renames of commits against their first parents, by commit, as git finds them. */
export async function renamesIn(cwd: string, commits: readonly string[]): Promise<Map<string, RenamedPath[]>> {
  if (commits.length === 0) return new Map();
  const flags = [
    "--raw",
    "-r",
    "-z",
    "--no-abbrev",
    "--root",
    "-m",
    "--first-parent",
    "--no-ext-diff",
    "--no-textconv",
  ];
  const input = `${[...new Set(commits)].join("\n")}\n`;
  return withSimilarity((similarity) =>
    git(cwd, ["diff-tree", "--stdin", ...flags, ...similarity], { input, timeFactor: 8 }),
  );
}

/** A blob that this clone does not have cannot be compared: then only renames without any change are found. */
async function withSimilarity(
  diff: (flags: readonly string[]) => Promise<Buffer>,
): Promise<Map<string, RenamedPath[]>> {
  const find = async (least: string) => parseRenames(await diff([least, `-l${RENAME_LIMIT}`, "--diff-filter=R"]));
  return find("-M50%").catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
    return find("-M100%");
  });
}

/** The renames between two commits, however many others are between them. */
export async function renamesBetween(cwd: string, from: string, to: string): Promise<RenamedPath[]> {
  const flags = ["--raw", "-r", "-z", "--no-abbrev", "--no-ext-diff", "--no-textconv"];
  const found = await withSimilarity((similarity) =>
    git(cwd, ["diff-tree", ...flags, ...similarity, from, to], { timeFactor: 4 }),
  );
  return found.get("") ?? [];
}

/** `:100644 100644 <oid> <oid> R087\0<from>\0<to>\0`, the oid of the commit in front of its own. */
export function parseRenames(output: Buffer): Map<string, RenamedPath[]> {
  const found = new Map<string, RenamedPath[]>();
  const all = [...records(output)];
  let commit = "";
  for (let at = 0; at < all.length; at++) {
    const line = all[at]?.toString("latin1") ?? "";
    const [, similarity] = /^:\d{6} \d{6} [0-9a-f]+ [0-9a-f]+ R(\d+)$/.exec(line) ?? [];
    if (similarity === undefined) {
      commit = line.trim();
      continue;
    }
    const [from, to] = [all[at + 1], all[at + 2]];
    if (from === undefined || to === undefined) throw new Error("git diff-tree: unexpected output");
    const rename = { from: decodePath(from), to: decodePath(to), similarity: Number(similarity) };
    const list = found.get(commit);
    if (list === undefined) found.set(commit, [rename]);
    else list.push(rename);
    at += 2;
  }
  return found;
}
