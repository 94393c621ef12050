import type { FileFingerprint } from "../fingerprint/types.js";
import { type EdgeContext, edgesOfFile, isStructuralEdge, nodesOfFile } from "../graph/build.js";
import { layersByTopDirectory } from "../graph/layers.js";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "../graph/types.js";
import { checkGraph } from "../graph/validate.js";
import { loadGraph } from "../knowledge/adopt.js";
import { readFingerprintStore } from "../knowledge/artefacts.js";
import { type BaselineRow, sharedRows } from "../knowledge/baseline.js";
import { differences } from "../knowledge/differences.js";
import { type Known, knownAnalysis } from "../knowledge/known.js";
import { linksOf, resolverFor } from "../knowledge/links.js";
import { inGraph } from "../knowledge/reshape.js";
import type { LoadedContext } from "../repository/context.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import { type Commit, type Comparison, compareWithBaseline } from "./compare.js";

/**
 * Invariant "incremental equals clean": compares the stores with a rebuild from the analysed blobs. The structure of
 * files of the structural analyzer is computed again from their blobs, that of others comes from what was delivered for
 * that blob. Descriptions, tour, nodes and edges of other tools, and times are not compared. Empty if all is equal.
 */
export async function differencesFromClean(context: LoadedContext, head: Commit, now: Comparison): Promise<string[]> {
  const { db, project } = context;
  const rows = sharedRows(db, project.scope);
  const configs = readSetting(db, SETTINGS.configs, project.scope) ?? [];
  const cwd = project.worktree.path;
  const analyzed = inGraph(rows);
  const resolver = await resolverFor(cwd, analyzed.keys(), configs);
  const links = await linksOf(context, analyzed, resolver);
  const everyFile = await linksOf(context, rows, resolver);
  const graph = loadGraph(project);
  return [
    ...checkGraph(graph),
    ...compareFacts(graph, cleanFiles(context, analyzed, links)),
    ...compareFingerprints(context, rows, everyFile),
    ...comparePending(now, await compareWithBaseline(context, head, { keep: true, afresh: true })),
  ];
}

interface CleanFile {
  path: string;
  nodes: GraphNode[];
  /** null if they were delivered and cannot be computed. */
  edges: GraphEdge[] | null;
}

function cleanFiles({ db }: LoadedContext, rows: ReadonlyMap<string, BaselineRow>, links: EdgeContext): CleanFile[] {
  return [...rows].flatMap(([path, { oid }]): CleanFile[] => {
    const known = oid === null ? null : knownAnalysis(db, path, oid);
    const fp = links.fingerprintOf(path);
    if (known === null) return [];
    if (!isAnalyzed(known, fp)) return [{ path, nodes: known.analysis.nodes, edges: null }];
    return [{ path, nodes: nodesOfFile(path, fp), edges: edgesOfFile(path, fp, links) }];
  });
}

function isAnalyzed(known: Known, fp: FileFingerprint | undefined): fp is FileFingerprint {
  return known.source === "structural" && known.analysis.nodes.length > 0 && fp?.hasStructuralAnalysis === true;
}

const nodeFact = ({ id, type, filePath, lineRange }: GraphNode) => JSON.stringify([id, type, filePath, lineRange]);
const edgeFact = ({ source, target, type }: GraphEdge) => JSON.stringify([source, type, target]);
const isStructuralNode = ({ type }: GraphNode) => type === "file" || type === "function" || type === "class";

function compareFacts(graph: KnowledgeGraph, files: readonly CleanFile[]): string[] {
  const analyzed = new Set(files.map(({ path }) => path));
  const analyzedEdges = new Set(files.filter(({ edges }) => edges !== null).map(({ path }) => path));
  const pathOf = new Map(graph.nodes.map(({ id, filePath }) => [id, filePath]));
  const ownsEdge = ({ source }: GraphEdge) => analyzedEdges.has(pathOf.get(source) ?? "");
  const nodes = graph.nodes.filter((node) => isStructuralNode(node) && analyzed.has(node.filePath ?? ""));
  const edges = graph.edges.filter((edge) => isStructuralEdge(edge) && ownsEdge(edge));
  const cleanNodes = files.flatMap((file) => file.nodes.filter(isStructuralNode));
  // An agent may have left out the target of a computed edge.
  const cleanEdges = files.flatMap((file) => file.edges ?? []).filter(({ target }) => pathOf.has(target));
  const problems = [
    ...differences("node", nodes.map(nodeFact), cleanNodes.map(nodeFact)),
    ...differences("edge", edges.map(edgeFact), cleanEdges.map(edgeFact)),
  ];
  if (files.some(({ edges: own }) => own === null)) return problems;
  const members = (layers: KnowledgeGraph["layers"]) =>
    layers.flatMap(({ id, nodeIds }) => nodeIds.map((member) => JSON.stringify([id, member])));
  const clean = layersByTopDirectory(files.map(({ path }) => path));
  return [...problems, ...differences("layer entry", members(graph.layers), members(clean))];
}

function compareFingerprints(
  { project }: LoadedContext,
  rows: ReadonlyMap<string, BaselineRow>,
  links: EdgeContext,
): string[] {
  const entry = (path: string, hash: string | undefined, oid: string | undefined) => JSON.stringify([path, hash, oid]);
  const store = readFingerprintStore(project)?.files;
  if (store === undefined) return [];
  const ours = [...store].filter(([, { blobOid }]) => blobOid !== undefined);
  const wanted = [...rows].flatMap(([path, { oid }]) => {
    const fp = links.fingerprintOf(path);
    // If another tool wrote the entries of files, only it knows which ones it has.
    const isTheirs = store.get(path)?.blobOid === undefined && ours.length < store.size;
    return fp === undefined || oid === null || isTheirs ? [] : [entry(path, fp.contentHash, oid)];
  });
  const there = ours.map(([path, { contentHash, blobOid }]) => entry(path, contentHash, blobOid));
  return differences("fingerprint", there, wanted);
}

function comparePending(now: Comparison, clean: Comparison): string[] {
  const set = ({ action, filesToReanalyze, deletedFiles, renamedFiles, restores, moves }: Comparison) => [
    ...[...filesToReanalyze, ...deletedFiles].map((path) => JSON.stringify([action, path])),
    ...renamedFiles.map(({ from, to }) => JSON.stringify([action, from, to])),
    ...[...restores, ...moves].map((one) => JSON.stringify(one)),
  ];
  return differences("pending entry", set(now), set(clean));
}
