import { type ArtefactName, FINGERPRINTS, GRAPH, trackedArtefacts } from "../knowledge/artefacts.js";
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
  if (!isCommand && trackedArtefacts(db, project).has(name)) return "git tracks it";
  return null;
}

/** Documents that show less than what is stated, because they may not be written. */
export function unwrittenDocuments(db: Db, project: Project): ArtefactName[] {
  const tracked = trackedArtefacts(db, project);
  const isBehind = (name: ArtefactName) => {
    const sql = "SELECT 1 AS one FROM graph_pieces WHERE scope = ? AND shown IS NOT NULL LIMIT 1";
    return tracked.has(name) && db.get(sql, project.scope) !== undefined;
  };
  return [GRAPH, FINGERPRINTS].filter((name) => isBehind(name as ArtefactName)) as ArtefactName[];
}
