import { isRefusal } from "../git/run.js";
import { diffTrees, isGone, isRegularFile, listTree, type TreeChange } from "../git/trees.js";
import { isOurs } from "../repository/inputs.js";

/** One path at two commits; null if there is no regular file. */
export interface OidChange {
  path: string;
  before: string | null;
  after: string | null;
}

/**
 * The files that have rows: every regular file of a commit, without our own artefacts (invariant "no self-triggering").
 */
export async function filesOf(cwd: string, commit: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const { path, mode, oid } of await listTree(cwd, commit)) {
    if (isRegularFile(mode) && !isOurs(path)) files.set(path, oid);
  }
  return files;
}

/** null: one of the two commits is gone (rebased and collected, shallow). */
export async function changesBetween(cwd: string, from: string, to: string): Promise<OidChange[] | null> {
  try {
    return fileChanges(await diffTrees(cwd, from, to));
  } catch (error) {
    if (isRefusal(error) && isGone(error)) return null;
    throw error;
  }
}

export function fileChanges(changes: readonly TreeChange[]): OidChange[] {
  return changes
    .filter(({ path }) => !isOurs(path))
    .map(({ path, oldMode, oldOid, mode, oid }) => ({
      path,
      before: isRegularFile(oldMode) ? oldOid : null,
      after: isRegularFile(mode) ? oid : null,
    }))
    .filter(({ before, after }) => before !== after);
}

/** The same from two whole lists, without commits. */
export function compareFiles(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): OidChange[] {
  const changes: OidChange[] = [];
  for (const [path, oid] of after) {
    const old = before.get(path) ?? null;
    if (old !== oid) changes.push({ path, before: old, after: oid });
  }
  for (const [path, oid] of before) if (!after.has(path)) changes.push({ path, before: oid, after: null });
  return changes;
}
