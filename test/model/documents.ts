import { type Blob, generatedText, isSameShape, keyOf, type SymbolState, symbolsOf, type Tree } from "./contents.js";
import { addStatements, isTorn, timeFor } from "./model.js";
import {
  ancestorsOf,
  type Clone,
  type ContentStatement,
  checkedTree,
  commitAt,
  headOf,
  MAIN,
  type Nearness,
  type Origin,
  questions,
  type Source,
  type SymbolStatement,
  View,
  viewOf,
} from "./statements.js";

/** The documents in the data dir: how they are made of what is stored, and what is stored of one that somebody else wrote. */

/** The texts of knowledge-graph.json, fingerprints.json and meta.json; null where there is none. */
export interface Documents {
  graph: string | null;
  fingerprints: string | null;
  meta: string | null;
}

export const NO_DOCUMENTS: Documents = { graph: null, fingerprints: null, meta: null };

export interface TrackedDocuments extends Documents {
  /** When the commit was made that brought them. */
  at: number;
}

/** What another tool put into a document, and nobody computes: about a file at one content, or by itself (layers, the tour, nodes without a file). */
export interface Slice {
  key: string;
  /** Null for what is about no file. */
  blob: Blob | null;
  /** Null: taken back. */
  value: string | null;
  at: number;
  source: Source;
}

export interface Graph {
  tool: "ua-hooks" | "another";
  /** The time of the newest statement that it shows. */
  analyzedAt: number;
  nodes: GraphNode[];
  /** Of files: what only their tool knows. */
  extras: Record<string, string>;
  /** Layers, the tour, nodes without a file. */
  parts: Record<string, string>;
}

export interface GraphNode {
  path: string;
  type: SymbolState["type"];
  name: string;
  summary: string;
  /** Of a file: the content that the graph shows. */
  blob?: Blob;
  /** The hash that the summary is about, where it is not about the content shown. */
  describes?: string;
  /** How far that content is, where the summary may be false. */
  needsReview?: Nearness;
  /** At the content shown nobody has answered the symbol. */
  open?: true;
  /** Of a file: nobody has answered what it imports, which has no node of its own. */
  openImports?: true;
  /** Ignore rules took the file out of the check. */
  notChecked?: true;
}

export interface Fingerprints {
  generatedAt: number;
  /** `isOwn`: an entry that we wrote. */
  files: Record<string, { blob: Blob; isOwn: boolean }>;
}

export interface Meta {
  commit: number | null;
}

// ---------------------------------------------------------------- from statements to documents

/** Equal statements and an equal HEAD give equal documents. */
export function render(clone: Clone): Documents {
  const view = viewOf(clone, MAIN);
  const nodes = [...checkedNodes(view), ...uncheckedNodes(clone, view)];
  const extras: Record<string, string> = {};
  for (const [path, blob] of Object.entries(view.tree).sort()) {
    const extra = extraOf(clone, path, blob);
    if (extra !== null) extras[path] = extra;
  }
  const parts: Record<string, string> = {};
  const shown = partsOf(clone);
  for (const [key, { value }] of shown) if (value !== null) parts[key] = value;
  const times = Object.keys(view.tree).map((path) => view.newestAnswer(path));
  const analyzedAt = Math.max(0, ...times, ...[...shown.values()].map(({ at }) => at));
  const graph: Graph = { tool: "ua-hooks", analyzedAt, nodes, extras, parts };
  const meta: Meta = { commit: clone.worktrees[MAIN]?.settled ?? null };
  return {
    graph: JSON.stringify(graph),
    fingerprints: JSON.stringify(fingerprintsOf(clone, view, analyzedAt)),
    meta: JSON.stringify(meta),
  };
}

function checkedNodes(view: View): GraphNode[] {
  return Object.entries(view.tree)
    .sort()
    .flatMap(([path, blob]) => {
      const changes = view.changes(path)?.symbols;
      const isOpen = (key: string) => {
        const change = changes?.get(key)?.change ?? "moved";
        return change !== "moved" && change !== "renamed";
      };
      const symbols = [...symbolsOf(blob)].filter(([, { type }]) => type !== "imports");
      return symbols.map(([key, symbol]): GraphNode => {
        const node: GraphNode = { path, type: symbol.type, name: symbol.name, summary: generatedText(blob, symbol) };
        const text = view.text(path, symbol);
        if (text !== null) {
          node.summary = text.text;
          if (text.stated.state.hash !== symbol.hash) node.describes = text.stated.state.hash;
          if (text.nearness === "behaviour" || text.nearness === "interface") node.needsReview = text.nearness;
        }
        if (symbol.type === "file") node.blob = blob;
        if (isOpen(key)) node.open = true;
        if (symbol.type === "file" && isOpen("imports ")) node.openImports = true;
        return node;
      });
    });
}

/** Described files that ignore rules took out of the check: nobody knows whether their texts hold. */
function uncheckedNodes({ world, store }: Clone, view: View): GraphNode[] {
  const { tree, ignored } = commitAt(world, view.commit);
  const all =
    ignored.length === 0
      ? null
      : new View(store, { ...world, commits: withoutRules(world.commits, view.commit) }, view.commit);
  if (all === null) return [];
  return ignored
    .filter((path) => tree[path] !== undefined && all.isPresent(path))
    .flatMap((path) => {
      const blob = tree[path] ?? "";
      const symbols = [...symbolsOf(blob).values()].filter(({ type }) => type !== "imports");
      return symbols.map((symbol): GraphNode => {
        const text = all.text(path, symbol);
        const node: GraphNode = {
          path,
          type: symbol.type,
          name: symbol.name,
          summary: text?.text ?? generatedText(blob, symbol),
        };
        if (text !== null && text.stated.state.hash !== symbol.hash) node.describes = text.stated.state.hash;
        if (symbol.type === "file") node.blob = blob;
        node.open = true;
        if (symbol.type === "file") node.openImports = true;
        node.notChecked = true;
        return node;
      });
    });
}

function withoutRules<T extends { ignored: readonly string[] }>(commits: readonly T[], at: number): T[] {
  return commits.map((commit, index) => (index === at ? { ...commit, ignored: [] } : commit));
}

/**
 * Understand-Anything's own comparison comes to our decision: a file of which nothing is asked, although its structure is not the answered one, has
 * the entry of HEAD's content; every other file has the entry of the answered one.
 */
function fingerprintsOf(clone: Clone, view: View, generatedAt: number): Fingerprints {
  const files: Fingerprints["files"] = {};
  const settled = clone.worktrees[MAIN]?.settled ?? -1;
  for (const path of view.paths()) {
    const blob = view.tree[path];
    const changes = view.changes(path);
    const answer = view.nearestAnswer(path);
    if (blob === undefined) {
      // A deleted file that was never answered as a whole: what the settled commit has of it.
      const then = answer ?? (settled < 0 ? undefined : commitAt(clone.world, settled).tree[path]);
      if (then !== undefined && changes !== null) files[path] = { blob: then, isOwn: true };
      continue;
    }
    const isAsked = changes !== null && questions(changes, clone.refresh).length > 0;
    const isOtherShape = answer === null || !isSameShape(answer, blob);
    if (!isAsked && isOtherShape) files[path] = { blob, isOwn: true };
    else if (answer !== null) files[path] = { blob: answer, isOwn: true };
  }
  return { generatedAt, files };
}

/** What only its tool knows of a file: for this content, or the newest. */
function extraOf({ store }: Clone, path: string, blob: Blob): string | null {
  const own = store.slices.filter((one) => one.key === path && one.blob !== null);
  const newest = own.reduce<Slice | null>((best, one) => (best === null || one.at >= best.at ? one : best), null);
  return (own.findLast((one) => one.blob === blob) ?? newest)?.value ?? null;
}

/** What is about no file, by key: the newest. */
function partsOf(clone: Clone): Map<string, Slice> {
  const { documents } = commitAt(clone.world, headOf(clone, MAIN));
  const parts = new Map<string, Slice>();
  for (const slice of clone.store.slices) {
    if (slice.blob !== null || (slice.source === "tracked" && documents === null)) continue;
    const known = parts.get(slice.key);
    if (known === undefined || slice.at >= known.at) parts.set(slice.key, slice);
  }
  return new Map([...parts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

// ---------------------------------------------------------------- from documents to statements

/** Where a document is from. */
interface Provenance {
  source: "here" | "tracked";
  /** Of the commit that brought it. */
  at: number | null;
  commit: number | null;
  document: string | null;
}

/** One function for every way in which a document can arrive. Nothing happens where all of them are ours, or none can be read. */
export function importDocuments(clone: Clone): void {
  const { disk, store } = clone;
  const isOurs = (text: string | null) => text === null || store.announced.includes(text);
  if (disk.graph === null || isTorn(disk.graph)) return;
  if (isOurs(disk.graph) && isOurs(disk.fingerprints) && isOurs(disk.meta)) return;
  const from = provenanceOf(clone);
  const name = JSON.stringify(disk);
  if (from.source === "tracked" && store.imported.has(name)) return;
  if (from.source === "tracked") store.imported.add(name);
  const sides = sidesOf(disk.graph).map((text) => JSON.parse(text) as Graph);
  // Entries that we wrote ourselves say nothing new: what they claim is stored, but for what the graph beside them called open.
  const claiming = disk.fingerprints === null || store.announced.includes(disk.fingerprints) ? null : disk.fingerprints;
  for (const graph of sides) importGraph(clone, graph, sides, claiming, from);
  if (from.source === "here") store.lastGraph = sidesOf(disk.graph)[0] ?? null;
}

/** A document with conflict markers is its two sides. */
export const sidesOf = (text: string): string[] =>
  text.startsWith("{<<<") ? (JSON.parse(text.slice(4)) as string[]) : [text];
export const withConflict = (ours: string, theirs: string) => `{<<<${JSON.stringify([ours, theirs])}`;

function provenanceOf(clone: Clone): Provenance {
  const { world, disk } = clone;
  const head = headOf(clone, MAIN);
  const { documents } = commitAt(world, head);
  if (documents === null || documents.graph !== disk.graph)
    return { source: "here", at: null, commit: null, document: null };
  const bringing = [...ancestorsOf(world, head)].filter((at) => commitAt(world, at).documents?.graph === disk.graph);
  return { source: "tracked", at: documents.at, commit: Math.min(...bringing), document: disk.graph };
}

/** `sides`: the graph, and the other side of a conflict. `claiming`: entries that say what was looked at. */
function importGraph(
  clone: Clone,
  graph: Graph,
  sides: readonly Graph[],
  claiming: string | null,
  from: Provenance,
): void {
  const { disk, store, world } = clone;
  const isBeginning = store.statements.length === 0;
  const view = viewOf(clone, MAIN);
  const fingerprints = disk.fingerprints === null ? null : (JSON.parse(disk.fingerprints) as Fingerprints);
  const meta = disk.meta === null ? null : (JSON.parse(disk.meta) as Meta);
  const entries = fingerprints?.files ?? {};
  const settled = treeOfMeta(clone, meta);
  const last =
    store.lastGraph === null || isTorn(store.lastGraph)
      ? null
      : (JSON.parse(sidesOf(store.lastGraph)[0] ?? "") as Graph);
  const batch = `import ${world.turn}`;
  const documentAt = from.source === "here" ? graph.analyzedAt : null;
  const originAt = (path: string, at: number | null): Origin => ({
    source: from.source,
    at: from.at ?? at ?? timeFor(clone, path),
    batch,
    worktree: MAIN,
    documentAt,
    commit: from.commit,
    document: from.document,
  });

  const blobs = blobsOf(graph);
  const rows: (ContentStatement | SymbolStatement)[] = [];
  for (const node of graph.nodes) {
    const about = subjectOf(node, { graph, last, blobs, entries, settled, view, from });
    if (about === null || isKnownText(clone, node, about, { graph, last, view, from })) continue;
    rows.push({ ...originAt(node.path, null), kind: "symbol", path: node.path, state: about, text: node.summary });
  }

  const hasEntries = Object.keys(entries).length > 0;
  const claims = hasEntries ? (claiming === null ? {} : entries) : contentsOfMeta(graph, settled);
  const claimTime = fingerprints === null || !hasEntries ? graph.analyzedAt : fingerprints.generatedAt;
  for (const [path, { blob }] of Object.entries(claims)) {
    const by = originAt(path, Math.min(world.clock, claimTime));
    if (from.source === "here" && view.hasContent(path, blob)) continue;
    const answered = symbolsNotOpen(sides, path, blob);
    if (answered.length === symbolsOf(blob).size) rows.push({ ...by, kind: "content", path, blob });
    else for (const state of answered) rows.push({ ...by, kind: "symbol", path, state, text: null });
  }
  for (const path of pathsWithout(graph, view, entries, settled)) {
    rows.push({ ...originAt(path, null), kind: "content", path, blob: null });
  }
  addStatements(
    clone,
    rows.filter((row) => !isStated(clone, row)),
    { isBeginning },
  );
  importSlices(clone, graph, last, blobs, settled, from);
}

/** The tree of the commit that meta.json names; null where it names none, or one that this clone does not have. */
function treeOfMeta(clone: Clone, meta: Meta | null): Tree | null {
  const { world, branches } = clone;
  if (meta === null || meta.commit === null) return null;
  if (meta.commit === -1) return {};
  const { commit } = meta;
  const isHere = Object.values(branches).some((head) => ancestorsOf(world, head).has(commit));
  return isHere ? checkedTree(commitAt(world, commit)) : null;
}

interface Arriving {
  graph: Graph;
  /** As we wrote it last. */
  last: Graph | null;
  blobs: ReadonlyMap<string, Blob>;
  entries: Fingerprints["files"];
  settled: Tree | null;
  view: View;
  from: Provenance;
}

/** Which content of its symbol a node's text is about; null where nothing says so. Never HEAD's by default. */
function subjectOf(node: GraphNode, arriving: Arriving): SymbolState | null {
  const { blobs, entries, settled, view } = arriving;
  const key = keyOf(node);
  const entry = entries[node.path];
  const blob = blobs.get(node.path) ?? (entry !== undefined && !entry.isOwn ? entry.blob : settled?.[node.path]);
  const shown = blob === undefined ? null : (symbolsOf(blob).get(key) ?? null);
  if (shown !== null && blob !== undefined && node.summary === generatedText(blob, node)) return null;
  if (node.describes === undefined || isEditOfShown(node, arriving)) return shown;
  // Without facts every other content is as far as can be.
  const unknown = { bare: null, signature: `? ${node.describes}`, behaviour: "", lines: 0 };
  return (
    view.stateWithHash(node.path, key, node.describes) ?? {
      type: node.type,
      name: node.name,
      hash: node.describes,
      ...unknown,
    }
  );
}

/** Somebody edited what we showed: only the words are other ones. */
function isEditOfShown(node: GraphNode, { graph, last, view, from }: Arriving): boolean {
  const { describes, path } = node;
  if (from.source !== "here" || last === null || describes === undefined || graph.analyzedAt < last.analyzedAt)
    return false;
  const was = nodeIn(last, node);
  const isOurs = was !== undefined && was.describes === describes && was.summary !== node.summary;
  return isOurs && !view.statesText(path, keyOf(node), describes, node.summary);
}

const nodeIn = (graph: Graph, { path, type, name }: GraphNode) =>
  graph.nodes.find((one) => one.path === path && one.type === type && one.name === name);

/** Nothing new: what our last bytes had, or what is stated of this content already. A stored text keeps its time. */
function isKnownText(
  { store }: Clone,
  node: GraphNode,
  about: SymbolState,
  { graph, last, view, from }: Pick<Arriving, "graph" | "last" | "view" | "from">,
): boolean {
  if (last !== null && nodeIn(last, node)?.summary === node.summary) return true;
  const voidedAt = new Map(store.voids.map(({ batch, at }) => [batch, at]));
  const isSame = (one: ContentStatement | SymbolStatement) =>
    one.kind === "symbol" &&
    one.path === node.path &&
    one.text === node.summary &&
    one.state.hash === about.hash &&
    keyOf(one.state) === keyOf(about);
  const counts = ({ source, batch }: Origin) =>
    (source === "here" || source === from.source) &&
    graph.analyzedAt <= (voidedAt.get(batch) ?? Number.POSITIVE_INFINITY);
  if (store.statements.some((one) => isSame(one) && counts(one))) return true;
  // It came along with its symbol from another place.
  const near = new Set<Nearness>(["equal", "moved", "renamed"]);
  const candidates = view.candidates(node.path, about);
  return from.source === "here" && candidates.some((one) => one.stated.text === node.summary && near.has(one.nearness));
}

/** Without entries, a graph of another tool describes meta's commit. Ours says nothing then: its blobs are only what it shows. */
function contentsOfMeta({ tool }: Graph, settled: Tree | null): Record<string, { blob: Blob }> {
  if (tool !== "another" || settled === null) return {};
  return Object.fromEntries(Object.entries(settled).map(([path, blob]) => [path, { blob }]));
}

const blobsOf = ({ nodes }: Graph): Map<string, Blob> =>
  new Map(nodes.flatMap(({ path, blob }) => (blob === undefined ? [] : [[path, blob] as const])));

/** The symbols of a claimed content that none of the graphs calls open. */
function symbolsNotOpen(graphs: readonly Graph[], path: string, claimed: Blob): SymbolState[] {
  const open = new Set<string>();
  for (const graph of graphs) {
    const blob = blobsOf(graph).get(path);
    if (blob === undefined) continue;
    const symbols = symbolsOf(blob);
    for (const node of graph.nodes) {
      if (node.path !== path) continue;
      const keys = [...(node.open ? [keyOf(node)] : []), ...(node.openImports ? ["imports "] : [])];
      for (const key of keys) open.add(`${key} ${symbols.get(key)?.hash}`);
    }
  }
  return [...symbolsOf(claimed).values()].filter((state) => !open.has(`${keyOf(state)} ${state.hash}`));
}

/** Stated paths that a later document knows nothing of: neither its nodes, nor its entries, nor the tree of its commit. */
function pathsWithout(graph: Graph, view: View, entries: Fingerprints["files"], settled: Tree | null): string[] {
  if (settled === null) return [];
  const blobs = blobsOf(graph);
  const has = (path: string) => entries[path] !== undefined || settled[path] !== undefined || blobs.has(path);
  const isOpen = (path: string) => view.isPresent(path) && !view.isAbsenceAnswered(path);
  return view.paths().filter((path) => isOpen(path) && !has(path) && graph.analyzedAt > view.newestAnswer(path));
}

function isStated({ store }: Clone, row: ContentStatement | SymbolStatement): boolean {
  return store.statements.some((one) => {
    if (one.kind !== row.kind || one.path !== row.path || one.source !== row.source || one.document !== row.document)
      return false;
    if (store.voids.some(({ batch }) => batch === one.batch)) return false;
    if (one.kind === "content" || row.kind === "content")
      return one.kind === "content" && row.kind === "content" && one.blob === row.blob;
    return one.text === row.text && keyOf(one.state) === keyOf(row.state) && one.state.hash === row.state.hash;
  });
}

function importSlices(
  clone: Clone,
  graph: Graph,
  last: Graph | null,
  blobs: ReadonlyMap<string, Blob>,
  settled: Tree | null,
  { source, at: commitTime }: Provenance,
): void {
  const { store, world } = clone;
  const at = commitTime ?? world.clock;
  const isStored = (key: string, blob: Blob | null, value: string) =>
    store.slices.some((one) => one.key === key && one.blob === blob && one.value === value && one.source === source);
  for (const [path, value] of Object.entries(graph.extras)) {
    const blob = blobs.get(path) ?? settled?.[path] ?? "";
    if (!isStored(path, blob, value)) store.slices.push({ key: path, blob, value, at, source });
  }
  const now = partsOf(clone);
  for (const [key, value] of Object.entries(graph.parts)) {
    const known = now.get(key);
    const isRestated = known?.value === null && graph.analyzedAt > known.at;
    if (!isStored(key, null, value) || isRestated) store.slices.push({ key, blob: null, value, at, source });
  }
  // Taken back is only what our last bytes had, by a later document of this place that has such parts itself.
  if (source !== "here" || last === null || Object.keys(graph.parts).length === 0) return;
  for (const key of Object.keys(last.parts)) {
    const known = now.get(key);
    if (graph.parts[key] !== undefined || known === undefined || known.value === null) continue;
    if (graph.analyzedAt > known.at && graph.analyzedAt <= world.clock)
      store.slices.push({ key, blob: null, value: null, at: graph.analyzedAt, source });
  }
}
