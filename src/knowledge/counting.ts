import { join, relative } from "node:path";
import type { HeadTree } from "../git/head-tree.js";
import { isAncestor } from "../git/history.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import { GRAPH } from "./artefacts.js";

interface TrackedBatch {
  id: number;
  commit_oid: string | null;
  document_oid: string | null;
}

/**
 * The batches that do not count at a commit: those that were voided, and those that came in a document that git tracks, unless HEAD
 * tracks it and has that document, or one that was committed after it.
 */
export async function excludedBatches(db: Db, project: Project, tree: HeadTree): Promise<ReadonlySet<number>> {
  const voided = db.all<{ id: number }>("SELECT voids AS id FROM batches WHERE voids IS NOT NULL");
  const excluded = new Set(voided.map(({ id }) => id));
  const sql = "SELECT id, commit_oid, document_oid FROM batches WHERE source = 'tracked' AND scope = ?";
  const tracked = db.all<TrackedBatch>(sql, project.scope);
  if (tracked.length === 0) return excluded;
  const path = project.root === null ? null : relative(project.root, join(project.dataDir, GRAPH));
  if (path !== null) await tree.load([path]);
  const now = path === null ? null : tree.blobOf(path);
  const isBefore = new Map<string, boolean>();
  for (const { id, commit_oid: commit, document_oid: document } of tracked) {
    if (now !== null && document === now) continue;
    if (now !== null && commit !== null) {
      const known = isBefore.get(commit) ?? (await isAncestor(project.worktree.path, commit, tree.commit));
      isBefore.set(commit, known);
      if (known) continue;
    }
    excluded.add(id);
  }
  return excluded;
}

/** The paths that two sets of excluded batches differ about. */
export function pathsOfBatches(db: Db, batches: Iterable<number>): string[] {
  const sql = "SELECT DISTINCT path FROM statements WHERE batch = ?";
  return [...batches].flatMap((id) => db.all<{ path: string }>(sql, id).map(({ path }) => keyPath(path)));
}
