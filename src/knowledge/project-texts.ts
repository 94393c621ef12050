import { readBlobs } from "../git/blobs.js";
import { isRegularFile, listTree, type TreeEntry } from "../git/trees.js";
import { type ProjectTexts, projectTextFiles, projectTexts } from "../graph/project-texts.js";
import type { Project } from "../repository/locate.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";

/** Manifests and READMEs with their blobs. */
export type TextFiles = readonly (readonly [path: string, oid: string])[];

/** A longer one is no manifest that a person wrote. */
const MOST_BYTES = 256 * 1024;

export function textFilesIn(tree: readonly TreeEntry[]): [path: string, oid: string][] {
  const oids = new Map(tree.filter(({ mode }) => isRegularFile(mode)).map(({ path, oid }) => [path, oid]));
  return projectTextFiles(oids.keys()).map((path) => [path, oids.get(path) ?? ""]);
}

/** What these files say; one whose blob is gone says nothing. */
export async function readProjectTexts(cwd: string, files: TextFiles): Promise<ProjectTexts> {
  const blobs = await readBlobs(
    cwd,
    files.map(([, oid]) => oid),
  );
  const texts = new Map<string, string>();
  for (const [path, oid] of files) {
    const blob = blobs.get(oid);
    if (blob !== undefined && blob.length <= MOST_BYTES) texts.set(path, blob.toString("utf8"));
  }
  return projectTexts(texts);
}

/** The files of a commit, and whether the graph was made with others; not, where its texts were made by another tool. */
export async function currentTextFiles(
  { db, project }: { db: Db; project: Project },
  commit: string,
): Promise<{ files: [path: string, oid: string][]; isChanged: boolean }> {
  const files = textFilesIn(await listTree(project.worktree.path, commit));
  const known = readSetting(db, SETTINGS.textFiles, project.scope);
  return { files, isChanged: known !== null && JSON.stringify(files) !== JSON.stringify(known) };
}
