import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { blobAt, isAncestor, mergedVersions } from "../git/history.js";
import { type ArtefactKind, type MergedText, mergeArtefact, repairConflicted } from "../graph/artefact-merge.js";
import { hasMarkers } from "../graph/conflict.js";
import { isGraphError } from "../graph/errors.js";
import { sourceOfBytes } from "../graph/source.js";
import type { Project } from "../repository/locate.js";
import { makeFolder, readProjectChunks, writeFileAtomic } from "../store/files.js";
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
    if (!hasMarkers(readProjectChunks(file, root))) continue;
    const merged = await repaired(root, kind, relative(root, file));
    if (merged === null) continue;
    makeFolder(dirname(live), project.stateDir);
    writeFileAtomic(live, merged);
  }
}

/**
 * From both parents of the merge, which are complete; else from the sides in the conflict markers. null also for a file that is not
 * committed so: unfinished work of the user, or damaged.
 */
async function repaired(root: string, kind: ArtefactKind, path: string): Promise<MergedText | null> {
  const committed = await blobAt(root, "HEAD", path);
  if (committed === null || !hasMarkers([committed])) return null;
  const covers = (older: string, newer: string) => isAncestor(root, older, newer);
  const versions = await mergedVersions(root, path);
  const ways = [
    async () => (versions === null ? null : mergeArtefact(kind, sourcesOf(versions), covers)),
    () => repairConflicted(kind, sourceOfBytes(committed), covers),
  ];
  for (const merge of ways) {
    try {
      const merged = await merge();
      if (merged !== null) return merged;
    } catch (error) {
      if (!isGraphError(error)) throw error;
    }
  }
  return null;
}

function sourcesOf({ base, ours, theirs }: Record<"ours" | "theirs", Buffer> & { base: Buffer | null }) {
  return {
    base: base === null ? null : sourceOfBytes(base),
    ours: sourceOfBytes(ours),
    theirs: sourceOfBytes(theirs),
  };
}
