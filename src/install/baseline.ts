import { basename } from "node:path";
import type { FileFingerprint } from "../fingerprint/types.js";
import { isRegularFile, listTree } from "../git/trees.js";
import { buildGraph } from "../graph/build.js";
import { configEntries } from "../knowledge/adopt.js";
import {
  type ArtefactName,
  artefactStamp,
  FINGERPRINTS,
  fingerprintStoreJson,
  GRAPH,
  META,
  readArtefact,
  writeArtefact,
} from "../knowledge/artefacts.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { resolverFor } from "../knowledge/links.js";
import { readProjectTexts, textFilesIn } from "../knowledge/project-texts.js";
import type { Config } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import type { Rules } from "../repository/rules.js";
import { SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";

const BUILT: readonly ArtefactName[] = [GRAPH, FINGERPRINTS, META];

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
  // Parsing takes long: what another program writes meanwhile is not replaced, and install says so.
  const options = (name: ArtefactName) => ({ allowTracked: true, asRead: asRead.get(name) ?? null });
  const asRead = new Map(BUILT.map((name) => [name, artefactStamp(project, name)]));
  const tree = commit === null ? [] : await listTree(cwd, commit);
  const files = tree.filter(({ mode, path }) => isRegularFile(mode) && rules.covers(path, false));
  const facts = await new Facts(storedFacts(db, { keep: true }), cwd, config).of(files, (done) =>
    onProgress(done, files.length),
  );
  const fingerprints = new Map<string, FileFingerprint>();
  for (const fact of facts.values()) fingerprints.set(fact.filePath, fact);
  const now = new Date().toISOString();
  const resolver = await resolverFor(cwd, fingerprints.keys(), configEntries(tree));
  const textFiles = textFilesIn(tree);
  const texts = await readProjectTexts(cwd, textFiles);
  const graph = buildGraph({
    ...{ name: basename(project.root ?? project.commonDir), commit: commit ?? "", analyzedAt: now },
    ...{ texts, fingerprints, resolver },
  });
  // Load, change, save (invariant "never overwrite what cannot be read"): keys of other tools stay.
  writeArtefact(db, project, GRAPH, { ...readArtefact(project, GRAPH), ...graph }, options(GRAPH));
  writeArtefact(
    db,
    project,
    FINGERPRINTS,
    fingerprintStoreJson(commit ?? "", now, fingerprints),
    options(FINGERPRINTS),
  );
  const meta = { lastAnalyzedAt: now, gitCommitHash: commit ?? "", version: "1.0.0", analyzedFiles: fingerprints.size };
  writeArtefact(db, project, META, { ...readArtefact(project, META), ...meta }, options(META));
  writeSetting(db, SETTINGS.textFiles, textFiles, project.scope);
  return fingerprints.size;
}
