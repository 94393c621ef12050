import { type Blob, isOtherSize, isSameShape, keyOf, type SymbolState, symbolsOf, type Tree } from "./contents.js";
import type { Documents, Slice, TrackedDocuments } from "./documents.js";

/**
 * The specification that runs, first part: what git has, what is stored, and what is computed of both, in memory, slow and obviously right. model.ts
 * has the loop and the commands; documents.ts the documents, and what is stored of one that somebody else wrote.
 *
 * Left out: classes and files without symbols; edges and what follows from them (dependents, layers' members, the tour's steps); words of a text, language,
 * author and scope of a statement; worktrees with data of their own; leases; a linked worktree that the graph describes; how often documents are
 * written, and the wait for the rest of another program's documents; limits of size and time; formats, byte for byte; the merge driver's rules for
 * structure; blobs that git has lost; processes that really run at the same time (a kill between any two steps is here).
 */

// ---------------------------------------------------------------- what git has

export interface Commit {
  parents: readonly number[];
  tree: Tree;
  /** The graph and what belongs to it, where git tracks them. */
  documents: TrackedDocuments | null;
  /** Paths that ignore rules take out of the check. */
  ignored: readonly string[];
}

/** All clones share the commits; a clone knows those that its own branches reach, or reached. */
export interface World {
  commits: Commit[];
  clones: Record<string, Clone>;
  /** Seconds; it can be set back. */
  clock: number;
  /** Counts moves: makes texts and batches unique. */
  turn: number;
}

export interface Clone {
  name: string;
  world: World;
  branches: Record<string, number>;
  worktrees: Record<string, Worktree>;
  refresh: Refresh;
  isInstalled: boolean;
  store: Store;
  /** The files in the data dir. */
  disk: Documents;
  /** Counts down; the process dies before the step at which it is 0. */
  killIn: number | null;
}

export interface Worktree {
  branch: string;
  /** The last commit at which nothing was pending. */
  settled: number | null;
  /** The last commit that `follow` has seen. */
  followed: number | null;
  /** What was true when all documents were last written; equal means that nothing has to be done. */
  stamp: string | null;
  /** A cache: the changes of each path that is not as answered, at the commit and with the documents that they were computed for. */
  compared: { commit: number; changes: Map<string, Changes>; candidates: Set<string> } | null;
}

export const REFRESH = ["structural", "behaviour", "every"] as const;
export type Refresh = (typeof REFRESH)[number];

export const MAIN = "main";
const MOST_FACTS = 16;

export const headOf = ({ branches, worktrees }: Pick<Clone, "branches" | "worktrees">, worktree: string): number =>
  branches[worktrees[worktree]?.branch ?? ""] ?? 0;

export function commitAt({ commits }: World, at: number): Commit {
  const commit = commits[at];
  if (commit === undefined) throw new Error(`no commit ${at}`);
  return commit;
}

/** The files that count: what ignore rules leave. */
export function checkedTree({ tree, ignored }: Pick<Commit, "tree" | "ignored">): Tree {
  if (ignored.length === 0) return tree;
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !ignored.includes(path)));
}

export function ancestorsOf({ commits }: World, at: number): Set<number> {
  const seen = new Set<number>();
  const open = [at];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    if (seen.has(commit)) continue;
    seen.add(commit);
    open.push(...(commits[commit]?.parents ?? []));
  }
  return seen;
}

// ---------------------------------------------------------------- what is stored

export type Source = "here" | "shared" | "tracked";

/** Who added a row, and when. */
export interface Origin {
  source: Source;
  /** Later than every other row of its path, also when the clock was set back. */
  at: number;
  /** The command that added it; one can be undone as a whole. */
  batch: string;
  worktree: string;
  /** Of an import: when the document says that it was made. */
  documentAt: number | null;
  /** Of a document that git tracks: the commit that brought it, and the document. They say at which commits the row counts. */
  commit: number | null;
  document: string | null;
}

/** One row is about one whole content, or its absence (null): all of its symbols are answered, and the absence of every other. */
export interface ContentStatement extends Origin {
  kind: "content";
  path: string;
  blob: Blob | null;
}

/** Or about one symbol at one content. Without a text it is an answer: at this content nothing more is needed. */
export interface SymbolStatement extends Origin {
  kind: "symbol";
  path: string;
  state: SymbolState;
  text: string | null;
}

/** What a batch stated does not count any more. */
interface Void {
  batch: string;
  at: number;
}

/** What is stated of `from` counts for `to` while HEAD has `to` and not `from`. `key`: one symbol; null: the whole file. */
export interface Link {
  from: string;
  to: string;
  fromKey: string | null;
  toKey: string | null;
}

export interface Store {
  statements: (ContentStatement | SymbolStatement)[];
  voids: Void[];
  links: Link[];
  slices: Slice[];
  /** The last eight documents that were written here; nobody else's. */
  announced: string[];
  /** The graph as it was written last, or read from another tool. */
  lastGraph: string | null;
  /** Tracked documents that were imported. */
  imported: Set<string>;
}

export function emptyStore(): Store {
  return { statements: [], voids: [], links: [], slices: [], announced: [], lastGraph: null, imported: new Set() };
}

// ---------------------------------------------------------------- what is computed

/** How far a stated content of a symbol is from another one, nearest first. */
export const NEARNESS = ["equal", "moved", "renamed", "body", "behaviour", "interface"] as const;
export type Nearness = (typeof NEARNESS)[number];
export type Change = Exclude<Nearness, "equal"> | "new";

export const distance = (nearness: Nearness) => NEARNESS.indexOf(nearness);

/** Of two contents of one symbol. */
export function nearnessOf(wanted: SymbolState, stated: SymbolState): Nearness {
  if (wanted.hash === stated.hash) return "equal";
  if (wanted.bare !== null && wanted.bare === stated.bare) return "renamed";
  if (wanted.signature !== stated.signature) return "interface";
  return wanted.behaviour === stated.behaviour ? "body" : "behaviour";
}

/** A symbol of HEAD that is not as answered. */
export interface SymbolChange {
  change: Change;
  isResized: boolean;
}

/** What happened to a path since it was answered. */
export interface Changes {
  isGone: boolean;
  symbols: ReadonlyMap<string, SymbolChange>;
}

/** What is stated of a symbol. A whole content states each of its symbols. */
interface Stated {
  path: string;
  state: SymbolState;
  text: string | null;
  by: ContentStatement | SymbolStatement;
}

export interface Candidate {
  stated: Stated;
  nearness: Nearness;
}

/** Which text stands for a symbol, and what it was written for. */
export interface Chosen {
  text: string;
  nearness: Nearness;
  stated: Stated;
}

/** All that is stated, as seen from a commit. Pure: a view is a function of the store and the commit. */
export class View {
  readonly tree: Tree;
  readonly #byPlace = new Map<string, Stated[]>();
  readonly #byHash = new Map<string, Stated[]>();
  readonly #byBare = new Map<string, Stated[]>();
  readonly #contents = new Map<string, ContentStatement[]>();
  /** Paths that are stated, with the newest answer, and those whose absence is answered. */
  readonly #present = new Map<string, number>();
  readonly #absent = new Set<string>();
  /** Where to a path that HEAD does not have went. */
  readonly #formerPaths = new Map<string, string>();
  readonly #candidates = new Map<string, readonly Candidate[]>();
  readonly #changes = new Map<string, Changes | null>();
  /** What undone batches claimed, when they did, and when they were undone. */
  readonly #undone = new Map<string, { since: number; until: number }>();

  constructor(
    readonly store: Store,
    readonly world: World,
    readonly commit: number,
  ) {
    this.tree = checkedTree(commitAt(world, commit));
    for (const statement of this.#counting()) {
      for (const path of this.#placesFor(statement.path)) this.#add(statement, path);
    }
    this.#addSymbolLinks();
  }

  /** Without what was undone, and without what git brought and this commit does not have. */
  #counting(): (ContentStatement | SymbolStatement)[] {
    const { statements, voids } = this.store;
    const undone = new Map(voids.map(({ batch, at }) => [batch, at]));
    const { documents } = commitAt(this.world, this.commit);
    let ancestors: Set<number> | null = null;
    const isOfThisCommit = ({ commit, document }: Origin) => {
      if (documents === null) return false;
      if (document === documents.graph) return true;
      ancestors ??= ancestorsOf(this.world, this.commit);
      return commit !== null && ancestors.has(commit);
    };
    for (const statement of statements) {
      const at = undone.get(statement.batch);
      if (at === undefined) continue;
      for (const claim of this.#claimsOf(statement)) {
        const known = this.#undone.get(claim);
        const since = Math.min(statement.at, known?.since ?? statement.at);
        this.#undone.set(claim, { since, until: Math.max(at, known?.until ?? at) });
      }
    }
    return statements.filter((one) => !undone.has(one.batch) && (one.source !== "tracked" || isOfThisCommit(one)));
  }

  #claimsOf(statement: ContentStatement | SymbolStatement): string[] {
    const place = this.#placeOf(statement.path);
    if (statement.kind === "symbol") {
      const { state, text } = statement;
      return [claimOf(place, state, null), claimOf(place, state, text)];
    }
    if (statement.blob === null) return [`${statement.path} absent`];
    return [...symbolsOf(statement.blob).values()].map((state) => claimOf(place, state, null));
  }

  /** One name for all paths that a file ever had. */
  #placeOf(path: string): string {
    const paths = new Set([path]);
    for (let size = 0; size !== paths.size; ) {
      size = paths.size;
      for (const { from, to, fromKey } of this.store.links) {
        if (fromKey === null && (paths.has(from) || paths.has(to))) paths.add(from).add(to);
      }
    }
    return [...paths].sort()[0] ?? path;
  }

  /**
   * Undone with a batch is what rests on it: what a document claims that was made before the undo, and what a whole content claims that was
   * answered between the two, since nobody was asked about that symbol any more. Who described a symbol itself has looked at it.
   */
  #isUndone(claim: string, statement: ContentStatement | SymbolStatement): boolean {
    const undone = this.#undone.get(claim);
    if (undone === undefined) return false;
    const { documentAt, at, kind } = statement;
    if (documentAt !== null) return documentAt <= undone.until;
    const isBuild = statement.batch.startsWith("install ");
    return kind === "content" && !isBuild && at >= undone.since && at <= undone.until;
  }

  /** Its own path, and where the file went. */
  #placesFor(path: string): string[] {
    if (this.tree[path] !== undefined) return [path];
    const places = new Set<string>();
    const seen = new Set<string>([path]);
    const open = [path];
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      for (const link of this.store.links) {
        if (link.from !== from || link.fromKey !== null || seen.has(link.to)) continue;
        seen.add(link.to);
        if (this.tree[link.to] === undefined) open.push(link.to);
        else places.add(link.to);
      }
    }
    for (const place of places) if (!this.#formerPaths.has(place)) this.#formerPaths.set(place, path);
    return [path, ...places];
  }

  #add(statement: ContentStatement | SymbolStatement, path: string): void {
    const isShared = statement.source === "shared";
    if (statement.kind === "symbol") {
      const { state, text } = statement;
      if (this.#isUndone(claimOf(this.#placeOf(statement.path), state, text), statement)) return;
      this.#state({ path, state, text, by: statement });
    } else if (statement.blob === null) {
      // Absence is compared with absence only.
      if (path === statement.path && !this.#isUndone(`${path} absent`, statement)) this.#absent.add(path);
      return;
    } else {
      const all = [...symbolsOf(statement.blob).values()];
      const left = all.filter(
        (state) => !this.#isUndone(claimOf(this.#placeOf(statement.path), state, null), statement),
      );
      if (left.length === all.length) push(this.#contents, path, statement);
      for (const state of left) this.#state({ path, state, text: null, by: statement });
    }
    if (!isShared) this.#present.set(path, Math.max(this.#present.get(path) ?? 0, statement.at));
    if (path !== statement.path) this.#absent.add(statement.path);
  }

  #state(stated: Stated): void {
    const { path, state } = stated;
    push(this.#byPlace, `${path} ${keyOf(state)}`, stated);
    if (state.type !== "function") return;
    push(this.#byHash, state.hash, stated);
    if (state.bare !== null) push(this.#byBare, state.bare, stated);
  }

  /** What is stated of a symbol that HEAD does not have counts for the one that it became. */
  #addSymbolLinks(): void {
    const links = this.store.links.filter(({ fromKey }) => fromKey !== null);
    const reach = (path: string, key: string, seen: Set<string>): [string, string][] =>
      links.flatMap(({ from, fromKey, to, toKey }): [string, string][] => {
        if (from !== path || fromKey !== key || toKey === null || seen.has(`${to} ${toKey}`)) return [];
        seen.add(`${to} ${toKey}`);
        return this.isThere(to, toKey) ? [[to, toKey]] : reach(to, toKey, seen);
      });
    for (const [path, key] of new Map(
      links.map(({ from, fromKey }) => [`${from} ${fromKey}`, [from, fromKey ?? ""] as const]),
    ).values()) {
      if (this.isThere(path, key)) continue;
      const own = this.#byPlace.get(`${path} ${key}`) ?? [];
      for (const [to, toKey] of reach(path, key, new Set())) {
        for (const stated of own) push(this.#byPlace, `${to} ${toKey}`, { ...stated, path });
      }
    }
  }

  isThere(path: string, key: string): boolean {
    const blob = this.tree[path];
    return blob !== undefined && symbolsOf(blob).has(key);
  }

  /** What is stated of a symbol, and of others with its tokens that are not where they were. */
  candidates(path: string, symbol: SymbolState): readonly Candidate[] {
    const key = `${path} ${keyOf(symbol)} ${symbol.hash}`;
    const known = this.#candidates.get(key) ?? this.#findCandidates(path, symbol);
    this.#candidates.set(key, known);
    return known;
  }

  #findCandidates(path: string, symbol: SymbolState): Candidate[] {
    const own = (this.#byPlace.get(`${path} ${keyOf(symbol)}`) ?? []).map((stated) => ({
      stated,
      nearness: nearnessOf(symbol, stated.state),
    }));
    if (symbol.type !== "function") return own;
    const isElsewhere = ({ path: at, state }: Stated) =>
      (at !== path || state.name !== symbol.name) && !this.isThere(at, keyOf(state));
    const moved = (this.#byHash.get(symbol.hash) ?? []).filter(isElsewhere);
    const renamed = symbol.bare === null ? [] : (this.#byBare.get(symbol.bare) ?? []).filter(isElsewhere);
    return [
      ...own,
      ...moved.map((stated) => ({ stated, nearness: "moved" as const })),
      ...renamed
        .filter(({ state }) => state.hash !== symbol.hash)
        .map((stated) => ({ stated, nearness: "renamed" as const })),
    ];
  }

  /** The text that stands for a symbol: the nearest, then the better source, then the newest. Null: its author's sentence, or a generated one. */
  text(path: string, symbol: SymbolState): Chosen | null {
    const all = this.candidates(path, symbol);
    const texts = all.filter(({ stated }) => stated.text !== null).sort(byPreference);
    const best = texts.find((one) => isOnly(one, texts));
    if (best === undefined || best.stated.text === null) return null;
    // What was written after an answer, about a farther content, is about a branch that was visited. It says nothing of this content.
    const isFar = distance(best.nearness) > distance("renamed");
    const isAnswered = all.some(
      ({ stated, nearness }) =>
        stated.text === null && distance(nearness) < distance(best.nearness) && stated.by.at < best.stated.by.at,
    );
    if (isFar && isAnswered) return null;
    return { text: best.stated.text, nearness: best.nearness, stated: best.stated };
  }

  /** How far a symbol is from its nearest answered content; null: as answered. Texts are answers, too; those of other clones only if they are exact. */
  change(path: string, symbol: SymbolState): SymbolChange | null {
    let best: { nearness: Nearness; isResized: boolean } | null = null;
    // Another size is structure to Understand-Anything: farther than any body of this size.
    const far = ({ nearness, isResized }: { nearness: Nearness; isResized: boolean }) =>
      isResized ? Math.max(distance(nearness), distance("behaviour") + 0.5) : distance(nearness);
    for (const { stated, nearness } of this.candidates(path, symbol)) {
      if (stated.by.source === "shared" && nearness !== "equal") continue;
      const isResized = distance(nearness) > distance("renamed") && isOtherSize(stated.state.lines, symbol.lines);
      if (best === null || far({ nearness, isResized }) < far(best)) best = { nearness, isResized };
    }
    if (best === null) return { change: "new", isResized: false };
    return best.nearness === "equal" ? null : { change: best.nearness, isResized: best.isResized };
  }

  /** Null: the path is as answered. */
  changes(path: string): Changes | null {
    const known = this.#changes.get(path);
    if (known !== undefined) return known;
    const changes = this.#findChanges(path);
    this.#changes.set(path, changes);
    return changes;
  }

  #findChanges(path: string): Changes | null {
    const blob = this.tree[path];
    if (blob === undefined) {
      const isIgnored = commitAt(this.world, this.commit).ignored.includes(path);
      const isGone = this.#present.has(path) && !this.#absent.has(path) && !isIgnored;
      return isGone ? { isGone, symbols: new Map() } : null;
    }
    const symbols = new Map<string, SymbolChange>();
    for (const [key, symbol] of symbolsOf(blob)) {
      const change = this.change(path, symbol);
      if (change !== null) symbols.set(key, change);
    }
    return symbols.size === 0 ? null : { isGone: false, symbols };
  }

  /** HEAD's paths and those that are stated. */
  paths(): string[] {
    return [...new Set([...Object.keys(this.tree), ...this.#present.keys()])].sort();
  }

  isPresent(path: string): boolean {
    return this.#present.has(path);
  }

  isAbsenceAnswered(path: string): boolean {
    return this.#absent.has(path);
  }

  newestAnswer(path: string): number {
    return this.#present.get(path) ?? 0;
  }

  hasContent(path: string, blob: Blob): boolean {
    return (this.#contents.get(path) ?? []).some((one) => one.blob === blob && one.source !== "shared");
  }

  hasAnsweredContent(path: string): boolean {
    return (this.#contents.get(path) ?? []).some(({ source }) => source !== "shared");
  }

  /** The path that a file of HEAD had when it was answered; its own path, if it was not renamed. */
  formerPath(path: string): string {
    return this.#formerPaths.get(path) ?? path;
  }

  /** The answered content that is nearest to HEAD's, as a whole; of equally near ones the one with the fewest open symbols, then the newest. */
  nearestAnswer(path: string): Blob | null {
    const blob = this.tree[path];
    const newestFirst = (this.#contents.get(path) ?? [])
      .filter((one) => one.source !== "shared")
      .sort((a, b) => Number(b.blob === blob) - Number(a.blob === blob) || b.at - a.at)
      .slice(0, MOST_FACTS);
    if (blob === undefined) return newestFirst[0]?.blob ?? null;
    const ranked = newestFirst.map((one) => ({ one, rank: rankOf(blob, one.blob ?? "") }));
    ranked.sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1] || b.one.at - a.one.at);
    return ranked[0]?.one.blob ?? null;
  }

  /** Whether these words are stated of this content of a symbol. */
  statesText(path: string, key: string, hash: string, text: string): boolean {
    const stated = this.#byPlace.get(`${path} ${key}`) ?? [];
    return stated.some((one) => one.state.hash === hash && one.text === text);
  }

  /** The state of a symbol with this hash, if anything here has it. */
  stateWithHash(path: string, key: string, hash: string): SymbolState | null {
    const stated = (this.#byPlace.get(`${path} ${key}`) ?? []).find(({ state }) => state.hash === hash);
    if (stated !== undefined) return stated.state;
    const blob = this.tree[path];
    const symbol = blob === undefined ? undefined : symbolsOf(blob).get(key);
    return symbol?.hash === hash ? symbol : null;
  }
}

/** A symbol at a content: that it is answered, or that a text is about it. A function is known wherever it went. */
function claimOf(place: string, { type, name, hash, bare }: SymbolState, text: string | null): string {
  const subject = type === "function" ? (bare ?? hash) : `${place} ${keyOf({ type, name })} ${hash}`;
  return `${subject} ${text ?? ""}`;
}

/** What was written here, or came with HEAD's documents, before what other clones share. */
const RANKS: Readonly<Record<Source, number>> = { here: 1, tracked: 1, shared: 2 };
const rank = ({ by }: Stated) => RANKS[by.source];

function byPreference(
  { stated: a, nearness: nearnessA }: Candidate,
  { stated: b, nearness: nearnessB }: Candidate,
): number {
  return distance(nearnessA) - distance(nearnessB) || rank(a) - rank(b) || b.by.at - a.by.at;
}

/** Where two other places have the tokens, nobody knows which of them moved; unless one ranks lower, or both have the same text. */
function isOnly({ stated, nearness }: Candidate, texts: readonly Candidate[]): boolean {
  if (nearness !== "moved" && nearness !== "renamed") return true;
  const rivals = texts.filter((one) => one.nearness === nearness).map((one) => one.stated);
  const placeOf = (one: Stated) => `${one.path} ${keyOf(one.state)}`;
  const textsAt = (place: string) => rivals.filter((one) => placeOf(one) === place).map(({ text }) => text);
  const own = new Set(textsAt(placeOf(stated)));
  return rivals.every((one) => rank(one) > rank(stated) || own.has(textsAt(placeOf(one))[0] ?? ""));
}

/** Of two whole contents: how far the farthest symbol is, and how many differ. */
function rankOf(head: Blob, blob: Blob): [farthest: number, open: number] {
  if (head === blob) return [0, 0];
  const before = symbolsOf(blob);
  const steps = [...symbolsOf(head)].map(([key, symbol]) => {
    const was = before.get(key);
    return was === undefined ? distance("interface") : distance(nearnessOf(symbol, was));
  });
  const farthest = isSameShape(head, blob) ? Math.max(...steps) : distance("interface");
  return [farthest + 1, steps.filter((step) => step > 0).length];
}

/** A new symbol, another signature, imports, another size: what Understand-Anything's own rule sees. */
const isLarge = ({ change, isResized }: SymbolChange) => change === "new" || change === "interface" || isResized;

export const isStructural = ({ isGone, symbols }: Changes) => isGone || [...symbols.values()].some(isLarge);

/** Which symbols of a path a model is asked about, sorted. What moved or was renamed keeps its text, and asks nothing. */
export function questions(changes: Changes, refresh: Refresh): string[] {
  const asks = ([key, symbol]: [string, SymbolChange]) => {
    const { change } = symbol;
    if (change === "moved" || change === "renamed") return false;
    if (refresh === "every") return true;
    if (key === "imports ") return refresh === "structural";
    if (refresh === "behaviour") return isLarge(symbol) || change === "behaviour";
    return isStructural(changes) && (isLarge(symbol) || (key === "file " && change === "behaviour"));
  };
  return [...changes.symbols]
    .filter(asks)
    .map(([key]) => key)
    .sort();
}

export type Action = "SKIP" | "PARTIAL_UPDATE" | "ARCHITECTURE_UPDATE" | "FULL_UPDATE";

export interface Decision {
  action: Action;
  /** The symbols that are asked about, by path. */
  files: Readonly<Record<string, readonly string[]>>;
  deleted: readonly string[];
}

/** What is pending. The counts are those of the answered state: without new files, and with deleted ones. */
export function decide(view: View, all: ReadonlyMap<string, Changes>, refresh: Refresh): Decision {
  const files: Record<string, readonly string[]> = {};
  const deleted: string[] = [];
  let structural = 0;
  for (const [path, changes] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const asked = questions(changes, refresh);
    if (changes.isGone) deleted.push(path);
    else if (asked.length > 0) files[path] = asked;
    else continue;
    if (isStructural(changes)) structural++;
  }
  if (Object.keys(files).length + deleted.length === 0) return { action: "SKIP", files, deleted };
  if (structural === 0) return { action: "PARTIAL_UPDATE", files, deleted };
  const known = new Set(deleted);
  for (const path of Object.keys(view.tree)) {
    const isPending = files[path] !== undefined;
    if (!isPending) known.add(path);
    else if (view.isPresent(path)) known.add(view.formerPath(path));
  }
  const now = new Set(Object.keys(view.tree));
  const directories = (paths: Set<string>) => [
    ...new Set([...paths].flatMap((path) => path.split("/").slice(0, -1).slice(0, 1))),
  ];
  const isOtherDirectory = String(directories(known).sort()) !== String(directories(now).sort());
  const isFull = structural > 30 || (structural >= 6 && structural / known.size > 0.5);
  const action = isFull
    ? "FULL_UPDATE"
    : structural > 10 || isOtherDirectory
      ? "ARCHITECTURE_UPDATE"
      : "PARTIAL_UPDATE";
  return { action, files, deleted };
}

const views = new WeakMap<Store, Map<string, View>>();

/** The view of a worktree's HEAD. Rows are only added, so their number says whether one that was made before is still true. */
export function viewOf({ store, world, branches, worktrees }: Clone, worktree: string): View {
  const commit = headOf({ branches, worktrees }, worktree);
  const name = [store.statements.length, store.voids.length, store.links.length, commit].join();
  const known = views.get(store) ?? new Map<string, View>();
  views.set(store, known);
  let view = known.get(name);
  if (view === undefined) {
    view = new View(store, world, commit);
    if (known.size > 8) known.clear();
    known.set(name, view);
  }
  return view;
}

/** Every path that is not as answered, without any cache. */
export function allChanges(view: View): Map<string, Changes> {
  return new Map(
    view.paths().flatMap((path) => {
      const changes = view.changes(path);
      return changes === null ? [] : [[path, changes] as const];
    }),
  );
}

/** What is pending in a worktree, without any cache. */
export function pendingIn(clone: Clone, worktree: string, refresh = clone.refresh): Decision {
  const view = viewOf(clone, worktree);
  return decide(view, allChanges(view), refresh);
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
