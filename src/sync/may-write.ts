import { join, relative } from "node:path";
import { ignoredAmong, trackedAmong } from "../git/tracked.js";
import {
  type ArtefactName,
  FINGERPRINTS,
  GRAPH,
  setTrackedArtefacts,
  trackedArtefacts,
} from "../knowledge/artefacts.js";
import type { LoadedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";

/**
 * Why a document may not be written now; null: it may. A hook never writes a file that git tracks or has tracked: a dirty one makes the
 * next checkout abort. A command that somebody typed does.
 */
export async function mayWrite(
  { db, project }: LoadedContext,
  name: ArtefactName,
  { isCommand }: { isCommand: boolean },
): Promise<string | null> {
  const { root } = project;
  const known = trackedArtefacts(db, project);
  if (isCommand || root === null || !known.has(name)) return null;
  const path = relative(root, join(project.dataDir, name));
  if ((await trackedAmong(root, [path])).has(path)) return "git tracks it";
  // On a branch without it, where it is ignored, it is ours again.
  if (!(await ignoredAmong(root, [path])).has(path)) return "git has tracked it";
  setTrackedArtefacts(
    db,
    project,
    [...known].filter((one) => one !== name),
  );
  return null;
}

/** Documents that show less than what is stated, because they may not be written. */
export function unwrittenDocuments(db: Db, { scope }: Project): ArtefactName[] {
  const sql = "SELECT name FROM documents WHERE scope = ? AND wanted IS NOT NULL AND wanted IS NOT content";
  const names = new Set(db.all<{ name: string }>(sql, scope).map(({ name }) => name));
  return ([GRAPH, FINGERPRINTS] as const).filter((name) => names.has(name));
}
