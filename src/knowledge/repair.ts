import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileAt, isAncestor, mergedVersions } from "../git/history.js";
import { type ArtefactKind, mergeArtefact, type Versions } from "../graph/artefact-merge.js";
import { conflictSides } from "../graph/conflict.js";
import { isGraphError } from "../graph/errors.js";
import type { Project } from "../repository/locate.js";
import { makeFolder, readProjectChunks, toJson, writeFileAtomic } from "../store/files.js";
import { type ArtefactName, arrivedCopy, FINGERPRINTS, GRAPH, META } from "./artefacts.js";

const MERGED: readonly [ArtefactName, ArtefactKind][] = [
  [GRAPH, "graph"],
  [FINGERPRINTS, "fingerprints"],
  [META, "meta"],
];

/**
 * A hosting service merges without our driver, and the conflict markers are committed: the artefacts are merged here as
 * the driver would do it, into copies that are adopted. The tracked file stays as it is (invariant "no self-triggering"); when
 * it is corrected later, it is adopted itself. What cannot be merged is reported to the reader.
 */
export async function repairConflicts(project: Project): Promise<void> {
  const { root } = project;
  if (root === null) return; // a bare repository's artefacts are not committed
  for (const [name, kind] of MERGED) {
    const [file, live] = [join(project.dataDir, name), arrivedCopy(project, name)];
    if (existsSync(live)) continue;
    if (!hasMarkers(file, root)) continue;
    const path = relative(root, file);
    // A file that is not committed is unfinished work of the user, or damaged.
    const sides = conflictSides((await fileAt(root, "HEAD", path)) ?? "");
    if (sides === null) continue;
    const merged = await repaired(root, kind, path, sides);
    if (merged === null) continue;
    makeFolder(dirname(live), project.stateDir);
    writeFileAtomic(live, toJson(merged));
  }
}

/** Read in parts: most graphs have none, and one can be larger than a text may be. */
function hasMarkers(file: string, root: string): boolean {
  let text = "\n";
  for (const chunk of readProjectChunks(file, root)) {
    text = text.slice(-9) + chunk.toString("latin1");
    if (/\n<{7}[ \r\n]/.test(text)) return true;
  }
  return false;
}

/** From both parents of the merge, which are complete; else from the sides in the conflict markers. */
async function repaired(root: string, kind: ArtefactKind, path: string, sides: Versions): Promise<unknown> {
  const covers = (older: string, newer: string) => isAncestor(root, older, newer);
  for (const versions of [await mergedVersions(root, path), sides]) {
    if (versions === null) continue;
    try {
      return await mergeArtefact(kind, versions, covers);
    } catch (error) {
      if (!isGraphError(error)) throw error;
    }
  }
  return null;
}
