import type { FileFingerprint } from "../fingerprint/types.js";
import { type EdgeContext, edgesOfFile, isStructuralEdge, nodesOfFile } from "../graph/build.js";
import { edgeKey, isStructuralNode } from "../graph/ids.js";
import { layersByTopDirectory } from "../graph/layers.js";
import { type GraphPiece, NO_FILE } from "../graph/pieces.js";
import type { GraphEdge, GraphNode, Layer } from "../graph/types.js";
import { type BaselineRow, sharedRows } from "../knowledge/baseline.js";
import { differences } from "../knowledge/differences.js";
import { storedEntryHashes } from "../knowledge/fingerprint-file.js";
import { linksOf, resolverFor } from "../knowledge/links.js";
import { inGraph, isComputed } from "../knowledge/reshape.js";
import { StoredGraph } from "../knowledge/stored-graph.js";
import { limitHeapGrowth } from "../platform/heap.js";
import type { LoadedContext } from "../repository/context.js";
import { readSetting, SETTINGS } from "../store/settings.js";
import { type Commit, type Comparison, compareWithBaseline } from "./compare.js";

/**
 * Invariant "incremental equals clean": compares the store with a rebuild from the analysed blobs, file by file. The structure of
 * files of the structural analyzer is computed again from their blobs. Descriptions, tour, nodes and edges of other tools, and times are
 * not compared. Empty if all is equal.
 */
export async function differencesFromClean(context: LoadedContext, head: Commit, now: Comparison): Promise<string[]> {
  const { db, project } = context;
  const rows = sharedRows(db, project.scope);
  limitHeapGrowth(rows.size);
  const configs = readSetting(db, SETTINGS.configs, project.scope) ?? [];
  const analyzed = inGraph(rows);
  const resolver = await resolverFor(project.worktree.path, analyzed.keys(), configs);
  const links = await linksOf(context, analyzed, resolver);
  const everyFile = await linksOf(context, rows, resolver);
  const graph = StoredGraph.load(db, project.scope);
  return [
    ...(graph === null ? [] : compareGraph(graph, analyzed, links)),
    ...compareFingerprints(context, rows, everyFile),
    ...comparePending(now, await compareWithBaseline(context, head, { keep: true, afresh: true })),
  ];
}

function compareGraph(graph: StoredGraph, rows: ReadonlyMap<string, BaselineRow>, links: EdgeContext): string[] {
  const problems: string[] = [];
  let isAllComputed = true;
  for (const path of [...graph.paths(), NO_FILE]) {
    const piece = graph.piece(path);
    for (const problem of pieceProblems(graph, path, piece)) problems.push(problem);
    const fp = graph.sourceOf(path) === "structural" && rows.has(path) ? links.fingerprintOf(path) : undefined;
    if (fp === undefined || !isComputed(graph, path, fp)) {
      if (path !== NO_FILE) isAllComputed = false;
      continue;
    }
    for (const problem of comparePiece(graph, path, piece, { fp, links })) problems.push(problem);
  }
  return [...problems, ...layerProblems(graph, isAllComputed)];
}

/** The inconsistencies of one piece. */
function pieceProblems(graph: StoredGraph, path: string, { nodes, edges }: GraphPiece): string[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const keys = new Set(edges.map(edgeKey));
  const lost = edges.flatMap(({ source, target }) =>
    [source, target].filter((id) => !ids.has(id) && graph.pathOf(id) === undefined),
  );
  return [
    ...(ids.size === nodes.length ? [] : [`a node of ${path} is there twice`]),
    ...(keys.size === edges.length ? [] : [`an edge of ${path} is there twice`]),
    ...lost.map((id) => `an edge of ${path} ends at ${id}, which is no node`),
  ];
}

const nodeFact = ({ id, type, filePath, lineRange }: GraphNode) => JSON.stringify([id, type, filePath, lineRange]);
const edgeFact = ({ source, target, type }: GraphEdge) => JSON.stringify([source, type, target]);

function comparePiece(
  graph: StoredGraph,
  path: string,
  { nodes, edges }: GraphPiece,
  { fp, links }: { fp: FileFingerprint; links: EdgeContext },
): string[] {
  const own = nodes.filter(isStructuralNode);
  // Another tool may have left out the target of a computed edge.
  const clean = edgesOfFile(path, fp, links).filter(({ target }) => graph.pathOf(target) !== undefined);
  return [
    ...differences("node", own.map(nodeFact), nodesOfFile(path, fp).map(nodeFact)),
    ...differences("edge", edges.filter(isStructuralEdge).map(edgeFact), clean.map(edgeFact)),
  ];
}

function layerProblems(graph: StoredGraph, isAllComputed: boolean): string[] {
  const { layers } = graph.head;
  const members = (list: readonly Layer[]) =>
    list.flatMap(({ id, nodeIds }) => nodeIds.map((member) => JSON.stringify([id, member])));
  if (isAllComputed) return differences("layer entry", members(layers), members(layersByTopDirectory(graph.paths())));
  const ids = layers.flatMap(({ nodeIds }) => nodeIds);
  const lost = ids.filter((id) => graph.pathOf(id) === undefined).map((id) => `a layer names ${id}, which is no node`);
  return new Set(ids).size === ids.length ? lost : [...lost, "a node is in two layers"];
}

function compareFingerprints(
  { db, project }: LoadedContext,
  rows: ReadonlyMap<string, BaselineRow>,
  links: EdgeContext,
): string[] {
  const entry = (path: string, hash: string | undefined, oid: string | undefined) => JSON.stringify([path, hash, oid]);
  const store = storedEntryHashes(db, project.scope);
  if (store.size === 0) return [];
  const isOurs = (path: string) => store.get(path)?.blobOid !== undefined;
  const areAllOurs = [...store.keys()].every(isOurs);
  const there = (path: string) => {
    const stored = isOurs(path) ? store.get(path) : undefined;
    return stored === undefined ? [] : [entry(path, stored.contentHash, stored.blobOid)];
  };
  const wanted = (path: string) => {
    const [fp, oid] = [links.fingerprintOf(path), rows.get(path)?.oid ?? null];
    // If another tool wrote the entries of files, only it knows which ones it has.
    return fp === undefined || oid === null || !(areAllOurs || isOurs(path)) ? [] : [entry(path, fp.contentHash, oid)];
  };
  const paths = new Set([...store.keys(), ...rows.keys()]);
  return [...paths].flatMap((path) => differences("fingerprint", there(path), wanted(path)));
}

function comparePending(now: Comparison, clean: Comparison): string[] {
  const set = ({ action, filesToReanalyze, deletedFiles, renamedFiles, restores, moves }: Comparison) => [
    ...[...filesToReanalyze, ...deletedFiles].map((path) => JSON.stringify([action, path])),
    ...renamedFiles.map(({ from, to }) => JSON.stringify([action, from, to])),
    ...[...restores, ...moves].map((one) => JSON.stringify(one)),
  ];
  return differences("pending entry", set(now), set(clean));
}
