import { compareFingerprints, DRIFT_DISTANCE } from "../fingerprint/compare.js";
import { isSizeChange } from "../fingerprint/plain.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import type { HeadTree } from "../git/head-tree.js";
import { fileId } from "../graph/ids.js";
import type { Db } from "../store/sqlite.js";
import { type Choice, type ChoiceOptions, choose, NEARNESS, type Nearness, nearnessOf } from "./choose.js";
import { type Facts, factKey, type WantedFact } from "./facts.js";
import {
  ABSENT,
  type Counting,
  hasText,
  type StatedPlace,
  type Statement,
  Statements,
  type StatementWithText,
} from "./statements.js";
import { NodeSymbols, placeKey, type SymbolAt, symbolsAt } from "./symbols.js";

/** The nearest answered state of a symbol, and how near it is. */
export interface Answer {
  nearness: Nearness;
  state: StatedState;
}

/** A content of a symbol about which something is stated. */
export interface StatedState extends SymbolAt {
  path: string;
  /** Where the symbol was part of; null where a row says nothing about that. */
  blob: string | null;
  /** Of the row: the newest counts among equally near ones. */
  row: Statement;
}

export interface ShownText extends Choice<ChosenText> {}

interface ChosenText {
  id: number;
  key: Statement;
  source: Statement["source"];
  at: string;
  text: NonNullable<Statement["text"]>;
  row: Statement;
}

/** At most so many answered contents of a path are compared. */
const MOST_CONTENTS = 16;

interface AtHeadOptions extends Omit<Counting, "isAtHead"> {
  tree: HeadTree;
  facts: Facts;
  view: string;
}

/**
 * What is stated, at one commit. `prepare` reads from git and the parser what `file` needs; after that everything is a pure function
 * of statements, facts and the tree.
 */
export class AtHead {
  readonly db: Db;
  readonly scope: string;
  /** The worktree. */
  readonly view: string;
  readonly statements: Statements;
  readonly tree: HeadTree;
  readonly #facts: Facts;
  readonly #known = new Map<string, FileFingerprint>();
  readonly #files = new Map<string, FileAtHead>();

  constructor(db: Db, { tree, facts, view, ...counting }: AtHeadOptions) {
    this.db = db;
    this.view = view;
    this.scope = counting.scope;
    this.tree = tree;
    this.#facts = facts;
    this.statements = new Statements(db, { ...counting, isAtHead: (path) => tree.blobOf(path) !== null });
  }

  /** `texts`: also what the texts of their symbols are chosen by, whatever is answered. */
  async prepare(paths: Iterable<string>, { texts = false } = {}): Promise<void> {
    const all = [...paths];
    await this.loadNames(all);
    await this.#parse(all.flatMap((path) => this.#contentsOf(path, texts)));
    // Symbols that are not answered where they are may have been answered elsewhere.
    const elsewhere = all.flatMap((path) => this.file(path).elsewhere(texts));
    await this.tree.load(elsewhere);
    await this.#parse(
      elsewhere.flatMap((path) => {
        const blob = this.tree.blobOf(path);
        return blob === null ? [] : [{ path, oid: blob }];
      }),
    );
  }

  /** Former names are only known when HEAD is asked whether they are gone. */
  async loadNames(paths: readonly string[]): Promise<void> {
    await this.tree.load(paths);
    const seen = new Set(paths);
    for (let open = paths; open.length > 0; ) {
      const names = open.flatMap((path) => this.statements.namesAround(path)).filter((name) => !seen.has(name));
      for (const name of names) seen.add(name);
      await this.tree.load(names);
      open = names.filter((name) => this.tree.blobOf(name) === null);
    }
  }

  #contentsOf(path: string, texts: boolean): WantedFact[] {
    const head = this.tree.blobOf(path);
    if (head === null) return [];
    const contents = answeredContents(this.statements.ofPath(path));
    if (contents.some(({ hash }) => hash === head)) return texts ? [{ path, oid: head }] : [];
    return [head, ...contents.map(({ hash }) => hash)].map((oid) => ({ path, oid }));
  }

  async #parse(wanted: readonly WantedFact[]): Promise<void> {
    const missing = wanted.filter((one) => !this.#known.has(factKey(one)));
    for (const [key, fact] of await this.#facts.of(missing)) this.#known.set(key, fact);
  }

  /** The facts of a content, if they were read or are stored. */
  factOf(path: string, blob: string): FileFingerprint | undefined {
    const key = factKey({ path, oid: blob });
    const known = this.#known.get(key) ?? this.#facts.known({ path, oid: blob }) ?? undefined;
    if (known !== undefined) this.#known.set(key, known);
    return known;
  }

  /** A path must be prepared first. */
  file(path: string): FileAtHead {
    const known = this.#files.get(path) ?? new FileAtHead(this, path);
    this.#files.set(path, known);
    return known;
  }

  /** Whether HEAD has a symbol; also if that is not known. */
  isThere({ path, type, name }: Pick<StatedPlace, "path" | "name"> & { type: string }): boolean {
    const blob = this.tree.blobOf(path);
    if (blob === null) return false;
    const fact = this.factOf(path, blob);
    if (fact === undefined) return true;
    return symbolsAt(path, blob, fact).some((symbol) => symbol.type === type && symbol.name === name);
  }

  /** Drops what was read for the last files. */
  forget(): void {
    this.#known.clear();
    this.#files.clear();
    this.statements.forget();
  }
}

/** Newest first. */
function answeredContents(statements: readonly Statement[]): Statement[] {
  const contents = statements.filter((one) => one.type === "content" && one.hash !== ABSENT && one.source !== "shared");
  const newest = new Map<string, Statement>();
  for (const one of contents) {
    const known = newest.get(one.hash);
    if (known === undefined || isNewer(one, known)) newest.set(one.hash, one);
  }
  return [...newest.values()].sort((a, b) => (isNewer(a, b) ? -1 : 1)).slice(0, MOST_CONTENTS);
}

const isNewer = (a: Statement, b: Statement) => a.at > b.at || (a.at === b.at && a.id > b.id);

/** One path at HEAD, and what is stated about it. */
export class FileAtHead {
  readonly path: string;
  /** null: HEAD does not have it. */
  readonly blob: string | null;
  readonly fact: FileFingerprint | undefined;
  /** What the nodes of the file stand for. */
  readonly symbols: NodeSymbols;
  readonly #head: AtHead;
  readonly #statements: readonly Statement[];
  readonly #contents: readonly Statement[];
  #states: Map<string, StatedState[]> | undefined;

  constructor(head: AtHead, path: string) {
    this.#head = head;
    this.path = path;
    this.blob = head.tree.blobOf(path);
    this.fact = this.blob === null ? undefined : head.factOf(path, this.blob);
    this.symbols = new NodeSymbols(path, this.blob ?? "", this.fact);
    this.#statements = head.statements.ofPath(path);
    this.#contents = answeredContents(this.#statements);
  }

  /** Whether HEAD's content is answered as a whole. */
  get isAnswered(): boolean {
    return this.blob !== null && this.#contents.some(({ hash }) => hash === this.blob);
  }

  /** Whether the tokens of HEAD's content are those of an answered one. */
  get isCosmetic(): boolean {
    const tokens = this.fact?.tokenHash;
    return tokens !== undefined && this.#contents.some((one) => one.tokens === tokens);
  }

  get hasContent(): boolean {
    return this.#contents.length > 0;
  }

  /** Whether somebody has answered that the path is not there. */
  get isAbsenceAnswered(): boolean {
    return this.#statements.some(
      ({ type, hash, source }) => type === "content" && hash === ABSENT && source !== "shared",
    );
  }

  /** Whether a content was answered under this name. */
  get hasOwnContent(): boolean {
    return answeredContents(this.#head.statements.ownOf(this.path)).length > 0;
  }

  /** The name of the file before it was renamed, until its own content is answered. */
  get formerName(): string | null {
    if (this.blob === null || this.hasOwnContent) return null;
    return this.#head.statements.formerNames(this.path)[0] ?? null;
  }

  /** Whether HEAD has the file under another name, or it is gone under a later one. */
  get isRenamed(): boolean {
    const { statements } = this.#head;
    return this.blob === null && (statements.isRenamed(this.path) || statements.isSuperseded(this.path));
  }

  /**
   * Whether HEAD lacks the file, and nobody has answered that. Absence is compared with absence only; of a path that came by a rename it is
   * answered, as of every path that came later than the first ones.
   */
  get isGone(): boolean {
    return this.blob === null && this.hasOwnContent && !this.isAbsenceAnswered && !this.isRenamed;
  }

  /** Whether anything but absence is stated about the path. */
  get isStated(): boolean {
    return this.#statements.some(({ hash, source }) => hash !== ABSENT && source !== "shared");
  }

  /** The nearest answered content of the whole file: for packets' diffs, fingerprints.json, and files without symbols. */
  get nearestContent(): Statement | null {
    const { blob, fact, path } = this;
    const [newest] = this.#contents;
    if (newest === undefined || blob === null || this.#contents.length === 1) return newest ?? null;
    const equal = this.#contents.find(
      ({ hash, tokens }) => hash === blob || (fact !== undefined && tokens === fact.tokenHash),
    );
    if (equal !== undefined || fact === undefined) return equal ?? newest;
    const ranked = this.#contents.map((row, age) => {
      const before = this.#head.factOf(path, row.hash);
      if (before === undefined) return { row, rank: [DRIFT_DISTANCE.gone, Number.MAX_SAFE_INTEGER, age] };
      return {
        row,
        rank: [DRIFT_DISTANCE[compareFingerprints(before, fact).drift], this.#openSince(before, row), age],
      };
    });
    ranked.sort((a, b) => compareRanks(a.rank, b.rank));
    return ranked[0]?.row ?? null;
  }

  #openSince(before: FileFingerprint, { hash }: Statement): number {
    const then = new Map(symbolsAt(this.path, hash, before).map((symbol) => [placeKey(symbol), symbol.hash]));
    return this.symbols.all().filter((symbol) => then.get(placeKey(symbol)) !== symbol.hash).length;
  }

  /** All states of a symbol at its own place: by rows about it, and by answered contents. */
  statesOf(place: Pick<StatedPlace, "type" | "name">): readonly StatedState[] {
    this.#states ??= this.#readStates();
    return this.#states.get(placeKey(place)) ?? [];
  }

  #readStates(): Map<string, StatedState[]> {
    const states = new Map<string, StatedState[]>();
    const add = (state: StatedState) => {
      const key = placeKey(state);
      const known = states.get(key);
      if (known === undefined) states.set(key, [state]);
      else known.push(state);
    };
    for (const row of this.#statements) {
      if (row.type === "content" || row.hash === ABSENT) continue;
      add({ ...row, id: idOf(row), lineRange: null, row });
    }
    for (const row of this.#contents) {
      const fact = row.hash === this.blob ? this.fact : this.#head.factOf(this.path, row.hash);
      // A content that was answered says nothing about its symbols where its facts are gone; the blob itself is compared.
      const symbols = fact === undefined && row.hash !== this.blob ? [] : symbolsAt(this.path, row.hash, fact);
      for (const symbol of symbols) add({ ...symbol, path: this.path, blob: row.hash, row });
    }
    return states;
  }

  /** Symbols of answered contents that HEAD does not have any more, as far as nobody has answered their absence. */
  goneSymbols(): StatedState[] {
    const lacking = (key: string) =>
      this.#contents.some(({ hash }) => {
        const fact = this.#head.factOf(this.path, hash);
        return fact !== undefined && !symbolsAt(this.path, hash, fact).some((symbol) => placeKey(symbol) === key);
      });
    const isAnswered = (key: string) =>
      this.#statements.some((row) => row.type !== "content" && row.hash === ABSENT && placeKey(row) === key) ||
      lacking(key);
    this.#states ??= this.#readStates();
    return [...this.#states].flatMap(([key, states]) => {
      const [first] = states
        .filter(({ row }) => row.source !== "shared")
        .sort((a, b) => (isNewer(a.row, b.row) ? -1 : 1));
      if (first === undefined || first.type === "node" || this.symbols.get(first.type, first.name) !== undefined)
        return [];
      return isAnswered(key) ? [] : [first];
    });
  }

  /** The nearest answered state of a symbol; null where nothing was ever stated that could mean it. */
  answer(symbol: SymbolAt): Answer | null {
    if (this.isAnswered || this.isCosmetic) {
      const row = this.#contents.find(({ hash }) => hash === this.blob) ?? this.#contents[0];
      if (row !== undefined) return { nearness: "exact", state: { ...symbol, path: this.path, blob: this.blob, row } };
    }
    const wanted = { ...symbol, path: this.path };
    let best: Answer | null = null;
    for (const state of [...this.statesOf(symbol), ...this.#statesElsewhere(symbol)]) {
      const nearness = nearnessOf(wanted, state, this.#options);
      if (nearness === null || (state.row.source === "shared" && nearness !== "exact")) continue;
      if (best === null || isNearer({ nearness, state }, best, symbol)) best = { nearness, state };
    }
    return best;
  }

  /** What was stated about the same content, or the same body, at another place. */
  #statesElsewhere(symbol: SymbolAt): StatedState[] {
    if (symbol.type !== "function" && symbol.type !== "class") return [];
    if (this.statesOf(symbol).some(({ hash }) => hash === symbol.hash)) return [];
    const isOwn = ({ path, name }: { path: string; name: string }) => path === this.path && name === symbol.name;
    const rows = this.#head.statements
      .like(symbol)
      .filter((row) => row.type === symbol.type && !isOwn(row))
      .map((row): StatedState => ({ ...row, id: "", lineRange: null, row }));
    const contents = this.#head.statements.contentsLike(symbol).flatMap((row) => {
      const fact = this.#head.factOf(row.path, row.hash);
      const symbols = fact === undefined ? [] : symbolsAt(row.path, row.hash, fact);
      return symbols
        .filter((one) => one.type === symbol.type && isLike(one, symbol) && !isOwn({ path: row.path, name: one.name }))
        .map((one): StatedState => ({ ...one, path: row.path, blob: row.hash, row }));
    });
    return [...rows, ...contents];
  }

  /** Paths that have to be known before open symbols are looked for elsewhere. */
  elsewhere(texts: boolean): string[] {
    if (this.blob === null) return [];
    const isOpen = !this.isAnswered && !this.isCosmetic;
    return this.symbols
      .all()
      .flatMap((symbol) => [
        ...(isOpen ? this.#statesElsewhere(symbol).map(({ path }) => path) : []),
        ...(texts ? this.#textsElsewhere(symbol).map(({ path }) => path) : []),
      ]);
  }

  /** The text that is shown for a symbol; null for the author's sentence, or a generated one. */
  text(symbol: SymbolAt): ShownText | null {
    const own = this.statesOf(symbol).filter(({ row }) => hasText(row) && row.type === symbol.type);
    const elsewhere = this.#textsElsewhere(symbol);
    const rows = [...own.map(({ row }) => row), ...elsewhere].filter(hasText);
    const found = choose({ ...symbol, path: this.path }, rows.map(candidate), {
      ...this.#options,
      trackedCounts: true,
    });
    if (found === null || NEARNESS.indexOf(found.nearness) <= NEARNESS.indexOf("renamed")) return found;
    return this.#isAnsweredNearer(symbol, found) ? null : found;
  }

  /** What makes the file's nodes be as they are: the answer of its content, exact answers of its symbols, and their texts. */
  shownStatements(): Statement[] {
    const content = this.#contents.find(({ hash }) => hash === this.blob);
    const symbols = this.symbols.all().flatMap((symbol) => {
      const exact = this.statesOf(symbol).filter(({ hash, row }) => hash === symbol.hash && row.type === symbol.type);
      const text = this.text(symbol);
      return [...exact.map(({ row }) => row), ...(text === null ? [] : [text.description.row])];
    });
    return content === undefined ? symbols : [content, ...symbols];
  }

  #textsElsewhere(symbol: SymbolAt): Statement[] {
    if (symbol.type !== "function" && symbol.type !== "class") return [];
    return this.#head.statements
      .like(symbol)
      .filter((row) => row.type === symbol.type && (row.path !== this.path || row.name !== symbol.name));
  }

  /** An answer at a nearer content wins against a text that was written after it: a branch that was visited leaves nothing behind. */
  #isAnsweredNearer(symbol: SymbolAt, found: ShownText): boolean {
    const wanted = { ...symbol, path: this.path };
    return this.statesOf(symbol).some((state) => {
      if (hasText(state.row) || state.row.at >= found.description.at) return false;
      const nearness = nearnessOf(wanted, state, this.#options);
      return nearness !== null && NEARNESS.indexOf(nearness) < NEARNESS.indexOf(found.nearness);
    });
  }

  get #options(): Pick<ChoiceOptions, "isThere"> {
    return {
      isThere: (place) =>
        place.path === this.path
          ? this.symbols.all().some(({ type, name }) => type === place.type && name === place.name)
          : this.#head.isThere(place),
    };
  }
}

export const isElsewhere = (one: { path: string; name: string }, other: { path: string; name: string }): boolean =>
  one.path !== other.path || one.name !== other.name;

const idOf = ({ path, type, name }: StatedPlace): string =>
  type === "node" ? name : type === "file" || type === "beside" ? fileId(path) : `${type}:${path}:${name}`;

const candidate = (row: StatementWithText): ChosenText => ({
  id: row.id,
  key: row,
  source: row.source,
  at: row.at,
  text: row.text,
  row,
});

const isLike = (a: SymbolAt, b: SymbolAt) =>
  a.hash === b.hash || (a.bareHash !== undefined && a.bareHash === b.bareHash);

/** Of equally near states one of about the same size, then the newest: a body is not asked about whose size was answered. */
function isNearer(one: Answer, other: Answer, { lines }: SymbolAt): boolean {
  const [a, b] = [one, other].map(({ nearness }) => NEARNESS.indexOf(nearness));
  if (a !== b) return (a ?? 0) < (b ?? 0);
  const [x, y] = [one, other].map(({ state }) =>
    state.lines !== undefined && lines !== undefined && isSizeChange(state.lines, lines) ? 1 : 0,
  );
  return x === y ? isNewer(one.state.row, other.state.row) : (x ?? 0) < (y ?? 0);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
