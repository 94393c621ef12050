import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileAt, isAncestor, mergedVersions } from "../git/history.js";
import { type ArtefactKind, mergeArtefact, type Versions } from "../graph/artefact-merge.js";
import { conflictSides } from "../graph/conflict.js";
import { GraphError } from "../graph/errors.js";
import type { Project } from "../repository/locate.js";
import { readTextIfThere, toJson, writeFileAtomic } from "../store/files.js";
import { type ArtefactName, FINGERPRINTS, GRAPH, liveCopy, META } from "./artefacts.js";

const MERGED: readonly [ArtefactName, ArtefactKind][] = [
  [GRAPH, "graph"],
  [FINGERPRINTS, "fingerprints"],
  [META, "meta"],
];

/**
 * A forge merges without our driver, and somebody commits the markers: the artefacts are merged here as the driver would
 * have done it, into the live copies. The tracked file stays as it is (invariant "no self-triggering"); one that is mended later is news, and
 * takes the live copy's place. What cannot be merged is left for the reader, who says what is wrong with it.
 */
export async function repairConflicts(project: Project): Promise<void> {
  const { root } = project;
  if (root === null) return; // a bare repository's artefacts are in no commit
  for (const [name, kind] of MERGED) {
    const [file, live] = [join(project.dataDir, name), liveCopy(project, name)];
    if (existsSync(live)) continue;
    if (conflictSides(readTextIfThere(file) ?? "") === null) continue;
    const path = relative(root, file);
    // One that is not committed is somebody's unfinished work, or plain damage.
    const sides = conflictSides((await fileAt(root, "HEAD", path)) ?? "");
    if (sides === null) continue;
    const merged = await repaired(root, kind, path, sides);
    if (merged === null) continue;
    mkdirSync(dirname(live), { recursive: true, mode: 0o700 });
    writeFileAtomic(live, toJson(merged));
  }
}

/** From what both parents of the merge had, which is whole; else from what the markers hold. */
async function repaired(root: string, kind: ArtefactKind, path: string, sides: Versions): Promise<unknown> {
  const covers = (older: string, newer: string) => isAncestor(root, older, newer);
  for (const versions of [await mergedVersions(root, path), sides]) {
    if (versions === null) continue;
    try {
      return await mergeArtefact(kind, versions, covers);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
    }
  }
  return null;
}
