import { isRefusal } from "../git/run.js";
import { diffTrees, isGone, isRegularFile, listTree, type TreeChange } from "../git/trees.js";
import { resolverConfigFiles } from "../graph/resolver-configs.js";
import { ownFileOf } from "../knowledge/artefacts.js";
import type { Baseline } from "../knowledge/baseline.js";
import type { LoadedContext } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";

/** HEAD's blobs at paths that may differ from the baseline; null if HEAD has nothing to analyse there. */
export interface Candidates {
  paths: Map<string, string | null>;
  /** Our artefacts and markers that HEAD's tree contains. */
  trackedArtefacts: string[];
  /** Whether a config file for import resolution (tsconfig.json, go.mod, …) may have changed. */
  configsChanged: boolean;
  /** The diff of the two commits, so that other callers need no second process. */
  diff: { from: string; changes: readonly TreeChange[] } | null;
}

/** The commit that a worktree's stored verdicts describe. */
export interface Reference {
  /** The worktree whose drift rows belong to it. */
  view: string;
  commit: string;
}

/**
 * Candidates are what differs between a verified commit and HEAD, and every path whose verified blob is not the
 * analysed one; so the cost grows with the change. If that commit is gone (rebased and collected, shallow) or the rules
 * changed, every path of HEAD is compared with the analysed blobs.
 */
export async function findCandidates(
  { db, project, rules }: Pick<LoadedContext, "db" | "project" | "rules">,
  baseline: Baseline,
  head: string,
  reference: Reference | null,
): Promise<Candidates> {
  const cwd = project.worktree.path;
  const sparse = reference === null ? null : await sinceReference(db, cwd, reference, head);
  const found = sparse ?? (await everyPath(cwd, baseline, head));
  for (const path of found.paths.keys()) {
    if (!rules.covers(path, baseline.isInGraph(path))) found.paths.delete(path);
  }
  return found;
}

async function sinceReference(db: Db, cwd: string, reference: Reference, head: string): Promise<Candidates | null> {
  const paths = new Map<string, string | null>();
  const trackedArtefacts: string[] = [];
  for (const row of db.all<{ path: string; oid: string | null }>(
    "SELECT path, oid FROM drift WHERE view = ?",
    reference.view,
  )) {
    paths.set(keyPath(row.path), row.oid);
  }
  if (reference.commit === head) return { paths, trackedArtefacts, configsChanged: false, diff: null };
  const changes = await diffTrees(cwd, reference.commit, head).catch((error: unknown) => {
    if (isRefusal(error) && isGone(error)) return null;
    throw error;
  });
  if (changes === null) return null;
  for (const { path, mode, oid } of changes) {
    const own = ownFileOf(path);
    if (own !== null && oid !== null) trackedArtefacts.push(own);
    paths.set(path, isRegularFile(mode) ? oid : null);
  }
  const configsChanged = resolverConfigFiles(changes.map(({ path }) => path)).length > 0;
  return { paths, trackedArtefacts, configsChanged, diff: { from: reference.commit, changes } };
}

async function everyPath(cwd: string, baseline: Baseline, head: string): Promise<Candidates> {
  const paths = new Map<string, string | null>();
  const trackedArtefacts: string[] = [];
  const analysed = baseline.allOids();
  for (const { path, mode, oid } of await listTree(cwd, head)) {
    const own = ownFileOf(path);
    if (own !== null) trackedArtefacts.push(own);
    const now = isRegularFile(mode) ? oid : null;
    if (analysed.get(path) !== now) paths.set(path, now);
    analysed.delete(path);
  }
  for (const path of analysed.keys()) paths.set(path, null);
  return { paths, trackedArtefacts, configsChanged: true, diff: null };
}
