import { decodePath } from "./paths.js";
import { git, gitLine, gitLineSync, gitSync } from "./run.js";
import { isRegularFile, records } from "./trees.js";

/**
 * Paths with uncommitted changes, untracked ones included, by git's own ignore rules. --no-renames: both names.
 * Submodules are separate projects.
 */
const STATUS = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"];

export async function dirtyPaths(cwd: string): Promise<string[]> {
  return parseStatus(await git(cwd, STATUS));
}

/** The arguments of the same question for a part of the work tree, where a changed submodule is a change. */
export function statusOf(pathspec: readonly string[]): string[] {
  return [...STATUS, "--ignore-submodules=none", "--", ...pathspec];
}

export async function isUncommitted(cwd: string, path: string): Promise<boolean> {
  return (await git(cwd, statusOf([`:(literal)${path}`]))).length > 0;
}

export function dirtyPathsSync(cwd: string): string[] {
  return parseStatus(gitSync(cwd, STATUS));
}

/** `XY path\0` (git-status(1), "Porcelain Format Version 1" with -z; no second path with --no-renames). */
export function parseStatus(output: Buffer): string[] {
  return [...records(output)].map((record) => decodePath(record.subarray(3)));
}

/** One path that differs from HEAD. */
export interface Uncommitted {
  path: string;
  /** null: HEAD has no regular file there. */
  headOid: string | null;
  /** Whether the work tree has a file there; an untracked path may still be something else. */
  there: boolean;
  /** The blob in the work tree, if git's index knows it; null: it has to be hashed (git/worktree.ts). */
  oid: string | null;
  untracked: boolean;
}

export interface WorkState {
  /** The commit below the changes; null: there is none yet. */
  head: string | null;
  changes: Uncommitted[];
  /** The upstream branch as last fetched. null: there is none. */
  upstream: { name: string; ahead: number; behind: number } | null;
}

/**
 * The uncommitted changes of a worktree, by git's own ignore rules, attributes and filters, and its branch's upstream.
 * Used by everything that compares HEAD plus uncommitted changes.
 */
export async function workState(cwd: string): Promise<WorkState> {
  return parseWorkState(await git(cwd, WORK_STATE));
}

const WORK_STATE = [...STATUS, "--porcelain=v2", "--branch"]; // of two formats git uses the last one

/**
 * git-status(1), "Porcelain Format Version 2" with -z and --no-renames:
 * `# branch.oid <oid>`, `# branch.ab +1 -2`, `1 M. N... 100644 100644 100644 <HEAD's oid> <index's oid> <path>`,
 * `u UU N... <mode 1> <mode 2> <mode 3> <mode in the work tree> <oid 1> <oid 2> <oid 3> <path>`, `? <path>`.
 */
export function parseWorkState(output: Buffer): WorkState {
  const changes = new Map<string, Uncommitted>();
  let head: string | null = null;
  let name: string | null = null;
  let counts: RegExpExecArray | null = null;
  for (const record of records(output)) {
    const kind = record.toString("latin1", 0, 1);
    if (kind === "#") {
      const line = record.toString("utf8");
      head ??= /^# branch\.oid ([0-9a-f]{40,})$/.exec(line)?.[1] ?? null; // `(initial)` before the first commit
      if (line.startsWith("# branch.upstream ")) name = line.slice("# branch.upstream ".length);
      counts ??= /^# branch\.ab \+(\d+) -(\d+)$/.exec(line);
      continue;
    }
    const change = kind === "?" ? untracked(record, changes) : tracked(record, kind === "u" ? 10 : 8);
    changes.set(change.path, change);
  }
  const upstream =
    name === null || counts === null ? null : { name, ahead: Number(counts[1]), behind: Number(counts[2]) };
  return { head, changes: [...changes.values()], upstream };
}

/** A file that was removed from the index and still exists has two entries. */
function untracked(record: Buffer, known: ReadonlyMap<string, Uncommitted>): Uncommitted {
  const path = decodePath(record.subarray(2));
  return { path, headOid: known.get(path)?.headOid ?? null, there: true, oid: null, untracked: true };
}

function tracked(record: Buffer, fields: number): Uncommitted {
  const words: string[] = [];
  let at = 0;
  while (words.length < fields) {
    const space = record.indexOf(0x20, at);
    if (space < 0) throw new Error("git status: unexpected output");
    words.push(record.toString("latin1", at, space));
    at = space + 1;
  }
  const path = decodePath(record.subarray(at));
  const isConflict = fields === 10;
  // In a conflict, stage 2 is HEAD's side.
  const [headMode = "", headOid = ""] = isConflict ? [words[4], words[8]] : [words[3], words[6]];
  const there = isRegularFile((isConflict ? words[6] : words[5]) ?? "");
  const isAsStaged = !isConflict && words[1]?.[1] === ".";
  return {
    ...{ path, headOid: isRegularFile(headMode) ? headOid : null, there, untracked: false },
    oid: there && isAsStaged ? (words[7] ?? null) : null,
  };
}

export type Relation = "equal" | "behind" | "ahead" | "diverged" | "unknown";

export interface Distance {
  relation: Relation;
  /** Commits that HEAD has and the baseline does not, and the other way round. */
  behind: number;
  ahead: number;
}

/** The distance from the baseline to HEAD. `base..HEAD` alone counts 0 when HEAD moved back: count both sides. */
export async function distance(cwd: string, base: string | null, head: string | null): Promise<Distance> {
  if (base === null || head === null) return { relation: "unknown", behind: 0, ahead: 0 };
  if (base === head) return { relation: "equal", behind: 0, ahead: 0 };
  const counts = await gitLine(cwd, countBoth(base, head)).catch(() => null);
  return counts === null ? { relation: "unknown", behind: 0, ahead: 0 } : readCounts(counts);
}

/** The same, synchronously; throws if git fails. */
export function distanceSync(cwd: string, base: string, head: string): Distance {
  if (base === head) return { relation: "equal", behind: 0, ahead: 0 };
  return readCounts(gitLineSync(cwd, countBoth(base, head)));
}

function countBoth(base: string, head: string): string[] {
  return ["rev-list", "--left-right", "--count", `${base}...${head}`, "--"];
}

/** `<only in base>\t<only in head>` (git-rev-list(1), --left-right with --count). */
export function readCounts(counts: string): Distance & { relation: "behind" | "ahead" | "diverged" } {
  const [ahead = 0, behind = 0] = counts.split("\t").map(Number);
  const relation = ahead === 0 ? "behind" : behind === 0 ? "ahead" : "diverged";
  return { relation, behind, ahead };
}
