import { decodePath } from "./paths.js";
import { git, gitLine, gitLineSync, gitSync } from "./run.js";
import { records } from "./trees.js";

/**
 * Paths with uncommitted changes, untracked ones included, by git's own ignore rules. --no-renames: both names.
 * Submodules are projects of their own.
 */
const STATUS = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all"];

export async function dirtyPaths(cwd: string): Promise<string[]> {
  return parseStatus(await git(cwd, STATUS));
}

export function dirtyPathsSync(cwd: string): string[] {
  return parseStatus(gitSync(cwd, STATUS));
}

/** `XY path\0` (git-status(1), "Porcelain Format Version 1" with -z; no second path with --no-renames). */
export function parseStatus(output: Buffer): string[] {
  return [...records(output)].map((record) => decodePath(record.subarray(3)));
}

export type Relation = "equal" | "behind" | "ahead" | "diverged" | "unknown";

export interface Distance {
  relation: Relation;
  /** Commits that HEAD has and the baseline has not, and the other way round. */
  behind: number;
  ahead: number;
}

/** Where the baseline stands as seen from HEAD. `base..HEAD` alone counts 0 when HEAD moved back: count both sides. */
export async function distance(cwd: string, base: string | null, head: string | null): Promise<Distance> {
  if (base === null || head === null) return { relation: "unknown", behind: 0, ahead: 0 };
  if (base === head) return { relation: "equal", behind: 0, ahead: 0 };
  const counts = await gitLine(cwd, countBoth(base, head)).catch(() => null);
  return counts === null ? { relation: "unknown", behind: 0, ahead: 0 } : readCounts(counts);
}

/** The same, synchronously; throws where git cannot say. */
export function distanceSync(cwd: string, base: string, head: string): Distance {
  if (base === head) return { relation: "equal", behind: 0, ahead: 0 };
  return readCounts(gitLineSync(cwd, countBoth(base, head)));
}

function countBoth(base: string, head: string): string[] {
  return ["rev-list", "--left-right", "--count", `${base}...${head}`, "--"];
}

/** `<only in base>\t<only in head>` (git-rev-list(1), --left-right with --count). */
function readCounts(counts: string): Distance {
  const [ahead = 0, behind = 0] = counts.split("\t").map(Number);
  const relation = ahead === 0 ? "behind" : behind === 0 ? "ahead" : "diverged";
  return { relation, behind, ahead };
}
