import { basename } from "node:path";
import type { FileFingerprint } from "../fingerprint/types.js";
import { readBlobs } from "../git/blobs.js";
import { isRegularFile, listTree, type TreeEntry } from "../git/trees.js";
import { buildGraph } from "../graph/build.js";
import { projectTextFiles, projectTexts } from "../graph/project-texts.js";
import { configEntries } from "../knowledge/adopt.js";
import {
  FINGERPRINTS,
  fingerprintStoreJson,
  GRAPH,
  META,
  readArtefact,
  writeArtefact,
} from "../knowledge/artefacts.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { resolverFor } from "../knowledge/links.js";
import type { Config } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import type { Rules } from "../repository/rules.js";
import type { Db } from "../store/sqlite.js";

export type OnProgress = (done: number, total: number) => void;

/**
 * If there is no graph: builds the structural one of HEAD, without an LLM, from blobs and not from the work tree. Save
 * order (invariant "advance last"): graph, fingerprints, meta. Returns the number of files in it.
 */
export async function buildBaseline(
  { db, project, config, rules }: { db: Db; project: Project; config: Config; rules: Rules },
  commit: string | null,
  onProgress: OnProgress,
): Promise<number> {
  const cwd = project.worktree.path;
  const tree = commit === null ? [] : await listTree(cwd, commit);
  const files = tree.filter(({ mode, path }) => isRegularFile(mode) && rules.covers(path, false));
  const facts = await new Facts(storedFacts(db, { keep: true }), cwd, config).of(files, (done) =>
    onProgress(done, files.length),
  );
  const fingerprints = new Map<string, FileFingerprint>();
  for (const fact of facts.values()) fingerprints.set(fact.filePath, fact);
  const now = new Date().toISOString();
  const resolver = await resolverFor(cwd, fingerprints.keys(), configEntries(tree));
  const texts = projectTexts(await readTexts(cwd, tree));
  const graph = buildGraph({
    ...{ name: basename(project.root ?? project.commonDir), commit: commit ?? "", analyzedAt: now },
    ...{ texts, fingerprints, resolver },
  });
  // Load, change, save (invariant "never overwrite what cannot be read"): keys of other tools stay.
  writeArtefact(db, project, GRAPH, { ...readArtefact(project, GRAPH), ...graph }, { allowTracked: true });
  writeArtefact(db, project, FINGERPRINTS, fingerprintStoreJson(commit ?? "", now, fingerprints), {
    allowTracked: true,
  });
  const meta = { lastAnalyzedAt: now, gitCommitHash: commit ?? "", version: "1.0.0", analyzedFiles: fingerprints.size };
  writeArtefact(db, project, META, { ...readArtefact(project, META), ...meta }, { allowTracked: true });
  return fingerprints.size;
}

/** Manifests and READMEs, by path. */
async function readTexts(cwd: string, tree: readonly TreeEntry[]): Promise<Map<string, string>> {
  const wanted = new Set(projectTextFiles(tree.map(({ path }) => path)));
  const entries = tree.filter(({ path, mode }) => wanted.has(path) && isRegularFile(mode));
  const blobs = await readBlobs(
    cwd,
    entries.map(({ oid }) => oid),
  );
  const texts = new Map<string, string>();
  for (const { path, oid } of entries) {
    const blob = blobs.get(oid);
    if (blob !== undefined && blob.length <= MOST_BYTES) texts.set(path, blob.toString("utf8"));
  }
  return texts;
}

/** A longer one is no manifest that a person wrote. */
const MOST_BYTES = 256 * 1024;
