import { relative } from "node:path";
import { UaError } from "../errors.js";
import { contentHash } from "../fingerprint/content.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { fileBlobOid, readBlobs } from "../git/blobs.js";
import { HeadTree } from "../git/head-tree.js";
import { commitTime, lastCommitOf } from "../git/history.js";
import { isRefusal } from "../git/run.js";
import { isRegularFile, listTree } from "../git/trees.js";
import { isStructuralEdge, nodesOfFile } from "../graph/build.js";
import { conflictSides, hasMarkers } from "../graph/conflict.js";
import { describedContent, hasDescription, UNKNOWN_CONTENT } from "../graph/descriptions.js";
import { isGraphError } from "../graph/errors.js";
import { isGeneratedLayer } from "../graph/layers.js";
import { NO_FILE } from "../graph/pieces.js";
import { generatedDescription } from "../graph/project-texts.js";
import type { GraphEdge, GraphHead, GraphNode } from "../graph/types.js";
import {
  type ArtefactName,
  artefactPath,
  FINGERPRINTS,
  GRAPH,
  META,
  readArtefactChunks,
  readMeta,
} from "../knowledge/artefacts.js";
import { isSameText, textOf } from "../knowledge/descriptions.js";
import { Facts, factKey, storedFacts, type WantedFact } from "../knowledge/facts.js";
import { type FingerprintFile, fingerprintFileOf, readFingerprintFile } from "../knowledge/fingerprint-file.js";
import {
  type GraphFile,
  graphFileOf,
  readGraphFile,
  readProjectPart,
  withVisibleTexts,
} from "../knowledge/graph-file.js";
import { shownNodes } from "../knowledge/graph-pieces.js";
import { unpack } from "../knowledge/packed.js";
import { addSlice, type NewSlice, sliceOfFile, slicesLike } from "../knowledge/slices.js";
import {
  ABSENT,
  addStatements,
  isClaimVoided,
  isStatedAt,
  latestAnswer,
  type NewBatch,
  type NewStatement,
  statedContent,
} from "../knowledge/statements.js";
import { contentStatement, NodeSymbols, type SymbolAt, symbolStatement } from "../knowledge/symbols.js";
import { isTime } from "../knowledge/times.js";
import type { LoadedContext } from "../repository/context.js";
import { damaged } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import type { Commit } from "../verification/compare.js";
import { dropStamps } from "../verification/stamp.js";
import { type Documents, newestShown, type WrittenDocument } from "./documents.js";

/** A program that has just written the graph may still be writing the rest. */
const MOST_WAIT_MS = 60_000;
/** Facts are read for so many files at a time. */
const BATCH = 500;
/** A document with conflict markers is read as one text. */
const MOST_CONFLICT_BYTES = 64 * 1024 * 1024;

/**
 * Documents that are not ours become statements and slices, in one transaction, however they came here: another tool ran, a pull or a
 * checkout brought them, somebody edited one, a backup was restored. `wait`: their writer is not done, so they are
 * neither imported nor overwritten yet.
 */
export async function importDocuments(
  context: LoadedContext,
  head: Commit,
  documents: Documents,
  { isCommand }: { isCommand: boolean },
): Promise<"imported" | "wait"> {
  const { db, project } = context;
  if (!isCommand && isBeingWritten(context, documents)) return "wait";
  const found = new Set<ArtefactName>(documents.found.map(({ name }) => name));
  for (const side of readSides(context, documents)) {
    const provenance = await provenanceOf(context, head, documents, side);
    const { graph } = side;
    const shown = graph !== null && provenance.isTracked ? withVisibleTexts(graph) : graph;
    const reading = new DocumentReading(context, { ...side, graph: shown }, provenance, found);
    await reading.read();
    dropStamps(project);
    db.write(() => {
      const batch = addStatements(db, provenance.batch, reading.statements);
      const { scope, source, at } = provenance.batch;
      for (const slice of reading.slices) addSlice(db, { batch, scope, source, at }, slice);
    });
  }
  for (const { name } of documents.found) documents.accept(name);
  return "imported";
}

/** A graph of another commit than our last one is there, and what its writer writes after it is older. */
function isBeingWritten({ db, project }: LoadedContext, documents: Documents): boolean {
  const graph = documents.timeOf(GRAPH);
  if (graph === null || !documents.found.some(({ name }) => name === GRAPH)) return false;
  // Nothing of it is known here: there is nothing that a half of it could spoil.
  if (db.get("SELECT 1 AS one FROM batches WHERE scope = ? LIMIT 1", project.scope) === undefined) return false;
  if (Date.now() - graph > MOST_WAIT_MS) return false;
  const made = readProjectPart(project, documents.pathOf(GRAPH)) as { gitCommitHash?: unknown } | undefined;
  // One that cannot be read is named at once.
  if (made === undefined || made.gitCommitHash === newestShown(db, project.scope).commit) return false;
  return ([META, FINGERPRINTS] as const).some((name) => (documents.timeOf(name) ?? graph) < graph);
}

/** The three documents that belong together. */
interface DocumentSet {
  graph: GraphFile | null;
  entries: FingerprintFile | null;
  /** The commit that meta.json names, or else the graph. */
  commit: string;
  /** When the graph says that it was made. */
  analyzedAt: string;
}

/** One set; of documents with conflict markers two. */
function readSides({ project }: LoadedContext, documents: Documents): DocumentSet[] {
  const isConflicted = (name: ArtefactName) => hasMarkers(readArtefactChunks(project, artefactPath(project, name)));
  const conflicted = new Set(([GRAPH, FINGERPRINTS, META] as const).filter(isConflicted));
  if (conflicted.size === 0) {
    const graph = documents.isThere(GRAPH) ? readGraphFile(project, documents.pathOf(GRAPH)) : null;
    return [documentSet(graph, readFingerprintFile(project), readMeta(project)?.gitCommitHash)];
  }
  return (["ours", "theirs"] as const).map((side) => {
    const text = (name: WrittenDocument) => {
      const bytes = Buffer.concat([...readArtefactChunks(project, artefactPath(project, name))]);
      if (bytes.length > MOST_CONFLICT_BYTES)
        throw new UaError(
          "failed",
          `${artefactPath(project, name)} has conflict markers`,
          "resolve the conflict first",
        );
      return Buffer.from(conflicted.has(name) ? (conflictSides(bytes.toString("utf8"))?.[side] ?? "") : bytes);
    };
    const meta = text(META);
    const commit: unknown = meta.length === 0 ? undefined : JSON.parse(meta.toString("utf8")).gitCommitHash;
    const graph = sideOf(artefactPath(project, GRAPH), () => graphFileOf(() => [text(GRAPH)]));
    return documentSet(graph, fingerprintFileOf([text(FINGERPRINTS)]), typeof commit === "string" ? commit : undefined);
  });
}

function sideOf<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isGraphError(error)) throw error;
    throw damaged(path, error.message);
  }
}

function documentSet(
  graph: GraphFile | null,
  entries: FingerprintFile | null,
  commit: string | undefined,
): DocumentSet {
  const { gitCommitHash = "", analyzedAt = "" } = graph?.head.project ?? {};
  return { graph, entries, commit: commit ?? gitCommitHash, analyzedAt };
}

interface Provenance {
  batch: NewBatch;
  isTracked: boolean;
}

/** A graph that HEAD has came by git, at the time of the commit that brought it; any other was made here, now. */
async function provenanceOf(
  { project }: LoadedContext,
  head: Commit,
  documents: Documents,
  { commit, analyzedAt }: DocumentSet,
): Promise<Provenance> {
  const now = new Date().toISOString();
  const { scope, root, worktree } = project;
  const path = documents.pathOf(GRAPH);
  const oid = documents.isThere(GRAPH) ? fileBlobOid(path, readArtefactChunks(project, path), head.commit.length) : "";
  const batch: NewBatch = {
    scope,
    command: "import",
    view: worktree.id,
    commit: commit === "" ? null : commit,
    at: now,
    source: "here",
    document: { oid, at: analyzedAt },
  };
  if (root === null) return { batch, isTracked: false };
  const tree = new HeadTree(root, head.commit);
  const place = relative(root, path);
  await tree.load([place]);
  if (tree.blobOf(place) !== oid) return { batch, isTracked: false };
  const at = await commitTime(root, place);
  const brought = await lastCommitOf(root, head.commit, place);
  return {
    batch: { ...batch, source: "tracked", commit: brought, at: at !== null && isTime(at) ? at : now },
    isTracked: true,
  };
}

/** What one set of documents says that is not stored yet. */
class DocumentReading {
  readonly statements: NewStatement[] = [];
  readonly slices: NewSlice[] = [];
  readonly #context: LoadedContext;
  readonly #db: Db;
  readonly #set: DocumentSet;
  readonly #provenance: Provenance;
  readonly #found: ReadonlySet<ArtefactName>;
  readonly #facts: Facts;

  constructor(context: LoadedContext, set: DocumentSet, provenance: Provenance, found: ReadonlySet<ArtefactName>) {
    const { db, project, config } = context;
    this.#context = context;
    this.#db = db;
    this.#set = set;
    this.#provenance = provenance;
    this.#found = found;
    this.#facts = new Facts(storedFacts(db, { keep: true }), project.worktree.path, config);
  }

  async read(): Promise<void> {
    const { graph, entries, commit, analyzedAt } = this.#set;
    const { project, rules } = this.#context;
    const tree = await treeOf(project.worktree.path, commit);
    if (tree === null && entries === null && graph !== null && !isOurs(graph))
      throw new UaError(
        "failed",
        `the graph's commit ${commit.slice(0, 12)} is not in this clone, and there are no fingerprints to compare with`,
        "run `ua-hooks install --rebuild` to build a new graph from HEAD",
      );
    const shown = new Set(graph?.paths ?? []);
    const covers = (path: string) => rules.covers(path, shown.has(path));
    const contents = await contentsOf(this.#context, tree, entries);
    const claims = this.#hasClaims() ? claimsOf(contents, tree, entries, covers) : new Map<string, string>();
    const paths = new Set([...shown, ...claims.keys()]);
    paths.delete(NO_FILE);
    for (const batch of batchesOf([...paths], BATCH)) {
      const facts = await this.#facts.of(batch.flatMap((path) => this.#wanted(path, contents, claims)));
      for (const path of batch)
        this.#readFile(path, { facts, content: contents.get(path) ?? null, claim: claims.get(path) });
    }
    if (this.#hasClaims()) this.#readAbsences(claims, tree, entries, analyzedAt);
    if (graph !== null && this.#found.has(GRAPH)) this.#readHead(graph);
    if (entries !== null && this.#found.has(FINGERPRINTS)) this.#readEntries(entries, contents);
  }

  /** Our own entries claim nothing that is not stored. */
  #hasClaims(): boolean {
    const { entries } = this.#set;
    return this.#found.has(FINGERPRINTS) || (entries === null && (this.#found.has(META) || this.#found.has(GRAPH)));
  }

  #wanted(path: string, contents: ReadonlyMap<string, string>, claims: ReadonlyMap<string, string>): WantedFact[] {
    const blobs = new Set([this.#blobOf(path), contents.get(path), claims.get(path)]);
    return [...blobs].flatMap((oid) => (oid === null || oid === undefined ? [] : [{ path, oid }]));
  }

  /** The content that our graph shows of a file. */
  #blobOf(path: string): string | null {
    return blobIn(this.#set.graph?.nodesOf(path) ?? []);
  }

  #readFile(path: string, { facts, content, claim }: FileInput): void {
    const { graph } = this.#set;
    const nodes = graph === null || !this.#found.has(GRAPH) ? [] : graph.nodesOf(path);
    const blob = blobIn(nodes);
    const about = blob ?? content;
    const fact = about === null ? undefined : facts.get(factKey({ path, oid: about }));
    if (nodes.length > 0) {
      this.#readTexts(path, nodes, { about, fact, isOurs: blob !== null });
      this.#readPiece(path, { about: about ?? "", fact, isOurs: blob !== null });
    }
    if (claim !== undefined) {
      const claimed = facts.get(factKey({ path, oid: claim }));
      this.#readAnswer(path, claim, claimed, graph?.nodesOf(path) ?? []);
    }
  }

  #readTexts(
    path: string,
    nodes: readonly GraphNode[],
    { about, fact, isOurs }: { about: string | null; fact: FileFingerprint | undefined; isOurs: boolean },
  ): void {
    const { scope } = this.#provenance.batch;
    const before = new Map(shownNodes(this.#db, scope, path).map((node) => [node.id, node]));
    const symbols = new NodeSymbols(path, about ?? "", fact);
    for (const node of nodes) {
      if (!isWritten(node, fact)) continue;
      const text = textOf(node);
      const old = before.get(node.id);
      if (old !== undefined && isSameText(textOf(old), text)) continue;
      const symbol = symbols.of(node);
      // Somebody edited what our last bytes showed: it is about what they showed.
      const isEdited = isOurs && old !== undefined && !this.#provenance.isTracked;
      const described = isEdited
        ? undefined
        : (describedContent(node) ?? (isReviewed(node) ? UNKNOWN_CONTENT : undefined));
      const statement =
        described !== undefined && described !== symbol.hash
          ? this.#aboutOther(path, symbol, described, node)
          : about === null
            ? { path, ...contentOf(symbol), hash: UNKNOWN_CONTENT, blob: null, text: null }
            : symbolStatement(path, about, symbol, null);
      if (!isStatedAt(this.#db, statement, text, this.#provenance.batch.source))
        this.statements.push({ ...statement, text });
    }
  }

  /** A text says that it is about another content: what is known of that content tells how far it is. */
  #aboutOther(path: string, symbol: SymbolAt, hash: string, node: GraphNode): NewStatement {
    const known = statedContent(this.#db, { path, type: symbol.type, name: symbol.name, hash });
    if (known !== null) return { path, type: symbol.type, name: symbol.name, ...known, text: null };
    const { type, name, signature, behaviour, isAside } = symbol;
    const statement: NewStatement = { path, type, name, hash, blob: null, text: null };
    if (signature !== undefined && (!isReviewed(node) || node.needsReview === "behaviour"))
      statement.signature = signature;
    if (behaviour !== undefined && !isReviewed(node)) statement.behaviour = behaviour;
    if (isAside === true) statement.isAside = true;
    return statement;
  }

  /** The whole content, or each symbol of it that the graph does not call open. */
  #readAnswer(path: string, blob: string, fact: FileFingerprint | undefined, nodes: readonly GraphNode[]): void {
    const { source } = this.#provenance.batch;
    // What the graph calls open is open at the content that it shows; an entry of an earlier content is answered as a whole.
    const isShown = blobIn(nodes) === blob;
    const open = new Set(nodes.flatMap(({ id, open: isOpen }) => (isShown && isOpen === true ? [id] : [])));
    const whole = contentStatement(path, blob, fact);
    const symbols = fact === undefined ? [] : new NodeSymbols(path, blob, fact).all();
    const answers =
      open.size === 0 || symbols.length === 0
        ? [whole]
        : symbols.filter(({ id }) => !open.has(id)).map((symbol) => symbolStatement(path, blob, symbol, null));
    if (open.size > 0 && symbols.length === 0) return;
    for (const answer of answers) {
      const isKnown = isStatedAt(this.#db, answer, null, source);
      if (!isKnown && !isClaimVoided(this.#db, answer, this.#set.analyzedAt)) this.statements.push(answer);
    }
  }

  /** What we do not compute. Of another tool's graph everything: it is shown as it came while the file has this content. */
  #readPiece(
    path: string,
    { about, fact, isOurs }: { about: string; fact: FileFingerprint | undefined; isOurs: boolean },
  ): void {
    const { nodes, edges } = this.#set.graph?.pieceOf(path) ?? { nodes: [], edges: [] };
    const key = sliceOfFile(path);
    if (!isOurs) {
      this.slices.push({ document: GRAPH, key, blob: about, text: JSON.stringify({ nodes, edges, isWhole: true }) });
      return;
    }
    const computed = new Set((fact === undefined ? [] : nodesOfFile(path, fact)).map(({ id }) => id));
    const others = nodes.filter(({ id, type }) => type !== "file" && !computed.has(id));
    const written = edges.filter((edge) => !isStructuralEdge(edge));
    if (others.length + written.length > 0)
      this.slices.push({ document: GRAPH, key, blob: about, text: JSON.stringify({ nodes: others, edges: written }) });
  }

  /** An answered path that neither the entries nor the commit's tree have was gone when the document was made. */
  #readAbsences(
    claims: ReadonlyMap<string, string>,
    tree: ReadonlyMap<string, string> | null,
    entries: FingerprintFile | null,
    analyzedAt: string,
  ): void {
    if (!isTime(analyzedAt) || (tree === null && entries === null)) return;
    const sql = "SELECT DISTINCT path FROM statements WHERE type = 'content' AND hash != '' AND scope = ?";
    for (const row of this.#db.all<{ path: string }>(sql, this.#provenance.batch.scope)) {
      const path = keyPath(row.path);
      if (claims.has(path) || entries?.files.has(path) === true || tree?.has(path) === true) continue;
      const latest = latestAnswer(this.#db, this.#provenance.batch.scope, path);
      if (latest !== null && latest < analyzedAt)
        this.statements.push({ path, type: "content", name: "", hash: ABSENT, blob: null, text: null });
    }
  }

  /** Layers, tour, the project's text, unknown keys, and nodes without a file. */
  #readHead(graph: GraphFile): void {
    const parts = partsOf(graph);
    const { scope } = this.#provenance.batch;
    const every = { scope, excluded: new Set<number>() };
    const stored = new Map([...slicesLike(this.#db, every, GRAPH, ""), ...slicesLike(this.#db, every, GRAPH, "node:")]);
    for (const [key, value] of parts) this.slices.push({ document: GRAPH, key, blob: "", text: JSON.stringify(value) });
    if (!this.#takesBack(graph, parts.size > 0)) return;
    for (const [key, { text, at }] of stored) {
      if (key.startsWith("file:") || parts.has(key) || text === null || at >= this.#set.analyzedAt) continue;
      this.slices.push({ document: GRAPH, key, blob: "", text: null });
    }
  }

  /** A newer document that was made here, with parts that somebody wrote, leaves a part out on purpose. */
  #takesBack(graph: GraphFile, hasParts: boolean): boolean {
    const { analyzedAt } = graph.head.project;
    if (this.#provenance.isTracked || !hasParts || !isTime(analyzedAt)) return false;
    return analyzedAt <= new Date().toISOString();
  }

  /** Entries of another tool stay as they came while they are about what was answered last. */
  #readEntries(entries: FingerprintFile, contents: ReadonlyMap<string, string>): void {
    for (const [path, { blobOid }] of entries.files) {
      const text = entries.entries.get(path);
      if (blobOid !== undefined || text === undefined) continue;
      this.slices.push({
        document: FINGERPRINTS,
        key: sliceOfFile(path),
        blob: contents.get(path) ?? "",
        text: unpack(text),
      });
    }
  }
}

interface FileInput {
  facts: ReadonlyMap<string, FileFingerprint>;
  /** The content that the documents are about, as far as they do not name one. */
  content: string | null;
  /** The content that was answered, by the documents' claim. */
  claim: string | undefined;
}

/** Which content each path has in the documents: by its entry, else by the tree of the commit that they name. */
async function contentsOf(
  { db, project }: LoadedContext,
  tree: ReadonlyMap<string, string> | null,
  entries: FingerprintFile | null,
): Promise<Map<string, string>> {
  const contents = new Map(tree ?? []);
  const doubtful: [path: string, hash: string][] = [];
  for (const [path, { blobOid, contentHash: hash }] of entries?.files ?? []) {
    if (blobOid !== undefined) contents.set(path, blobOid);
    else doubtful.push([path, hash]);
  }
  for (const batch of batchesOf(doubtful, BATCH)) {
    const blobs = await readBlobs(
      project.worktree.path,
      batch.flatMap(([path]) => tree?.get(path) ?? []),
    );
    for (const [path, hash] of batch) {
      const oid = tree?.get(path);
      const blob = oid === undefined ? undefined : blobs.get(oid);
      if (blob !== undefined && contentHash(blob) === hash) continue;
      const known = blobWithHash(db, path, hash);
      if (known === null) contents.delete(path);
      else contents.set(path, known);
    }
  }
  return contents;
}

/** An answered content of the path with this hash. */
function blobWithHash(db: Db, path: string, hash: string): string | null {
  const sql = `SELECT f.oid AS oid FROM statements s JOIN fingerprints f ON f.oid = s.hash
    WHERE s.path = ? AND s.type = 'content' AND json_extract(f.data, '$.contentHash') = ? LIMIT 1`;
  return db.get<{ oid: string }>(sql, path, hash)?.oid ?? null;
}

/** What somebody has looked at: what has an entry; where the entries are of a tool that leaves files out, also the rest of its commit. */
function claimsOf(
  contents: ReadonlyMap<string, string>,
  tree: ReadonlyMap<string, string> | null,
  entries: FingerprintFile | null,
  covers: (path: string) => boolean,
): Map<string, string> {
  const isOurs =
    entries !== null && entries.files.size > 0 && [...entries.files.values()].every(({ blobOid }) => blobOid);
  const paths = isOurs ? entries.files.keys() : new Set([...(tree?.keys() ?? []), ...(entries?.files.keys() ?? [])]);
  const claims = new Map<string, string>();
  for (const path of paths) {
    const blob = contents.get(path);
    if (blob !== undefined && covers(path)) claims.set(path, blob);
  }
  return claims;
}

/** The files of a commit; null where it is not in this clone: rebased away and collected, squashed, or a shallow clone. */
async function treeOf(cwd: string, commit: string): Promise<Map<string, string> | null> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return null;
  const entries = await listTree(cwd, commit).catch((error: unknown) => {
    if (isRefusal(error)) return null;
    throw error;
  });
  return entries && new Map(entries.filter(({ mode }) => isRegularFile(mode)).map(({ path, oid }) => [path, oid]));
}

/** In our graphs each file says which content it shows. */
function blobIn(nodes: readonly GraphNode[]): string | null {
  const blob = nodes.find(({ type }) => type === "file")?.blob;
  return typeof blob === "string" && /^[0-9a-f]{40,64}$/.test(blob) ? blob : null;
}

const isOurs = (graph: GraphFile): boolean => graph.paths.some((path) => blobIn(graph.nodesOf(path)) !== null);

const isReviewed = ({ needsReview }: GraphNode): boolean => needsReview !== undefined && needsReview !== false;

/** Written by an agent or a person: neither generated nor the author's own comment. */
function isWritten(node: GraphNode, fact: FileFingerprint | undefined): boolean {
  if (!hasDescription(node)) return false;
  const { file, functions = {}, classes = {} } = fact?.docs ?? {};
  return ![file, ...Object.values(functions), ...Object.values(classes)].includes(node.summary);
}

function contentOf({ id: _id, lineRange: _lineRange, ...content }: SymbolAt): Omit<SymbolAt, "id" | "lineRange"> {
  return content;
}

/** The written parts of a graph that are about no file, by slice key. */
function partsOf(graph: GraphFile): Map<string, unknown> {
  const {
    version: _version,
    kind: _kind,
    project,
    layers,
    tour,
    nodes: _nodes,
    edges: _edges,
    ...others
  } = graph.head as GraphHead & Record<string, unknown>;
  const parts = new Map<string, unknown>();
  const written = layers.filter((layer) => !isGeneratedLayer(layer));
  if (written.length > 0) parts.set("layers", layers);
  if (tour.length > 0) parts.set("tour", tour);
  const { gitCommitHash: _commit, analyzedAt: _at, ...texts } = project;
  const { description } = texts;
  if (typeof description === "string" && description !== "" && description !== generatedDescription(project.name))
    parts.set("project", isOurs(graph) ? { description } : texts);
  if (Object.keys(others).length > 0) parts.set("head", others);
  const { nodes, edges } = graph.pieceOf(NO_FILE);
  for (const node of nodes) {
    const own = edges.filter(({ source }: GraphEdge) => source === node.id);
    parts.set(`node:${node.id}`, { node, edges: own });
  }
  return parts;
}

function* batchesOf<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < list.length; at += size) yield list.slice(at, at + size);
}
