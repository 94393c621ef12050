import { basename } from "node:path";
import type { FileFingerprint } from "../fingerprint/types.js";
import { isRegularFile, listTree, type TreeEntry } from "../git/trees.js";
import { buildHead, edgeContext, edgesOfFile, nodesOfFile } from "../graph/build.js";
import { NO_PIECE } from "../graph/pieces.js";
import { configEntries, saveTaken, type TakenGraph } from "../knowledge/adopt.js";
import { metaSignature, recordAdopted } from "../knowledge/adopted.js";
import { takeIn } from "../knowledge/arrived.js";
import {
  type ArtefactName,
  artefactPath,
  artefactStamp,
  CONFIG,
  FINGERPRINTS,
  GRAPH,
  META,
  readArtefact,
  writeArtefact,
  writeArtefactText,
} from "../knowledge/artefacts.js";
import type { BaselineRow } from "../knowledge/baseline.js";
import { fingerprintText, packedEntry, readFingerprintFile } from "../knowledge/fingerprint-file.js";
import { type GraphFile, readHeadValues } from "../knowledge/graph-file.js";
import { noteTracked } from "../knowledge/left-artefacts.js";
import { lazyFingerprints, resolverFor } from "../knowledge/links.js";
import { pathInId } from "../knowledge/links-table.js";
import { readProjectTexts, textFilesIn } from "../knowledge/project-texts.js";
import { type StoredFiles, storeFacts } from "../knowledge/store-facts.js";
import { StoredGraph } from "../knowledge/stored-graph.js";
import { limitHeapGrowth } from "../platform/heap.js";
import type { LoadedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { SETTINGS, writeSetting } from "../store/settings.js";
import { runtimeDir } from "../store/upgrade.js";

const BUILT: readonly ArtefactName[] = [GRAPH, FINGERPRINTS, META];

export type OnProgress = (done: number, total: number) => void;

/**
 * If there is no graph: builds the structural one of HEAD, without an LLM, from blobs and not from the work tree, and stores it. Files are written
 * in the order graph, fingerprints, meta. Returns the number of files in it.
 */
export async function buildBaseline(
  context: LoadedContext,
  commit: string | null,
  onProgress: OnProgress,
): Promise<number> {
  const { db, project, rules } = context;
  // Parsing takes long: what another program writes meanwhile is not replaced, and install says so.
  const asRead = new Map(BUILT.map((name) => [name, artefactStamp(project, name)]));
  const before = readHeadValues(project, artefactPath(project, GRAPH));
  const tree = commit === null ? [] : await listTree(project.worktree.path, commit);
  const files = tree.filter(({ mode, path }) => isRegularFile(mode) && rules.covers(path, false));
  limitHeapGrowth(files.length);
  const { others, ready } = await storeFacts(context, files, {
    isChecked: true,
    folder: runtimeDir(project.stateDir),
    onFile: (done) => onProgress(done, files.length),
  });
  const fingerprints = lazyFingerprints(db, new Map(files.map((file) => [file.path, file])), others);
  const paths = files.map(({ path }) => path).filter((path) => fingerprints.has(path));
  const now = new Date().toISOString();
  const textFiles = textFilesIn(tree);
  const graph = await virtualGraph(project, {
    tree,
    paths,
    fingerprints,
    ready,
    textFiles,
    commit: commit ?? "",
    now,
    before,
  });
  const isTracked = (await noteTracked(db, project)).has(GRAPH);
  const taken: TakenGraph = {
    ...{ graph, isTracked, at: now, commit: commit ?? "", configs: configEntries(tree) },
    origin: { source: "here", at: now, author: null, commit, language: null },
    rows: new Map(files.map((file) => [file.path, rowOf(file, fingerprints)])),
    entries: entriesOf(paths, fingerprints, ready),
  };
  const storeGraph = await takeIn(context, taken);
  db.write(() => {
    storeGraph();
    saveTaken(context, taken);
    writeSetting(db, SETTINGS.textFiles, textFiles, project.scope);
  });
  writeBuilt(context, { commit: commit ?? "", at: now, files: paths.length, asRead });
  return paths.length;
}

function entriesOf(
  paths: readonly string[],
  fingerprints: Fingerprints,
  ready: StoredFiles["ready"],
): Map<string, Uint8Array> {
  return new Map(
    paths.flatMap((path): [string, Uint8Array][] => {
      const made = ready.get(path);
      if (made !== undefined) return [[path, made.entry]];
      const fact = fingerprints.get(path);
      return fact === undefined ? [] : [[path, packedEntry(fact)]];
    }),
  );
}

type Fingerprints = ReadonlyMap<string, FileFingerprint>;

function rowOf({ path, oid }: TreeEntry, fingerprints: Fingerprints): BaselineRow {
  return { oid, contentHash: null, inGraph: fingerprints.has(path) };
}

interface Built {
  tree: readonly TreeEntry[];
  paths: readonly string[];
  fingerprints: Fingerprints;
  ready: StoredFiles["ready"];
  textFiles: [path: string, oid: string][];
  commit: string;
  now: string;
  /** What other tools have in the graph's head: it stays. */
  before: Readonly<Record<string, unknown>>;
}

/** A graph whose pieces are computed when they are asked for. */
async function virtualGraph(project: Project, built: Built): Promise<GraphFile> {
  const { tree, paths, fingerprints, ready, textFiles, commit, now: analyzedAt, before } = built;
  const cwd = project.worktree.path;
  const texts = await readProjectTexts(cwd, textFiles);
  const name = basename(project.root ?? project.commonDir);
  const context = edgeContext(fingerprints, await resolverFor(cwd, paths, configEntries(tree)));
  const head = buildHead({ name, texts, commit, analyzedAt }, paths);
  return {
    head: { ...before, ...head },
    paths,
    nodesOf: (path) => {
      const fp = fingerprints.get(path);
      return fp === undefined ? [] : nodesOfFile(path, fp);
    },
    pieceOf: (path) => {
      const fp = fingerprints.get(path);
      return fp === undefined ? NO_PIECE : { nodes: nodesOfFile(path, fp), edges: edgesOfFile(path, fp, context) };
    },
    readyPieceOf: (path) => {
      const fp = fingerprints.get(path);
      const nodes = ready.get(path)?.nodes ?? null;
      return fp === undefined || nodes === null ? null : { nodes, edges: edgesOfFile(path, fp, context) };
    },
    find: pathInId,
    isComputed: true,
  };
}

/** Keys of other tools in meta.json stay. */
function writeBuilt(
  { db, project }: LoadedContext,
  given: { commit: string; at: string; files: number; asRead: ReadonlyMap<ArtefactName, string | null> },
): void {
  const { commit, at, files, asRead } = given;
  const { scope } = project;
  const options = (name: ArtefactName) => ({ allowTracked: true, asRead: asRead.get(name) ?? null });
  const stored = StoredGraph.load(db, scope);
  if (stored !== null) writeArtefactText(db, project, GRAPH, () => stored.text(), options(GRAPH));
  const text = () => fingerprintText(db, scope, { commit, at, changes: new Map() });
  writeArtefactText(db, project, FINGERPRINTS, text, options(FINGERPRINTS));
  const meta = { lastAnalyzedAt: at, gitCommitHash: commit, version: "1.0.0", analyzedFiles: files };
  writeArtefact(db, project, META, { ...readArtefact(project, META), ...meta }, options(META));
  recordAdopted(db, project);
  writeSetting(db, SETTINGS.meta, [metaSignature(project)], scope);
}

/** Invariant "never overwrite what cannot be read". */
export function refuseDamaged(project: Project): void {
  readHeadValues(project, artefactPath(project, GRAPH));
  readFingerprintFile(project);
  for (const name of [META, CONFIG] as const) readArtefact(project, name);
}
