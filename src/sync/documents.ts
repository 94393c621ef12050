import type { Hash } from "node:crypto";
import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { hashOf } from "../fingerprint/hash.js";
import { buildHead } from "../graph/build.js";
import { repairLayers } from "../graph/layers.js";
import { tidyGroups } from "../graph/merge.js";
import { byText } from "../graph/order.js";
import { canonicalHead, elementsText, type GraphPiece } from "../graph/pieces.js";
import { renderFingerprints, renderGraph } from "../graph/render.js";
import type { GraphHead, GraphNode, Layer, TourStep } from "../graph/types.js";
import {
  ArtefactChanged,
  type ArtefactName,
  FINGERPRINTS,
  GRAPH,
  homeOf,
  META,
  readArtefact,
  readArtefactChunks,
} from "../knowledge/artefacts.js";
import { type GraphState, noteShown, readState } from "../knowledge/graph-pieces.js";
import { packedTexts, unpacked } from "../knowledge/packed.js";
import { readProjectTexts } from "../knowledge/project-texts.js";
import { readSlice, slicesLike } from "../knowledge/slices.js";
import type { Counting } from "../knowledge/statements.js";
import type { LoadedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { isText, listOf, parseJson } from "../store/check.js";
import { faultPoint } from "../store/fault.js";
import {
  type FileStamp,
  isAsStamped,
  makeFolder,
  stagingDir,
  stampOf,
  toJson,
  writeFileAtomic,
} from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import { mayWrite } from "./may-write.js";

export const WRITTEN = [GRAPH, FINGERPRINTS, META] as const;
export type WrittenDocument = (typeof WRITTEN)[number];

/** A document whose bytes are not ours. */
export interface FoundDocument {
  name: WrittenDocument;
  path: string;
}

interface DocumentRow {
  announced: string;
  stamp: string | null;
  content: string | null;
}

/** So many announced hashes are ours: a write of ours that comes late is never taken for another tool's. */
const MOST_ANNOUNCED = 8;

/** The documents, as a pass of the loop found them. */
export class Documents {
  readonly #db: Db;
  readonly #project: Project;
  readonly #stamps = new Map<WrittenDocument, FileStamp>();
  readonly found: FoundDocument[] = [];
  /** The files that this pass wrote. */
  readonly written = new Map<string, FileStamp>();

  constructor(db: Db, project: Project) {
    this.#db = db;
    this.#project = project;
  }

  /** Bytes are hashed only where a stamp differs. */
  static observe(db: Db, project: Project): Documents {
    const documents = new Documents(db, project);
    for (const name of WRITTEN) {
      const path = documents.pathOf(name);
      const stamp = stampOf(path, { own: true });
      documents.#stamps.set(name, stamp);
      const row = documents.row(name);
      if (stamp === null || (row !== undefined && row.stamp !== null && isAsStamped(path, row.stamp))) continue;
      const hash = documents.#hashOf(path);
      if (row !== undefined && announcedIn(row).includes(hash)) documents.#save(name, { stamp });
      else documents.found.push({ name, path });
    }
    return documents;
  }

  pathOf(name: ArtefactName): string {
    return join(this.#project.dataDir, name);
  }

  /** When it was written; null for one that is not there. */
  timeOf(name: WrittenDocument): number | null {
    return statSync(this.pathOf(name), { throwIfNoEntry: false })?.mtimeMs ?? null;
  }

  isThere(name: WrittenDocument): boolean {
    return this.#stamps.get(name) !== null;
  }

  row(name: WrittenDocument): DocumentRow | undefined {
    const sql = "SELECT announced, stamp, content FROM documents WHERE scope = ? AND name = ?";
    return this.#db.get<DocumentRow>(sql, this.#project.scope, name);
  }

  /** What is there is taken in, and is known from now on. */
  accept(name: WrittenDocument): void {
    const path = this.pathOf(name);
    this.#stamps.set(name, stampOf(path, { own: true }));
    const hash = this.#hashOf(path);
    this.#save(name, { stamp: this.#stamps.get(name) ?? null, announce: hash, content: "" });
  }

  /** Whether the file has what is to be in it: made from the same content, and still the one that we wrote. */
  isCurrent(name: WrittenDocument, content: string): boolean {
    return this.isThere(name) && this.row(name)?.content === content;
  }

  /** What the file should be made from, where it may not be written; null: it is written now. */
  want(name: WrittenDocument, content: string | null): void {
    this.#db.run("UPDATE documents SET wanted = ? WHERE scope = ? AND name = ?", content, this.#project.scope, name);
  }

  /**
   * The file is replaced only if it is still the one that this pass observed. Its hash is announced before it appears, so that after a kill
   * it is known as ours.
   */
  write(name: WrittenDocument, content: string, parts: () => Iterable<Buffer>, assertHeld: () => void): void {
    const path = this.pathOf(name);
    const project = this.#project;
    const started = performance.now();
    let hash = newHash();
    const text = () => {
      hash = newHash();
      return hashing(parts(), hash);
    };
    makeFolder(project.dataDir, homeOf(project, project.dataDir), 0o777);
    assertHeld();
    faultPoint(`${name}.write`);
    writeFileAtomic(path, text, 0o644, stagingDir(project.stateDir), () => {
      assertHeld();
      const stamp = this.#stamps.get(name) ?? null;
      if (!isAsStamped(path, stamp)) throw new ArtefactChanged(path);
      this.#save(name, { stamp, announce: hash.digest("hex") });
      faultPoint("documents.announced");
    });
    const stamp = stampOf(path, { own: true });
    this.#stamps.set(name, stamp);
    this.written.set(path, stamp);
    this.#db.write(() => {
      this.#save(name, { stamp, content, took: Math.round(performance.now() - started) });
      if (name === GRAPH) noteShown(this.#db, project.scope);
    });
  }

  #save(
    name: WrittenDocument,
    { stamp, announce, content, took }: { stamp: FileStamp; announce?: string; content?: string; took?: number },
  ): void {
    const row = this.row(name);
    const before = row === undefined ? [] : announcedIn(row);
    const announced = announce === undefined ? before : [...before.filter((one) => one !== announce), announce];
    this.#db.run(
      `INSERT INTO documents(scope, name, announced, stamp, content, written_at, took_ms) VALUES(?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT(scope, name) DO UPDATE SET announced = excluded.announced, stamp = excluded.stamp,
       content = excluded.content, written_at = COALESCE(excluded.written_at, written_at), took_ms = COALESCE(excluded.took_ms, took_ms)`,
      ...[this.#project.scope, name, JSON.stringify(announced.slice(-MOST_ANNOUNCED)), stamp],
      ...[content ?? row?.content ?? null, took === undefined ? null : new Date().toISOString(), took ?? null],
    );
  }

  #hashOf(path: string): string {
    const hash = newHash();
    for (const chunk of readArtefactChunks(this.#project, path)) hash.update(chunk);
    return hash.digest("hex");
  }
}

const newHash = (): Hash => process.getBuiltinModule("node:crypto").createHash("sha256");
const announcedIn = ({ announced }: DocumentRow): string[] => parseJson(announced, listOf(isText)) ?? [];

function* hashing(parts: Iterable<Buffer>, hash: Hash): Generator<Buffer> {
  for (const part of parts) {
    hash.update(part);
    yield part;
  }
}

export interface WriteInput {
  counting: Pick<Counting, "scope" | "excluded">;
  /** The commit that meta.json names. */
  settled: string | null;
  /** A command was typed: what git tracks may be written, and nothing waits. */
  isCommand: boolean;
  assertHeld(): void;
  /** The marker's file is written between fingerprints and meta. */
  writeMarker(): void;
}

/** Writes each document that is out of date, if we may: graph, fingerprints, marker, meta, in this order. */
export async function writeDocuments(context: LoadedContext, documents: Documents, input: WriteInput): Promise<void> {
  const { db, project } = context;
  const { scope } = project;
  const known = readState(db, scope);
  if (known === null) return input.writeMarker();
  const newest = newestShown(db, scope);
  const head = await headOf(context, known.state, { ...newest, counting: input.counting });
  const versions = db.get<{ version: number; entries: number }>(
    "SELECT version, entries FROM graph_state WHERE scope = ?",
    scope,
  );
  const graph = `${versions?.version} ${hashOf(JSON.stringify(head))}`;
  const may = async (name: WrittenDocument, content: string) => {
    const isAllowed = (await mayWrite(context, name, input)) === null;
    documents.want(name, isAllowed ? null : content);
    return isAllowed;
  };
  if (!documents.isCurrent(GRAPH, graph) && (await may(GRAPH, graph)))
    documents.write(GRAPH, graph, () => graphText(db, scope, head, input.counting), input.assertHeld);
  const entries = `${versions?.entries} ${newest.commit} ${newest.at}`;
  if (!documents.isCurrent(FINGERPRINTS, entries) && (await may(FINGERPRINTS, entries)))
    documents.write(FINGERPRINTS, entries, () => fingerprintsText(db, scope, newest), input.assertHeld);
  input.writeMarker();
  const files = db.get<{ n: number }>(
    "SELECT count(*) AS n FROM graph_pieces WHERE scope = ? AND blob IS NOT NULL",
    scope,
  );
  const meta = {
    lastAnalyzedAt: newest.at,
    gitCommitHash: input.settled ?? newest.commit,
    version: "1.0.0",
    analyzedFiles: files?.n ?? 0,
  };
  const text = JSON.stringify(meta);
  if (!documents.isCurrent(META, text) && (await may(META, text))) {
    const others = documents.isThere(META) ? readArtefact(project, META) : metaSlice(db, input.counting);
    documents.write(META, text, () => [Buffer.from(toJson({ ...others, ...meta }))], input.assertHeld);
  }
}

function metaSlice(db: Db, counting: WriteInput["counting"]): object {
  const text = readSlice(db, counting, { document: META, key: "text", blob: "" })?.text ?? null;
  return text === null ? {} : (JSON.parse(text) as object);
}

/** Time and commit of the newest statement that the graph shows: equal statements and an equal HEAD give equal bytes. */
export function newestShown(db: Db, scope: string): { at: string; commit: string } {
  const shown = db.get<{ at: string; commit_oid: string | null }>(
    `SELECT s.at AS at, b.commit_oid AS commit_oid FROM graph_pieces p JOIN statements s ON s.id = p.newest
     JOIN batches b ON b.id = s.batch WHERE p.scope = ? ORDER BY s.at DESC, s.id DESC LIMIT 1`,
    scope,
  );
  const found =
    shown ??
    db.get<{ at: string; commit_oid: string | null }>(
      "SELECT at, commit_oid FROM batches WHERE scope = ? ORDER BY id LIMIT 1",
      scope,
    );
  return { at: found?.at ?? "", commit: found?.commit_oid ?? "" };
}

/** All but nodes and edges: computed from HEAD's paths, manifests and READMEs, with what others put there. */
async function headOf(
  { db, project }: LoadedContext,
  state: GraphState,
  { at, commit, counting }: { at: string; commit: string; counting: WriteInput["counting"] },
): Promise<GraphHead> {
  const rows = db.all<{ path: string }>(
    "SELECT path FROM graph_pieces WHERE scope = ? AND blob IS NOT NULL AND length(nodes) > 2 ORDER BY path",
    project.scope,
  );
  const paths = rows.map(({ path }) => keyPath(path));
  const texts = await readProjectTexts(project.worktree.path, state.texts);
  const name = basename(project.root ?? project.commonDir);
  const built = buildHead({ name, texts, commit, analyzedAt: at }, paths);
  const slice = <T>(key: string): T | null => {
    const text = readSlice(db, counting, { document: GRAPH, key, blob: "" })?.text ?? null;
    return text === null ? null : (JSON.parse(text) as T);
  };
  const exists = (id: string) => isNode(db, project.scope, id, counting);
  const layers = slice<Layer[]>("layers");
  const head: GraphHead = {
    ...slice<object>("head"),
    ...built,
    project: { ...built.project, ...slice<object>("project"), analyzedAt: at, gitCommitHash: commit },
    layers: layers === null ? built.layers : withFiles(layers, paths, exists),
    tour: slice<TourStep[]>("tour") ?? [],
  };
  return tidyGroups(head, exists);
}

/** Every file is in one of the layers. */
function withFiles(layers: readonly Layer[], paths: readonly string[], exists: (id: string) => boolean): Layer[] {
  const nodes = paths.map((path) => ({ id: `file:${path}`, type: "file", filePath: path }) as GraphNode);
  const repair = { before: layers, given: undefined, nodes, exists, renamed: [], layerOf: new Map() };
  return repairLayers(repair).map((layer) => ({ ...layer, nodeIds: [...layer.nodeIds].sort(byText) }));
}

function isNode(db: Db, scope: string, id: string, counting: WriteInput["counting"]): boolean {
  if (id.startsWith("file:")) {
    const sql = "SELECT 1 AS one FROM graph_pieces WHERE scope = ? AND path = ? AND blob IS NOT NULL";
    if (db.get(sql, scope, id.slice("file:".length)) !== undefined) return true;
  }
  if (db.get("SELECT 1 AS one FROM node_paths WHERE scope = ? AND id = ?", scope, id) !== undefined) return true;
  const slice = readSlice(db, counting, { document: GRAPH, key: `node:${id}`, blob: "" });
  if (slice !== null && slice.text !== null) return true;
  const path = /^(?:function|class):(.+):[^:]+$/.exec(id)?.[1];
  return path !== undefined && isNode(db, scope, `file:${path}`, counting);
}

function graphText(db: Db, scope: string, head: GraphHead, counting: WriteInput["counting"]): Iterable<Buffer> {
  const loose = looseParts(db, counting);
  return renderGraph(canonicalHead(head), function* (list) {
    yield* unpacked(packedTexts(db, scope, `graph_pieces.${list}`, new Map()));
    const text = elementsText(loose[list]);
    if (text !== "") yield Buffer.from(text);
  });
}

/** Nodes without a file, and the edges that start there. */
function looseParts(db: Db, counting: WriteInput["counting"]): GraphPiece {
  const found: GraphPiece = { nodes: [], edges: [] };
  for (const { text } of slicesLike(db, counting, GRAPH, "node:").values()) {
    if (text === null) continue;
    const { node, edges } = JSON.parse(text) as { node: GraphNode; edges: GraphPiece["edges"] };
    found.nodes.push(node);
    const isThere = (id: string) => isNode(db, counting.scope, id, counting);
    for (const edge of edges) if (isThere(edge.source) && isThere(edge.target)) found.edges.push(edge);
  }
  return found;
}

function fingerprintsText(db: Db, scope: string, { at, commit }: { at: string; commit: string }): Iterable<Buffer> {
  const entries = unpacked(packedTexts(db, scope, "fingerprint_entries.data", new Map()));
  return renderFingerprints({ version: "1.0.0", commit, at }, entries);
}
