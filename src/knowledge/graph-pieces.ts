import { compareFingerprints } from "../fingerprint/compare.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import type { HeadTree } from "../git/head-tree.js";
import { isRefusal } from "../git/run.js";
import { diffTrees, isGone, isRegularFile, type TreeChange } from "../git/trees.js";
import { type EdgeContext, edgeContext, edgesOfFile, isStructuralEdge, nodesOfFile } from "../graph/build.js";
import { withoutReview } from "../graph/descriptions.js";
import { canonicalPiece, elementsText, type GraphPiece, parseElements } from "../graph/pieces.js";
import { projectTextFiles } from "../graph/project-texts.js";
import { relinkedFiles } from "../graph/relink.js";
import { resolverConfigFiles } from "../graph/resolver-configs.js";
import type { GraphEdge, GraphNode } from "../graph/types.js";
import { limitHeapGrowth } from "../platform/heap.js";
import type { LoadedContext } from "../repository/context.js";
import { isText, listOf, objectOf, pairOf, parseJson } from "../store/check.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { keyPath, pathKey } from "../store/state.js";
import { FINGERPRINTS, GRAPH } from "./artefacts.js";
import type { AtHead, FileAtHead, ShownText } from "./at-head.js";
import { isSameText, textOf, withText } from "./descriptions.js";
import { packedEntry } from "./fingerprint-file.js";
import { lazyFingerprints, resolverFor } from "./links.js";
import { dropLinks, pathInId, writeLinks } from "./links-table.js";
import { nameIndex, PIECES } from "./name-index.js";
import { pack, unpack } from "./packed.js";
import { readSlice, sliceOfFile } from "./slices.js";
import { type Counting, candidatesOf, indexSymbols } from "./statements.js";
import { storeFacts } from "./store-facts.js";

/** What the graph is computed from, at the commit that its pieces show. */
export interface GraphState {
  rules: string;
  /** Files that say where imports lead, and those that describe the project, with their blobs. */
  configs: [path: string, blob: string][];
  texts: [path: string, blob: string][];
}

const isState = objectOf<GraphState>({
  rules: isText,
  configs: listOf(pairOf(isText, isText)),
  texts: listOf(pairOf(isText, isText)),
});

/** What the comparison of HEAD says about each path. */
export interface PieceInput {
  atHead: AtHead;
  counting: Pick<Counting, "scope" | "excluded">;
  rules: string;
  isCovered(path: string): boolean;
  /** Ids of the nodes of a file that are not answered at this content; `all`: none of them is. */
  openIds(path: string): ReadonlySet<string> | "all";
  /** Whether something is asked about a path. */
  asksAbout(path: string): boolean;
  /** Former names of files whose rename is pending, and their new ones. */
  renamed: ReadonlyMap<string, string>;
  /** Of the program that threads run. */
  folder?: string;
}

/** As a candidate for the pieces: every path. */
export const ALL = "";

/** So many files are described at a time. */
const BATCH = 500;

/**
 * Brings the pieces to HEAD: the structure of what changed, the edges of other files that lead elsewhere now, and the texts of all that a
 * statement may have changed. The state, which says what they show, is the last that is stored.
 */
export async function computePieces(context: LoadedContext, input: PieceInput): Promise<void> {
  const { db, project } = context;
  const { atHead, rules } = input;
  const { scope } = project;
  const { tree } = atHead;
  const known = readState(db, scope);
  const changes =
    known === null || known.state.rules !== rules ? null : await changesOf(project.worktree.path, known.commit, tree);
  const before = changes === null ? new Map<string, string>() : pieceBlobs(db, scope);
  const found = changes === null ? await wholeTree(input) : changedTree(input, changes, before, known?.state);
  const { after, state } = found;
  limitHeapGrowth(after.size);
  const changed = new Set([...after].filter(([path, blob]) => before.get(path) !== blob).map(([path]) => path));
  const gone = [...before.keys()].filter((path) => !after.has(path));
  const stated = candidatesOf(db, `graph:${scope}`);
  const others = [...changed, ...gone].flatMap((path) => linkingTo(db, scope, path));
  const told = new Set(stated.includes(ALL) ? after.keys() : [...stated, ...others]);
  const retold = [...told].filter((path) => after.has(path) && !changed.has(path));
  const isConfigured = known === null || JSON.stringify(known.state.configs) !== JSON.stringify(state.configs);
  const wanted = [...changed].map((path) => ({ path, oid: after.get(path) ?? "" }));
  const { others: unstored } = await storeFacts(context, wanted, {
    ...(input.folder === undefined ? {} : { folder: input.folder }),
  });
  const readable = new Set([...changed].filter((path) => unstored.has(path) || hasFact(atHead, path, after)));
  const isStructural = changed.size + gone.length > 0 || (known !== null && isConfigured);
  const links = isStructural
    ? await linksFor(context, { before, after, known: known?.state ?? state, state, others: unstored })
    : null;
  if (changes === null) db.run("DELETE FROM graph_state WHERE scope = ?", scope);
  const writer = new PieceWriter(db, { ...input, after });
  for (const batch of batchesOf([...changed, ...retold], BATCH)) {
    await atHead.prepare(batch, { texts: true });
    db.write(() => {
      for (const path of batch) {
        const blob = after.get(path) ?? "";
        const isNew = changed.has(path);
        const fact = readable.has(path) || !isNew ? (unstored.get(path) ?? atHead.factOf(path, blob)) : undefined;
        writer.put(path, blob, fact, isNew && fact !== undefined ? (links?.after ?? null) : null);
      }
    });
    if (changed.size + retold.length > BATCH) atHead.forget();
    faultPoint("pieces.batch");
  }
  const left = [...told].filter((path) => path !== ALL && !after.has(path));
  await atHead.prepare([...gone, ...left]);
  db.write(() => {
    if (changes === null) writer.removeOthers(after);
    for (const path of gone) writer.remove(path);
    for (const path of left) writer.putEntry(path);
    if (links !== null && changes !== null) relink(writer, links, { changed, gone, isConfigured, after });
    writer.finish(tree.commit, state);
  });
}

/** Files with an edge to one, if that edge is not computed: whether it is shown may change. */
function linkingTo(db: Db, scope: string, path: string): string[] {
  const sql = `SELECT l.source AS path FROM links l JOIN slices s ON s.scope = l.scope AND s.key = 'file:' || l.source
    WHERE l.scope = ? AND l.target = ?`;
  return db.all<{ path: string }>(sql, scope, pathKey(path)).map((row) => keyPath(row.path));
}

function* batchesOf<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}

const hasFact = (atHead: AtHead, path: string, after: ReadonlyMap<string, string>) =>
  atHead.factOf(path, after.get(path) ?? "") !== undefined;

interface KnownState {
  commit: string;
  state: GraphState;
}

export function readState(db: Db, scope: string): KnownState | null {
  const row = db.get<{ commit_oid: string; data: string }>("SELECT * FROM graph_state WHERE scope = ?", scope);
  const state = row === undefined ? null : parseJson(row.data, isState);
  return row === undefined || state === null ? null : { commit: row.commit_oid, state };
}

async function changesOf(cwd: string, commit: string, tree: HeadTree): Promise<TreeChange[] | null> {
  if (commit === tree.commit) return [];
  if (commit === "") return null; // built before the first commit
  return diffTrees(cwd, commit, tree.commit).catch((error: unknown) => {
    if (isRefusal(error) && isGone(error)) return null;
    throw error;
  });
}

function pieceBlobs(db: Db, scope: string): Map<string, string> {
  const sql = "SELECT path, blob FROM graph_pieces WHERE scope = ? AND blob IS NOT NULL ORDER BY path";
  const rows = db.all<{ path: string; blob: string }>(sql, scope);
  return new Map(rows.map(({ path, blob }) => [keyPath(path), blob]));
}

interface Target {
  /** The blob of each file that the graph shows. */
  after: Map<string, string>;
  state: GraphState;
}

async function wholeTree({ atHead, isCovered, rules }: PieceInput): Promise<Target> {
  const entries = (await atHead.tree.list()).filter(({ mode }) => isRegularFile(mode));
  const covered = entries.filter(({ path }) => isCovered(path));
  const blobs = new Map(entries.map(({ path, oid }) => [path, oid]));
  return {
    after: new Map(covered.map(({ path, oid }) => [path, oid])),
    state: { rules, configs: entriesOf(blobs, resolverConfigFiles), texts: entriesOf(blobs, projectTextFiles) },
  };
}

function entriesOf(
  blobs: ReadonlyMap<string, string>,
  choose: (paths: Iterable<string>) => string[],
): [path: string, blob: string][] {
  return choose(blobs.keys()).map((path) => [path, blobs.get(path) ?? ""]);
}

function changedTree(
  { atHead, isCovered, rules }: PieceInput,
  changes: readonly TreeChange[],
  before: ReadonlyMap<string, string>,
  state: GraphState | undefined,
): Target {
  atHead.tree.note(changes);
  const after = new Map(before);
  const [configs, texts] = [new Map(state?.configs), new Map(state?.texts)];
  for (const { path, mode, oid } of changes) {
    const blob = isRegularFile(mode) ? oid : null;
    const isShown = blob !== null && isCovered(path);
    if (isShown) after.set(path, blob);
    else after.delete(path);
    for (const [list, choose] of [[configs, resolverConfigFiles] as const, [texts, projectTextFiles] as const]) {
      if (choose([path]).length === 0) continue;
      if (blob === null) list.delete(path);
      else list.set(path, blob);
    }
  }
  return {
    after,
    state: { rules, configs: entriesOf(configs, resolverConfigFiles), texts: entriesOf(texts, projectTextFiles) },
  };
}

interface Links {
  before: EdgeContext;
  after: EdgeContext;
}

async function linksFor(
  { db, project }: LoadedContext,
  given: {
    before: ReadonlyMap<string, string>;
    after: ReadonlyMap<string, string>;
    known: GraphState;
    state: GraphState;
    others: ReadonlyMap<string, FileFingerprint>;
  },
): Promise<Links> {
  const { before, after, known, state, others } = given;
  const cwd = project.worktree.path;
  const now = await resolverFor(cwd, after.keys(), state.configs);
  const isSame =
    before.size === after.size &&
    [...before.keys()].every((path) => after.has(path)) &&
    JSON.stringify(known.configs) === JSON.stringify(state.configs);
  const old = isSame ? now : await resolverFor(cwd, before.keys(), known.configs);
  const rows = (blobs: ReadonlyMap<string, string>) => new Map([...blobs].map(([path, oid]) => [path, { oid }]));
  return {
    before: edgeContext(lazyFingerprints(db, rows(before)), old),
    after: edgeContext(lazyFingerprints(db, rows(after), others), now),
  };
}

/** Imports and names of unchanged files can resolve differently now. */
function relink(
  writer: PieceWriter,
  { before, after }: Links,
  given: {
    changed: ReadonlySet<string>;
    gone: readonly string[];
    isConfigured: boolean;
    after: ReadonlyMap<string, string>;
  },
): void {
  const update = {
    files: [...given.changed],
    deleted: given.gone,
    renamed: [],
    isAnyFile: given.isConfigured,
  };
  const index = nameIndex(writer.db, writer.scope, { before: before.resolver, after: after.resolver }, PIECES);
  for (const { edges, unlinked } of relinkedFiles(before, after, update, index)) {
    const id = edges[0]?.source ?? unlinked[0]?.source;
    const path = id === undefined ? undefined : pathInId(id);
    if (path !== undefined && given.after.has(path)) writer.putEdges(path, edges);
  }
}

interface VersionRow {
  version: number;
  entries: number;
}

interface PieceRow {
  blob: string | null;
  newest: number | null;
  nodes: Uint8Array;
  edges: Uint8Array;
  shown: Uint8Array | null;
}

/** Writes pieces, where they differ from what is stored. */
class PieceWriter {
  readonly db: Db;
  readonly scope: string;
  readonly #input: PieceInput & Pick<Target, "after">;
  isChanged = false;
  #hasNewEntries = false;

  constructor(db: Db, input: PieceInput & Pick<Target, "after">) {
    this.db = db;
    this.scope = input.counting.scope;
    this.#input = input;
  }

  /** `edges`: null where only texts can have changed. */
  put(path: string, blob: string, fact: FileFingerprint | undefined, edges: EdgeContext | null): void {
    const { atHead, counting } = this.#input;
    const file = atHead.file(path);
    const slice = readSlice(this.db, counting, { document: GRAPH, key: sliceOfFile(path), blob });
    const others = parsePiece(slice?.text ?? null);
    // What another tool made of this content is shown as it came.
    const isTheirs = others.isWhole === true && slice?.blob === blob;
    const computed = fact === undefined || isTheirs ? [] : nodesOfFile(path, fact);
    const nodes = isTheirs
      ? others.nodes.map((node) => this.#retold(file, node))
      : [...computed, ...others.nodes].map((node) => this.#shown(file, node));
    const before = this.#row(path);
    const kept = before === null ? [] : parseElements<GraphEdge>(unpack(before.edges)).filter(isStructuralEdge);
    const own = edges === null || fact === undefined ? kept : edgesOfFile(path, fact, edges);
    const shown = isTheirs ? others.edges : [...own, ...this.#ended(path, nodes, others.edges)];
    this.#write(path, { blob, before, piece: { nodes, edges: shown }, newest: this.#newest(path) });
    this.#linkAll(path, others.edges);
    if (fact !== undefined && edges !== null)
      indexSymbols(
        this.db,
        blob,
        file.symbols.all().filter(({ type }) => type === "function" || type === "class"),
      );
    this.putEntry(path);
  }

  /** Edges that are not computed are shown while both of their ends are there. */
  #ended(path: string, nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphEdge[] {
    const own = new Set(nodes.map(({ id }) => id));
    const isThere = (id: string) => own.has(id) || this.#isNode(path, id);
    return edges.filter((edge) => !isStructuralEdge(edge) && isThere(edge.source) && isThere(edge.target));
  }

  #isNode(from: string, id: string): boolean {
    const { counting, atHead, after } = this.#input;
    const path = pathInId(id) ?? this.#pathOfOther(id);
    const blob = path === undefined ? undefined : after.get(path);
    if (path === undefined) {
      const slice = readSlice(this.db, counting, { document: GRAPH, key: `node:${id}`, blob: "" });
      return slice !== null && slice.text !== null;
    }
    if (blob === undefined || path === from) return false;
    const fact = atHead.factOf(path, blob);
    if (fact !== undefined && nodesOfFile(path, fact).some((node) => node.id === id)) return true;
    const slice = readSlice(this.db, counting, { document: GRAPH, key: sliceOfFile(path), blob });
    return parsePiece(slice?.text ?? null).nodes.some((node) => node.id === id);
  }

  /** Of a node that is not computed, whose id need not name its file. */
  #pathOfOther(id: string): string | undefined {
    const sql = "SELECT path FROM node_paths WHERE scope = ? AND id = ?";
    const row = this.db.get<{ path: string }>(sql, this.scope, id);
    return row === undefined ? undefined : keyPath(row.path);
  }

  /** Also of edges that are not shown: their other end may come back. */
  #linkAll(path: string, edges: readonly GraphEdge[]): void {
    const sql = "INSERT OR IGNORE INTO links(scope, source, target, imports) VALUES(?, ?, ?, 0)";
    for (const { source, target } of edges)
      for (const id of [source, target]) {
        const to = pathInId(id);
        if (to !== undefined && to !== path) this.db.run(sql, this.scope, pathKey(path), pathKey(to));
      }
  }

  #row(path: string): PieceRow | null {
    const sql = "SELECT blob, nodes, edges, shown, newest FROM graph_pieces WHERE scope = ? AND path = ?";
    return this.db.get<PieceRow>(sql, this.scope, pathKey(path)) ?? null;
  }

  #write(
    path: string,
    given: { blob: string; before: PieceRow | null; piece: GraphPiece; newest: number | null },
  ): void {
    const { blob, before, piece, newest } = given;
    const canonical = canonicalPiece(piece);
    const [nodes, edges] = [elementsText(canonical.nodes), elementsText(canonical.edges)];
    const isSame = before !== null && unpack(before.nodes) === nodes && unpack(before.edges) === edges;
    if (isSame && before.blob === blob && before.newest === newest) return;
    if (!isSame) this.isChanged = true;
    const shown = before === null ? NOTHING : (before.shown ?? before.nodes);
    this.db.run(
      `INSERT OR REPLACE INTO graph_pieces(scope, path, blob, nodes, edges, shown, newest) VALUES(?, ?, ?, ?, ?, ?, ?)`,
      ...[this.scope, pathKey(path), blob, pack(nodes), pack(edges), shown, newest],
    );
    dropLinks(this.db, this.scope, [path]);
    writeLinks(this.db, this.scope, [{ path, piece: canonical }], pathInId);
  }

  /** The newest statement that the piece shows, answers included. */
  #newest(path: string): number | null {
    const shown = this.#input.atHead.file(path).shownStatements();
    const newest = shown.reduce<(typeof shown)[number] | null>(
      (best, one) => (best === null || one.at > best.at || (one.at === best.at && one.id > best.id) ? one : best),
      null,
    );
    return newest?.id ?? null;
  }

  /** With the text that stands for the node, and what there is to say about it. */
  #shown(file: FileAtHead, node: GraphNode): GraphNode {
    const symbol = file.symbols.of(node);
    const shown = described(node, file.text(symbol));
    if (node.type === "file") shown.blob = file.blob;
    const open = this.#input.openIds(file.path);
    if (open === "all" || open.has(node.id)) shown.open = true;
    return shown;
  }

  /** A node of another tool, with what was written about it since. */
  #retold(file: FileAtHead, node: GraphNode): GraphNode {
    const found = file.text(file.symbols.of(node));
    return found === null || isSameText(found.description.text, textOf(node)) ? node : described(node, found);
  }

  putEdges(path: string, edges: readonly GraphEdge[]): void {
    const before = this.#row(path);
    if (before === null || before.blob === null) return;
    const nodes = parseElements<GraphNode>(unpack(before.nodes));
    const others = parseElements<GraphEdge>(unpack(before.edges)).filter((edge) => !isStructuralEdge(edge));
    // Until the deletion of a file is answered, its importers are still named.
    const sql = "SELECT target FROM links WHERE scope = ? AND source = ? AND imports = 1";
    const linked = this.db.all<{ target: string }>(sql, this.scope, pathKey(path)).map(({ target }) => target);
    const left = linked.filter((target) => this.#input.after.has(keyPath(target)) !== true);
    const { blob, newest } = before;
    this.#write(path, { blob, before, piece: { nodes, edges: [...edges, ...others] }, newest });
    const link = "INSERT OR IGNORE INTO links(scope, source, target, imports) VALUES(?, ?, ?, 1)";
    for (const target of left) this.db.run(link, this.scope, pathKey(path), target);
  }

  /** What a document still shows of the file is kept until it is written. */
  remove(path: string): void {
    const before = this.#row(path);
    if (before === null || before.blob === null) return;
    this.isChanged = true;
    const sql =
      "UPDATE graph_pieces SET blob = NULL, nodes = ?, edges = ?, shown = ?, newest = NULL WHERE scope = ? AND path = ?";
    this.db.run(sql, NOTHING, NOTHING, before.shown ?? before.nodes, this.scope, pathKey(path));
    this.db.run("DELETE FROM node_paths WHERE scope = ? AND path = ?", this.scope, pathKey(path));
    this.db.run("DELETE FROM links WHERE scope = ? AND source = ?", this.scope, pathKey(path));
    this.putEntry(path);
  }

  removeOthers(after: ReadonlyMap<string, string>): void {
    for (const path of pieceBlobs(this.db, this.scope).keys()) if (!after.has(path)) this.remove(path);
  }

  /**
   * The file's entry of fingerprints.json: of the nearest answered content, but of HEAD's where nothing is asked although the structure is
   * another one. So Understand-Anything's own comparison comes to our decision.
   */
  putEntry(path: string): void {
    const file = this.#input.atHead.file(path);
    const { atHead, asksAbout, renamed } = this.#input;
    const answered = file.nearestContent?.hash ?? null;
    // A pending rename is a loss and a gain for whoever compares with the entries.
    const isArriving = file.formerName !== null && renamed.has(file.formerName);
    const then = answered === null ? undefined : atHead.factOf(path, answered);
    const isHeads =
      file.fact !== undefined &&
      !asksAbout(path) &&
      (then === undefined || compareFingerprints(then, file.fact).changeLevel === "STRUCTURAL");
    const isLeft = file.blob === null && !file.isGone && !renamed.has(path);
    const entry = isHeads ? file.fact : isLeft || isArriving ? undefined : then;
    const key = pathKey(path);
    const sql = "SELECT data FROM fingerprint_entries WHERE scope = ? AND path = ?";
    const before = this.db.get<{ data: Uint8Array }>(sql, this.scope, key);
    if (entry === undefined) {
      if (before === undefined) return;
      this.#hasNewEntries = true;
      this.db.run("DELETE FROM fingerprint_entries WHERE scope = ? AND path = ?", this.scope, key);
      return;
    }
    const data = this.#entryOfOthers(path, entry.blobOid ?? "") ?? packedEntry(entry);
    if (before !== undefined && Buffer.compare(before.data, data) === 0) return;
    this.#hasNewEntries = true;
    this.db.run("INSERT OR REPLACE INTO fingerprint_entries(scope, path, data) VALUES(?, ?, ?)", this.scope, key, data);
  }

  /** An entry that another tool wrote stays as it came while it is about the same content. */
  #entryOfOthers(path: string, blob: string): Buffer | null {
    const key = { document: FINGERPRINTS, key: sliceOfFile(path), blob } as const;
    const slice = readSlice(this.db, this.#input.counting, key);
    return slice === null || slice.text === null || slice.blob !== blob ? null : pack(slice.text);
  }

  finish(commit: string, state: GraphState): void {
    const known = this.db.get<VersionRow>("SELECT version, entries FROM graph_state WHERE scope = ?", this.scope);
    // After the cache was deleted no number may come again.
    const next = Math.max(Date.now(), (known?.version ?? 0) + 1, (known?.entries ?? 0) + 1);
    const version = this.isChanged || known === undefined ? next : known.version;
    const entries = this.#hasNewEntries || known === undefined ? next : known.entries;
    const sql = "INSERT OR REPLACE INTO graph_state(scope, commit_oid, data, version, entries) VALUES(?, ?, ?, ?, ?)";
    this.db.run(sql, this.scope, commit, JSON.stringify(state), version, entries);
    this.db.run("DELETE FROM candidates WHERE owner = ?", `graph:${this.scope}`);
  }
}

const NOTHING = pack("");

/** `isWhole`: all that another tool made of a content. */
function parsePiece(text: string | null): GraphPiece & { isWhole?: boolean } {
  return text === null ? { nodes: [], edges: [] } : (JSON.parse(text) as GraphPiece & { isWhole?: boolean });
}

/** What is about another content says so, and what may have become false, why. */
function described(node: GraphNode, found: ShownText | null): GraphNode {
  if (found === null) return { ...node };
  const { description, nearness } = found;
  const shown = withoutReview(withText(node, description.text));
  if (nearness === "exact" || nearness === "moved") return { ...shown };
  const about = { ...shown, describes: description.key.hash };
  if (nearness === "body") return about;
  return { ...about, needsReview: nearness === "interface" ? true : nearness };
}

/** The nodes of a file as our last bytes had them; empty for a file that they did not have. */
export function shownNodes(db: Db, scope: string, path: string): GraphNode[] {
  const sql = "SELECT nodes, shown FROM graph_pieces WHERE scope = ? AND path = ?";
  const row = db.get<Pick<PieceRow, "nodes" | "shown">>(sql, scope, pathKey(path));
  return row === undefined ? [] : parseElements<GraphNode>(unpack(row.shown ?? row.nodes));
}

/** The document has the pieces now. Call it in the transaction that notes its write. */
export function noteShown(db: Db, scope: string): void {
  db.run("DELETE FROM graph_pieces WHERE scope = ? AND blob IS NULL", scope);
  db.run("UPDATE graph_pieces SET shown = NULL WHERE scope = ? AND shown IS NOT NULL", scope);
}

/** The current nodes of a file. */
export function pieceNodes(db: Db, scope: string, path: string): GraphNode[] {
  const sql = "SELECT nodes FROM graph_pieces WHERE scope = ? AND path = ?";
  const row = db.get<Pick<PieceRow, "nodes">>(sql, scope, pathKey(path));
  return row === undefined ? [] : parseElements<GraphNode>(unpack(row.nodes));
}
