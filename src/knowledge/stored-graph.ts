import type { FileAnalysis } from "../graph/analyses.js";
import { CompactCache } from "../graph/compact-cache.js";
import { fileId } from "../graph/ids.js";
import { type LayerShell, tidyGroups } from "../graph/merge.js";
import {
  canonicalHead,
  canonicalPiece,
  elementsText,
  type GraphPiece,
  NO_FILE,
  NO_PIECE,
  parseElements,
} from "../graph/pieces.js";
import { renderGraph } from "../graph/render.js";
import type { GraphHead, GraphNode } from "../graph/types.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import type { AnalysisSource } from "./known.js";
import { dropLinks, type PieceOwner, pathInId, writeLinks } from "./links-table.js";
import { pack, packedTexts, unpack, unpacked } from "./packed.js";

interface PieceRow {
  source: AnalysisSource;
  nodes: Uint8Array;
  edges: Uint8Array;
}

/** The nodes of one file, for a reader that needs nothing else of the graph. */
export function storedNodes(db: Db, scope: string, path: string): GraphNode[] {
  const sql = "SELECT nodes FROM pieces WHERE scope = ? AND path = ?";
  const row = db.get<{ nodes: Uint8Array }>(sql, scope, pathKey(path));
  return row === undefined ? [] : parseElements(unpack(row.nodes));
}

/**
 * The graph of a scope, of which only the pieces are read that a change can touch (invariant "cost by the change"). Changes are collected, can
 * be rendered, and are stored by `save`.
 */
export class StoredGraph {
  readonly #db: Db;
  readonly scope: string;
  readonly #version: number;
  #head: GraphHead;
  #isHeadChanged = false;
  readonly #changed = new Map<string, PieceRow | null>();
  readonly #ids = new CompactCache<ReadonlySet<string>>({
    toList: (ids) => [...ids],
    fromList: (list) => new Set(list as string[]),
  });
  /** The file of each new node whose id does not name it. */
  readonly #elsewhere = new Map<string, string>();
  #layers: ReadonlyMap<string, LayerShell> | null = null;

  private constructor(db: Db, scope: string, { head, version }: { head: GraphHead; version: number }) {
    this.#db = db;
    this.scope = scope;
    this.#head = head;
    this.#version = version;
  }

  /** null if no graph was adopted yet. */
  static load(db: Db, scope: string): StoredGraph | null {
    const row = db.get<{ data: Uint8Array; version: number }>("SELECT data, version FROM heads WHERE scope = ?", scope);
    if (row === undefined) return null;
    return new StoredGraph(db, scope, { head: JSON.parse(unpack(row.data)) as GraphHead, version: row.version });
  }

  get version(): number {
    return this.#version;
  }

  get head(): GraphHead {
    return this.#head;
  }

  setHead(head: GraphHead): void {
    if (headText(head) === headText(this.#head)) return;
    this.#head = head;
    this.#isHeadChanged = true;
    this.#layers = null;
  }

  get isChanged(): boolean {
    return this.#isHeadChanged || this.#changed.size > 0;
  }

  changedPaths(): string[] {
    return [...this.#changed.keys()];
  }

  /** Every file with nodes. */
  paths(): string[] {
    const sql = "SELECT path FROM pieces WHERE scope = ? AND path != '' ORDER BY path";
    const stored = this.#db.all<{ path: string }>(sql, this.scope).map(({ path }) => keyPath(path));
    if (this.#changed.size === 0) return stored;
    const there = new Set(stored);
    for (const [path, piece] of this.#changed) {
      if (piece === null) there.delete(path);
      else if (path !== NO_FILE) there.add(path);
    }
    return [...there];
  }

  has(path: string): boolean {
    const changed = this.#changed.get(path);
    if (changed !== undefined) return changed !== null;
    return (
      this.#db.get("SELECT 1 AS one FROM pieces WHERE scope = ? AND path = ?", this.scope, pathKey(path)) !== undefined
    );
  }

  sourceOf(path: string): AnalysisSource | null {
    return this.#row(path)?.source ?? null;
  }

  piece(path: string): GraphPiece {
    return pieceOf(this.#row(path)) ?? NO_PIECE;
  }

  /** As it was before the changes of this object. */
  pieceBefore(path: string): GraphPiece | null {
    return pieceOf(this.#storedRow(path));
  }

  #row(path: string): PieceRow | null {
    const changed = this.#changed.get(path);
    return changed === undefined ? this.#storedRow(path) : changed;
  }

  #storedRow(path: string): PieceRow | null {
    const sql = "SELECT source, nodes, edges FROM pieces WHERE scope = ? AND path = ?";
    return this.#db.get<PieceRow>(sql, this.scope, pathKey(path)) ?? null;
  }

  /** The piece as an analysis, with the layer of the file and the files that have edges to it. */
  analysisOf(path: string): FileAnalysis | null {
    if (!this.has(path)) return null;
    const { nodes, edges } = this.piece(path);
    const layer = this.layerOf(path);
    return {
      ...{ nodes, edges, ...(layer === undefined ? {} : { layer }) },
      inboundFrom: this.linkingTo(path).filter((source) => source !== NO_FILE),
    };
  }

  layerOf(path: string): LayerShell | undefined {
    this.#layers ??= layersByMember(this.#head);
    return this.#layers.get(fileId(path));
  }

  /** The files with edges to this one, as stored. */
  linkingTo(path: string): string[] {
    const sql = "SELECT source FROM links WHERE scope = ? AND target = ? ORDER BY source";
    return this.#db.all<{ source: string }>(sql, this.scope, pathKey(path)).map(({ source }) => keyPath(source));
  }

  /** The file of a node, "" where it has none; undefined if there is no such node. */
  pathOf(id: string): string | undefined {
    const derived = pathInId(id);
    if (derived !== undefined && this.idsIn(derived).has(id)) return derived;
    const sql = "SELECT path FROM node_paths WHERE scope = ? AND id = ?";
    const row = this.#db.get<{ path: string }>(sql, this.scope, id);
    const listed = [this.#elsewhere.get(id), row === undefined ? undefined : keyPath(row.path)];
    return listed.find((path) => path !== undefined && this.idsIn(path).has(id));
  }

  /** The nodes of a piece. */
  idsIn(path: string): ReadonlySet<string> {
    return this.#ids.get(path, () => new Set(this.piece(path).nodes.map(({ id }) => id)));
  }

  /** Ids that start like this, in the order of paths. */
  idsLike(start: string, most: number): string[] {
    const found: string[] = [];
    const prefix = start.slice(start.indexOf(":") + 1);
    for (const path of [...this.paths(), NO_FILE]) {
      if (start.includes(":") && path !== NO_FILE && !path.startsWith(prefix) && !prefix.startsWith(path)) continue;
      for (const id of this.idsIn(path)) if (id.startsWith(start)) found.push(id);
      if (found.length >= most) break;
    }
    return found.slice(0, most);
  }

  put(path: string, piece: GraphPiece | null, source: AnalysisSource): void {
    this.#ids.delete(path);
    if (piece === null || (piece.nodes.length === 0 && piece.edges.length === 0)) {
      if (this.#storedRow(path) === null) this.#changed.delete(path);
      else this.#changed.set(path, null);
      return;
    }
    const canonical = canonicalPiece(piece);
    for (const { id } of canonical.nodes) if (pathInId(id) !== path) this.#elsewhere.set(id, path);
    const [nodes, edges] = [elementsText(canonical.nodes), elementsText(canonical.edges)];
    const stored = this.#storedRow(path);
    const isSame = stored !== null && unpack(stored.nodes) === nodes && unpack(stored.edges) === edges;
    if (isSame && stored.source === source) this.#changed.delete(path);
    else this.#changed.set(path, { source, nodes: pack(nodes), edges: pack(edges) });
  }

  setSource(path: string, source: AnalysisSource): void {
    if (this.has(path) && this.sourceOf(path) !== source) this.put(path, this.piece(path), source);
  }

  /** By their text: of a file with thousands of dependents, only those are read that name one of these nodes. */
  withEdgesTo(path: string, ids: readonly string[]): string[] {
    const needles = ids.map((id) => JSON.stringify(id));
    const owners = new Set([...this.linkingTo(path), ...this.#changed.keys()]);
    return [...owners].filter((owner) => {
      if (owner === path) return false;
      const row = this.#row(owner);
      const text = row === null ? "" : unpack(row.edges);
      return needles.some((needle) => text.includes(needle));
    });
  }

  /** The whole file, as a stream. */
  text(): Iterable<Buffer> {
    const head = tidyGroups(this.#head, (id) => this.pathOf(id) !== undefined);
    return renderGraph(canonicalHead(head), (list) => unpacked(this.#texts(list)));
  }

  /** The piece without a file is the last one. */
  *#texts(list: "nodes" | "edges"): Generator<Uint8Array> {
    const changes = new Map([...this.#changed].map(([path, piece]) => [path, piece?.[list] ?? null]));
    yield* packedTexts(this.#db, this.scope, `pieces.${list}`, changes);
    const last = this.#row(NO_FILE);
    if (last !== null) yield last[list];
  }

  /** One after the other: a name that every file uses can change all of them. */
  *#newOwners(): Generator<PieceOwner> {
    for (const [path, row] of this.#changed) if (row !== null) yield { path, piece: pieceOf(row) ?? NO_PIECE };
  }

  /** Stores the changes. To be called in a transaction. */
  save(): void {
    if (!this.isChanged) return;
    const put = "INSERT OR REPLACE INTO pieces(scope, path, source, nodes, edges) VALUES(?, ?, ?, ?, ?)";
    for (const [path, piece] of this.#changed) {
      if (piece === null) this.#db.run("DELETE FROM pieces WHERE scope = ? AND path = ?", this.scope, pathKey(path));
      else this.#db.run(put, this.scope, pathKey(path), piece.source, piece.nodes, piece.edges);
    }
    dropLinks(this.#db, this.scope, this.#changed.keys());
    writeLinks(this.#db, this.scope, { [Symbol.iterator]: () => this.#newOwners() }, (id) => this.pathOf(id));
    const head = pack(headText(this.#head));
    const version = versionOf(this.#db, this.scope) + 1;
    this.#db.run("INSERT OR REPLACE INTO heads(scope, version, data) VALUES(?, ?, ?)", this.scope, version, head);
  }
}

function pieceOf(row: PieceRow | null): GraphPiece | null {
  return row === null ? null : { nodes: parseElements(unpack(row.nodes)), edges: parseElements(unpack(row.edges)) };
}

export function versionOf(db: Db, scope: string): number {
  return db.get<{ version: number }>("SELECT version FROM heads WHERE scope = ?", scope)?.version ?? 0;
}

export function headText(head: GraphHead): string {
  return JSON.stringify(canonicalHead(head));
}

function layersByMember({ layers }: GraphHead): Map<string, LayerShell> {
  const byMember = new Map<string, LayerShell>();
  for (const { nodeIds, ...shell } of layers) {
    for (const id of nodeIds) if (!byMember.has(id)) byMember.set(id, shell as LayerShell);
  }
  return byMember;
}

const readGraphs = new WeakMap<Db, Map<string, StoredGraph>>();

/** For readers, who ask for one piece after the other: its head is parsed once. */
export function storedGraph(db: Db, scope: string): StoredGraph | null {
  const known = readGraphs.get(db) ?? new Map<string, StoredGraph>();
  readGraphs.set(db, known);
  const read = known.get(scope);
  if (read !== undefined && read.version === versionOf(db, scope)) return read;
  const graph = StoredGraph.load(db, scope);
  if (graph === null) known.delete(scope);
  else known.set(scope, graph);
  return graph;
}
