import type { FileFingerprint } from "../fingerprint/types.js";
import type { FileAnalysis } from "../graph/analyses.js";
import { isStructuralEdge } from "../graph/build.js";
import { hasDescription, isOwnSummary } from "../graph/descriptions.js";
import { edgeKey } from "../graph/ids.js";
import { byText } from "../graph/order.js";
import { type GraphPiece, NO_FILE } from "../graph/pieces.js";
import type { GraphEdge, GraphHead, GraphNode } from "../graph/types.js";
import type { LoadedContext } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import { type BaselineRow, digestOf, sharedRows } from "./baseline.js";
import { putDescription } from "./descriptions.js";
import { Facts, factKey, storedFacts, type WantedFact } from "./facts.js";
import { type ChoiceContext, choiceContext, FileDescriptions, type TextOrigin } from "./file-descriptions.js";
import type { GraphFile } from "./graph-file.js";
import { type AnalysisSource, type Known, knownAnalysis, putAnalysis, storedAnalysis } from "./known.js";
import { latestTimes } from "./states.js";
import { type StoredGraph, storedGraph } from "./stored-graph.js";
import { type SourcedPiece, writeWholeGraph } from "./write-pieces.js";
import { settleParts } from "./written-parts.js";

export interface GraphArrival {
  graph: GraphFile;
  rows: ReadonlyMap<string, BaselineRow>;
  origin: TextOrigin;
  /** Whether the origin's commit has a path with this content; else it was analysed later, at a commit that the graph does not name. */
  isCommitted?(path: string, oid: string): boolean;
  isTracked: boolean;
  at: string;
  /** The files that say where imports lead, with their blobs. */
  configs: [path: string, oid: string][];
}

/** Fingerprints are read for so many files at a time. */
const BATCH = 500;

/**
 * A graph that something else wrote or brought: the written descriptions in it are stored, and for every file that text is chosen
 * that stands for its content, whatever the graph says (invariant "nothing written is lost"). The returned function
 * stores the graph, in a transaction, and says whether it has to show a file in another way than it came.
 */
export async function takeIn(context: LoadedContext, arrival: GraphArrival): Promise<() => boolean> {
  const { db, project, config } = context;
  const { graph, rows, origin } = arrival;
  const described = new Set(
    db.all<{ path: string }>("SELECT DISTINCT path FROM descriptions").map(({ path }) => keyPath(path)),
  );
  const isWritten = (path: string) =>
    described.has(path) || (graph.isComputed !== true && graph.nodesOf(path).some(hasDescription));
  const written = new Set<string>();
  let batch: WantedFact[] = [];
  const around = choiceContext(db, project.scope, {
    trackedCounts: arrival.isTracked,
    oidOf: (path) => rows.get(path)?.oid ?? null,
  });
  const facts = new Facts(storedFacts(db, { keep: true }), project.worktree.path, config);
  const store = async () => {
    const found = await facts.of(batch);
    db.write(() => {
      for (const file of batch) {
        const fact = found.get(factKey(file));
        const isCommitted = arrival.isCommitted?.(file.path, file.oid) ?? true;
        const from = isCommitted ? origin : { ...origin, commit: null };
        new FileDescriptions(around, { ...file, fact }).adopt(graph.nodesOf(file.path), from);
      }
    });
    batch = [];
  };
  for (const [path, { oid }] of rows) {
    if (oid === null || !isWritten(path)) continue;
    written.add(path);
    batch.push({ path, oid });
    if (batch.length >= BATCH) await store();
  }
  await store();
  return () => new ArrivedPieces(db, project.scope, arrival, { written, around, facts }).write();
}

/** What was read for it: the files with written descriptions, here or in the store. */
interface TextReading {
  written: ReadonlySet<string>;
  around: ChoiceContext;
  facts: Facts;
}

class ArrivedPieces {
  readonly #db: Db;
  readonly #scope: string;
  readonly #arrival: GraphArrival;
  readonly #reading: TextReading;
  readonly #before: ReadonlyMap<string, BaselineRow>;
  readonly #hasAnalyses: boolean;
  readonly #current: StoredGraph | null;
  /** The nodes without a file that the graph is to have. */
  readonly #loose = new Map<string, GraphNode>();
  #isOther = false;

  constructor(db: Db, scope: string, arrival: GraphArrival, reading: TextReading) {
    this.#db = db;
    this.#scope = scope;
    this.#arrival = arrival;
    this.#reading = reading;
    this.#before = sharedRows(db, scope);
    this.#hasAnalyses = db.get("SELECT 1 AS one FROM analyses LIMIT 1") !== undefined;
    this.#current = storedGraph(db, scope);
  }

  write(): boolean {
    const { graph, origin, isTracked } = this.#arrival;
    this.#keepLeaving();
    const arriving = {
      ...{ head: graph.head, nodes: graph.nodesOf(NO_FILE), exists: (id: string) => this.#exists(id) },
      ...{ origin: graph.isComputed === true ? null : origin, trackedCounts: isTracked },
    };
    const { head: settled, nodes } = settleParts(this.#db, this.#scope, arriving, this.#current);
    const head = this.#withTimes(settled);
    for (const node of nodes) this.#loose.set(node.id, node);
    this.#isOther = JSON.stringify(head) !== JSON.stringify(graph.head) || !isSameSet(nodes, arriving.nodes);
    writeWholeGraph(this.#db, this.#scope, { head, pieces: this.#pieces(), find: (id) => this.#find(id) });
    return this.#isOther;
  }

  #withTimes(head: GraphHead): GraphHead {
    const { rows, configs } = this.#arrival;
    const { gitCommitHash, analyzedAt } = head.project;
    const digest = digestOf(rows, JSON.stringify(configs));
    const times = latestTimes(this.#db, this.#scope, digest, { gitCommitHash, analyzedAt });
    return times.analyzedAt === analyzedAt ? head : { ...head, project: { ...head.project, ...times } };
  }

  #find(id: string): string | undefined {
    if (this.#loose.has(id)) return NO_FILE;
    const path = this.#arrival.graph.find(id);
    return path === NO_FILE ? undefined : path;
  }

  /** A graph that is computed knows the path in every id, whether there is such a node or not. */
  #exists(id: string): boolean {
    const { graph } = this.#arrival;
    const path = this.#find(id);
    if (graph.isComputed !== true || path === undefined || path === NO_FILE) return path !== undefined;
    return graph.nodesOf(path).some((node) => node.id === id);
  }

  /** With the nodes that have no file; edges of one that came back are from the graph before. */
  #looseEdges(path: string, { nodes, edges }: GraphPiece): GraphPiece {
    const isBack = (id: string) => this.#loose.has(id) && this.#arrival.graph.find(id) === undefined;
    const isThere = ({ source, target }: GraphEdge) => this.#exists(source) && this.#exists(target);
    const there = new Set(edges.map(edgeKey));
    const before = this.#current?.piece(path).edges ?? [];
    const back = before.filter((edge) => (isBack(edge.source) || isBack(edge.target)) && !there.has(edgeKey(edge)));
    return {
      nodes: path === NO_FILE ? [...this.#loose.values()] : nodes,
      edges: [...edges, ...back].filter(path === NO_FILE || back.length > 0 ? isThere : () => true),
    };
  }

  *#pieces(): Generator<SourcedPiece> {
    const { graph, rows } = this.#arrival;
    const paths = new Set([...graph.paths, ...this.#reading.written, NO_FILE]);
    const hasReturned = [...this.#loose.keys()].some((id) => graph.find(id) === undefined);
    for (const path of paths) {
      const oid = path === NO_FILE ? null : (rows.get(path)?.oid ?? null);
      if (oid !== null && this.#reading.written.has(path)) {
        const described = this.#described({ path, oid }, graph.pieceOf(path));
        yield hasReturned ? { ...described, piece: this.#looseEdges(path, described.piece) } : described;
        continue;
      }
      if (path === NO_FILE || hasReturned) {
        const piece = this.#looseEdges(path, graph.pieceOf(path));
        yield { path, piece, source: oid === null ? "found" : this.#sourceOf(path, oid) };
        continue;
      }
      const piece = graph.readyPieceOf?.(path) ?? graph.pieceOf(path);
      yield { path, piece, source: oid === null ? "found" : this.#sourceOf(path, oid) };
    }
  }

  /** Text that was not written by anyone leaves an analysis as it is. */
  #sourceOf(path: string, oid: string): AnalysisSource {
    const stored = this.#hasAnalyses ? storedAnalysis(this.#db, path, oid) : null;
    if (stored !== null) return stored.source;
    const isSame = this.#before.get(path)?.oid === oid;
    return (isSame ? storedGraph(this.#db, this.#scope)?.sourceOf(path) : null) ?? "structural";
  }

  #described({ path, oid }: WantedFact, slice: GraphPiece): SourcedPiece & { piece: GraphPiece } {
    const { around, facts } = this.#reading;
    const fact: FileFingerprint | undefined = facts.known({ path, oid }) ?? undefined;
    const stored = knownAnalysis(this.#db, path, oid);
    const store = new FileDescriptions(around, { path, oid, fact });
    const known = merged(slice, stored, store);
    for (const text of store.followed()) putDescription(this.#db, text, "own");
    const own = new Set(known.analysis.nodes.map(({ id }) => id));
    const exists = (id: string) => own.has(id) || this.#find(id) !== undefined;
    const piece = {
      nodes: known.analysis.nodes,
      edges: known.analysis.edges.filter(({ source, target }) => exists(source) && exists(target)),
    };
    if (storedAnalysis(this.#db, path, oid) !== null) putAnalysis(this.#db, path, oid, known, this.#arrival.at);
    if (JSON.stringify(piece) !== JSON.stringify(slice)) this.#isOther = true;
    return { path, piece, source: known.source };
  }

  /** What the graph before had of contents that this one does not describe. */
  #keepLeaving(): void {
    const graph = storedGraph(this.#db, this.#scope);
    for (const [path, { oid }] of this.#before) {
      if (oid === null || this.#arrival.rows.get(path)?.oid === oid) continue;
      const analysis = storedAnalysis(this.#db, path, oid) === null ? (graph?.analysisOf(path) ?? null) : null;
      if (analysis === null) continue;
      putAnalysis(this.#db, path, oid, { analysis, source: graph?.sourceOf(path) ?? "found" }, this.#arrival.at);
    }
  }
}

function isSameSet(a: readonly GraphNode[], b: readonly GraphNode[]): boolean {
  const texts = (nodes: readonly GraphNode[]) => JSON.stringify([...nodes].sort((one, two) => byText(one.id, two.id)));
  return texts(a) === texts(b);
}

/** What the graph has of a file, and what was stored for the same content and is not there. */
function merged(slice: GraphPiece, stored: Known | null, store: FileDescriptions): Known {
  const before = stored?.analysis;
  const here = new Set(slice.nodes.map(({ id }) => id));
  const missing = (before?.nodes ?? []).filter((node) => !here.has(node.id) && hasDescription(node));
  const nodes = store.describe([...slice.nodes, ...missing]);
  const there = new Set(slice.edges.map(edgeKey));
  const isBack = new Set(missing.map(({ id }) => id));
  const edges = (before?.edges ?? []).filter(
    (edge) =>
      !there.has(edgeKey(edge)) && (!isStructuralEdge(edge) || isBack.has(edge.source) || isBack.has(edge.target)),
  );
  const source = nodes.every(isOwnSummary)
    ? "structural"
    : stored === null || stored.source === "structural"
      ? "found"
      : stored.source;
  const { layer, inboundFrom = [] }: Partial<FileAnalysis> = before ?? {};
  return {
    analysis: {
      ...{ nodes, edges: [...slice.edges, ...edges] },
      ...(layer === undefined ? {} : { layer }),
      inboundFrom,
    },
    source,
  };
}
