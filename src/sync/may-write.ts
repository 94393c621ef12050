import { type ArtefactName, trackedArtefacts } from "../knowledge/artefacts.js";
import type { LoadedContext } from "../repository/context.js";

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
