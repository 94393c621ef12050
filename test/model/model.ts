import {
  type Blob,
  keyOf,
  leftAndCame,
  renamesBetween,
  type SymbolState,
  symbolsIn,
  symbolsOf,
  type Tree,
} from "./contents.js";
import { importDocuments, NO_DOCUMENTS, render } from "./documents.js";
import {
  allChanges,
  ancestorsOf,
  type Candidate,
  type Changes,
  type Chosen,
  type Clone,
  type ContentStatement,
  checkedTree,
  commitAt,
  type Decision,
  decide,
  distance,
  headOf,
  type Link,
  MAIN,
  type Origin,
  type SymbolStatement,
  type View,
  viewOf,
  type Worktree,
  type World,
} from "./statements.js";

/** The specification that runs, second part: the loop that writes documents, and the commands that add statements (statements.ts). */

// ---------------------------------------------------------------- the loop

const MOST_COMMITS = 200;

/** Thrown where a process was killed. */
export class Killed extends Error {}

/** Between two steps anything can happen to the process. What happened before is stored. */
function step(clone: Clone): void {
  if (clone.killIn === null) return;
  if (clone.killIn-- > 0) return;
  clone.killIn = null;
  throw new Killed();
}

/** Brings everything that is written in line with HEAD. The only code that changes documents. */
export function sync(clone: Clone, name: string): void {
  const worktree = clone.worktrees[name];
  if (!clone.isInstalled || worktree === undefined || worktree.stamp === stampOf(clone, name)) return;
  step(clone); // observed
  // What is stored is about to be about another HEAD: should that one come back after a kill, its stamp must not hold.
  worktree.stamp = null;
  if (name === MAIN) {
    importDocuments(clone);
    step(clone);
  }
  follow(clone, name, worktree);
  step(clone);
  compare(clone, name, worktree);
  step(clone);
  if (name === MAIN) write(clone);
  worktree.stamp = stampOf(clone, name);
  step(clone);
}

function stampOf(clone: Clone, name: string): string {
  return JSON.stringify([headOf(clone, name), clone.refresh, name === MAIN ? clone.disk : null]);
}

/**
 * One transaction. Every stamp of the clone goes, and the paths are candidates in every worktree: a process that dies right after it leaves
 * nothing that still holds. The first row of a path says as well that its absence needs no answer, unless it is from install or from the first import.
 */
export function addStatements(
  clone: Clone,
  rows: readonly (ContentStatement | SymbolStatement)[],
  { isBeginning = false } = {},
): void {
  const { store, worktrees } = clone;
  if (rows.length === 0) return;
  const known = new Set(store.statements.flatMap(({ path, source }) => (source === "shared" ? [] : [path])));
  for (const row of rows) {
    if (!isBeginning && row.source !== "shared" && !known.has(row.path)) {
      known.add(row.path);
      store.statements.push({
        ...originOf(row),
        kind: "content",
        path: row.path,
        blob: null,
        at: 0,
        batch: "first",
        documentAt: null,
      });
    }
    store.statements.push(row);
  }
  for (const worktree of Object.values(worktrees)) {
    worktree.stamp = null;
    for (const { path } of rows) worktree.compared?.candidates.add(path);
  }
}

/** Later than every row of the path, of those that it had before or has elsewhere, and than every undo. */
export function timeFor(clone: Clone, path: string): number {
  const { links, statements } = clone.store;
  const paths = new Set([path]);
  for (let size = 0; size !== paths.size; ) {
    size = paths.size;
    for (const { from, to } of links) if (paths.has(from) || paths.has(to)) paths.add(from).add(to);
  }
  const times = statements.flatMap((one) => (paths.has(one.path) ? [one.at] : []));
  const undone = clone.store.voids.map(({ at }) => at);
  return Math.max(clone.world.clock, ...[...times, ...undone].map((at) => at + 1));
}

/** Renamed files become links; so do symbols that a commit moved or renamed. It asks nothing and answers nothing. */
function follow(clone: Clone, name: string, worktree: Worktree): void {
  const { world, worktrees } = clone;
  const head = headOf(clone, name);
  // A worktree that never followed starts where the main one is.
  const since = worktree.followed ?? worktrees[MAIN]?.followed ?? null;
  if (since !== null && since !== head) {
    const seen = ancestorsOf(world, since);
    const walk = [...ancestorsOf(world, head)].filter((commit) => !seen.has(commit)).sort((a, b) => a - b);
    for (const at of walk.slice(-MOST_COMMITS)) {
      const commit = commitAt(world, at);
      const [parent] = commit.parents;
      if (parent !== undefined) followStep(clone, commitAt(world, parent).tree, commit.tree);
    }
  }
  followState(clone, name);
  worktree.followed = head;
}

/** What one commit renamed and moved. */
function followStep(clone: Clone, before: Tree, after: Tree): void {
  const [left, came] = leftAndCame(before, after);
  const files = renamesBetween(left, came);
  for (const { from, to } of files) addLink(clone, { from, to, fromKey: null, toKey: null });
  const movedTo = new Map(files.map(({ from, to }) => [from, to]));
  const functionsOf = (tree: Tree) =>
    Object.entries(tree).flatMap(([path, blob]) =>
      [...symbolsOf(blob).values()].filter(({ type }) => type === "function").map((state) => ({ path, state })),
    );
  const isIn = (tree: Tree, path: string, state: SymbolState) => {
    const blob = tree[path];
    return blob !== undefined && symbolsOf(blob).has(keyOf(state));
  };
  const changed = (tree: Tree, other: Tree) =>
    Object.fromEntries(Object.entries(tree).filter(([path, blob]) => other[path] !== blob));
  const gone = functionsOf(changed(before, after)).filter(
    ({ path, state }) => !isIn(after, movedTo.get(path) ?? path, state),
  );
  const former = new Map(files.map(({ from, to }) => [to, from]));
  const come = functionsOf(changed(after, before)).filter(
    ({ path, state }) => !isIn(before, former.get(path) ?? path, state),
  );
  for (const same of [
    (a: SymbolState, b: SymbolState) => a.hash === b.hash,
    (a: SymbolState, b: SymbolState) => a.bare !== null && a.bare === b.bare,
  ]) {
    for (const one of come) {
      const origins = gone.filter(({ state }) => same(state, one.state));
      const rivals = come.filter(({ state }) => same(one.state, state));
      const [origin] = origins;
      if (origin === undefined || origins.length > 1 || rivals.length > 1) continue;
      addLink(clone, { from: origin.path, to: one.path, fromKey: keyOf(origin.state), toKey: keyOf(one.state) });
    }
  }
}

/** Whenever somebody looks: answered paths that are gone, and paths without an answered content. */
function followState(clone: Clone, name: string): void {
  const view = viewOf(clone, name);
  const gone: Record<string, Blob> = {};
  const came: Record<string, Blob> = {};
  for (const path of view.paths()) {
    const blob = view.tree[path];
    const answer = view.nearestAnswer(path);
    if (blob === undefined && answer !== null && view.changes(path)?.isGone === true) gone[path] = answer;
    if (blob !== undefined && !view.hasAnsweredContent(path)) came[path] = blob;
  }
  for (const { from, to } of renamesBetween(gone, came)) addLink(clone, { from, to, fromKey: null, toKey: null });
  // Texts and answers of symbols that moved are stated at the new place, so that they stay when the old place has a symbol again.
  const moved = viewOf(clone, name);
  const rows = Object.entries(moved.tree).flatMap(([path, blob]) =>
    [...symbolsOf(blob).values()].flatMap((symbol) => movedStatement(clone, moved, path, symbol)),
  );
  addStatements(clone, rows);
}

function movedStatement({ store }: Clone, view: View, path: string, symbol: SymbolState): SymbolStatement[] {
  const isMoved = ({ nearness, stated }: Candidate) =>
    (nearness === "moved" || nearness === "renamed") && (stated.path !== path || stated.state.name !== symbol.name);
  const text = view.text(path, symbol);
  const answers = view.candidates(path, symbol).filter(({ stated }) => stated.by.source !== "shared");
  answers.sort((a, b) => distance(a.nearness) - distance(b.nearness));
  const [nearest] = answers;
  const from =
    text !== null
      ? isMoved(text)
        ? text.stated
        : null
      : nearest !== undefined && isMoved(nearest)
        ? nearest.stated
        : null;
  if (from === null) return [];
  const { kind: _kind, ...origin } = from.by;
  const row: SymbolStatement = { ...originOf(origin), kind: "symbol", path, state: symbol, text: text?.text ?? null };
  const isKnown = store.statements.some(
    (one) =>
      one.kind === "symbol" &&
      one.path === path &&
      one.text === row.text &&
      one.at === row.at &&
      one.state.hash === symbol.hash,
  );
  return isKnown ? [] : [row];
}

function originOf({ source, at, batch, worktree, documentAt, commit, document }: Origin): Origin {
  return { source, at, batch, worktree, documentAt, commit, document };
}

function addLink(clone: Clone, link: Link): void {
  const { links } = clone.store;
  const isKnown = links.some(
    ({ from, to, fromKey, toKey }) =>
      from === link.from && to === link.to && fromKey === link.fromKey && toKey === link.toKey,
  );
  if (isKnown) return;
  links.push(link);
  for (const worktree of Object.values(clone.worktrees)) {
    worktree.stamp = null;
    worktree.compared?.candidates.add(link.from).add(link.to);
  }
}

/** The changes of the paths that can have other ones than before, and the settled commit. */
function compare(clone: Clone, name: string, worktree: Worktree): void {
  const view = viewOf(clone, name);
  const changes = worktree.compared?.changes ?? new Map<string, Changes>();
  for (const path of candidatesFor(clone, view, worktree)) {
    const found = view.changes(path);
    if (found === null) changes.delete(path);
    else changes.set(path, found);
  }
  worktree.compared = { commit: view.commit, changes, candidates: new Set() };
  const { files, deleted } = decide(view, changes, clone.refresh);
  worktree.settled = settledCommit(clone.world, worktree.settled, view.commit, [...Object.keys(files), ...deleted]);
}

/**
 * The paths that changed or got statements, and each path with a symbol whose tokens one of those had, has or is stated to have: a symbol can have
 * moved because another file lost it. All paths where HEAD has other documents than before.
 */
function candidatesFor({ world, store }: Clone, view: View, { compared }: Worktree): Set<string> {
  const documentsAt = (commit: number) => commitAt(world, commit).documents?.graph ?? null;
  if (compared === null || documentsAt(compared.commit) !== documentsAt(view.commit)) {
    return new Set([...view.paths(), ...(compared?.changes.keys() ?? [])]);
  }
  const before = checkedTree(commitAt(world, compared.commit));
  const { tree } = view;
  const found = new Set(compared.candidates);
  for (const path of [...Object.keys(before), ...Object.keys(tree)]) if (before[path] !== tree[path]) found.add(path);
  // A deleted file counts again when no rule ignores it any more.
  for (const commit of [compared.commit, view.commit])
    for (const path of commitAt(world, commit).ignored) found.add(path);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { from, to } of store.links) if (found.has(from) || found.has(to)) found.add(from).add(to);
  }
  const states = [...found].flatMap((path) => [...symbolsIn(before, path).values(), ...symbolsIn(tree, path).values()]);
  const stated = store.statements.filter(({ path }) => found.has(path)).flatMap(statesIn);
  const hashes = new Set<string>();
  for (const { type, hash, bare } of [...states, ...stated])
    if (type === "function") hashes.add(hash).add(bare ?? hash);
  const hasOne = (path: string) =>
    [...symbolsIn(tree, path).values()].some(({ hash, bare }) => hashes.has(hash) || hashes.has(bare ?? hash));
  for (const path of Object.keys(tree)) if (hasOne(path)) found.add(path);
  return found;
}

function statesIn(statement: ContentStatement | SymbolStatement): SymbolState[] {
  if (statement.kind === "symbol") return [statement.state];
  return statement.blob === null ? [] : [...symbolsOf(statement.blob).values()];
}

/** Where Understand-Anything begins to compare: the nearest commit before which a pending path was another one. -1: before the first commit. */
function settledCommit({ commits }: World, settled: number | null, head: number, pending: readonly string[]): number {
  if (pending.length === 0) return head;
  const treeAt = (commit: number) => commits[commit]?.tree ?? {};
  const back = (from: number): number[] => (from === -1 ? [-1] : [from, ...back(commits[from]?.parents[0] ?? -1)]);
  const differs = (commit: number) => pending.some((path) => treeAt(commit)[path] !== treeAt(head)[path]);
  return [...back(settled ?? head), ...back(head)].find(differs) ?? -1;
}

/** Each document that is out of date, if we may; announced before it is there. */
function write(clone: Clone): void {
  const { disk, store } = clone;
  if (!mayWrite(clone)) return;
  const now = render(clone);
  for (const name of ["graph", "fingerprints", "meta"] as const) {
    const text = now[name];
    if (disk[name] === text || text === null) continue;
    store.announced = [...store.announced.filter((one) => one !== text), text].slice(-8 * 3);
    step(clone);
    disk[name] = text;
    if (name === "graph") store.lastGraph = text;
    step(clone);
  }
  store.lastGraph = disk.graph;
}

/** Never a file that git tracks, and none that cannot be read. */
export function mayWrite(clone: Clone): boolean {
  const { documents } = commitAt(clone.world, headOf(clone, MAIN));
  return documents === null && !isTorn(clone.disk.graph);
}

export const isTorn = (text: string | null) => text !== null && !text.startsWith("{");

// ---------------------------------------------------------------- the commands

function origin(clone: Clone, worktree: string, batch: string, path: string): Origin {
  return { source: "here", at: timeFor(clone, path), batch, worktree, documentAt: null, commit: null, document: null };
}

/**
 * Builds the graph of a clone that has none, and then HEAD's contents are what it describes; a graph in the data dir is imported. Where something is
 * stored, the graph is only written again. `isRebuild`: HEAD's contents are what it describes, whatever was pending.
 */
export function install(clone: Clone, { isRebuild = false } = {}): void {
  const { disk, store, world } = clone;
  clone.isInstalled = true;
  if (isTorn(disk.graph)) clone.disk = { ...NO_DOCUMENTS };
  const isNew = store.statements.length === 0 && clone.disk.graph === null;
  if (isRebuild && !isNew) sync(clone, MAIN);
  if (isNew || isRebuild) {
    const batch = `install ${world.turn}`;
    const rows = Object.entries(viewOf(clone, MAIN).tree).map(([path, blob]): ContentStatement => {
      return { ...origin(clone, MAIN, batch, path), kind: "content", path, blob };
    });
    addStatements(clone, rows, { isBeginning: isNew });
  }
  step(clone);
  sync(clone, MAIN);
}

/** All that is pending is as it should be; texts that were listed hold for the new content. A text under review that was not listed stays so. */
export function ack(clone: Clone, worktree: string): void {
  sync(clone, worktree);
  const view = viewOf(clone, worktree);
  const { files, deleted } = decide(view, allChanges(view), clone.refresh);
  const batch = `ack ${clone.world.turn}`;
  const rows: (ContentStatement | SymbolStatement)[] = [];
  for (const [path, asked] of Object.entries(files))
    rows.push(...wholeContent(clone, worktree, view, batch, path, asked));
  for (const path of deleted) rows.push({ ...origin(clone, worktree, batch, path), kind: "content", path, blob: null });
  addStatements(clone, rows);
  step(clone);
  sync(clone, worktree);
}

/** A content with a copy of each text that holds at it: those of the listed symbols, and those whose drift says nothing against them. */
function wholeContent(
  clone: Clone,
  worktree: string,
  view: View,
  batch: string,
  path: string,
  listed: readonly string[],
): (ContentStatement | SymbolStatement)[] {
  const blob = view.tree[path];
  if (blob === undefined) return [];
  const by = origin(clone, worktree, batch, path);
  const rows = [...symbolsOf(blob)].flatMap(([key, state]): SymbolStatement[] => {
    const shown = view.text(path, state);
    const isListed = listed.includes(key);
    // Who was asked about a symbol has a row about it: it stays when something is undone on which the whole content rests.
    if (shown === null) return isListed ? [{ ...by, kind: "symbol", path, state, text: null }] : [];
    if (isExact(shown, state) && shown.stated.path === path && !isListed) return [];
    const holds = isListed || distance(shown.nearness) < distance("behaviour");
    return holds ? [{ ...by, kind: "symbol", path, state, text: shown.text }] : [];
  });
  return [...rows, { ...by, kind: "content", path, blob }];
}

const isExact = (shown: Chosen, { hash }: SymbolState) => shown.stated.state.hash === hash;

/** What an agent answers about a symbol: a text, or that the shown one holds. */
export type Answer = { text: string } | "unchanged";

/** Descriptions and "unchanged", by path and symbol. A whole content is answered only if nothing of it is left open or under review. */
export function apply(
  clone: Clone,
  worktree: string,
  answersFor: (decision: Decision) => Map<string, Map<string, Answer>>,
): void {
  sync(clone, worktree);
  const view = viewOf(clone, worktree);
  const decision = decide(view, allChanges(view), clone.refresh);
  const batch = `apply ${clone.world.turn}`;
  const rows: (ContentStatement | SymbolStatement)[] = [];
  for (const [path, answers] of answersFor(decision)) {
    const blob = view.tree[path];
    const by = origin(clone, worktree, batch, path);
    for (const [key, answer] of answers) {
      const state = blob === undefined ? undefined : symbolsOf(blob).get(key);
      if (state === undefined) continue;
      const text = answer === "unchanged" ? (view.text(path, state)?.text ?? null) : answer.text;
      rows.push({ ...by, kind: "symbol", path, state, text });
      const beside = key === "file " && blob !== undefined ? symbolsOf(blob).get("imports ") : undefined;
      if (beside !== undefined) rows.push({ ...by, kind: "symbol", path, state: beside, text: null });
    }
    const left = [...(view.changes(path)?.symbols ?? [])].filter(
      ([key, { change }]) =>
        !answers.has(key) &&
        !(key === "imports " && answers.has("file ")) &&
        change !== "moved" &&
        change !== "renamed",
    );
    if (blob !== undefined && answers.size > 0 && left.length === 0 && !isUnderReview(view, path, answers)) {
      rows.push(
        ...wholeContent(clone, worktree, view, batch, path, []).filter(
          (row) => row.kind === "content" || !answers.has(keyOf(row.state)),
        ),
      );
    }
  }
  // Who answers an update has seen what was deleted.
  for (const path of decision.deleted) {
    rows.push({ ...origin(clone, worktree, batch, path), kind: "content", path, blob: null });
  }
  addStatements(clone, rows);
  step(clone);
  sync(clone, worktree);
}

function isUnderReview(view: View, path: string, answered: ReadonlyMap<string, Answer>): boolean {
  return [...symbolsIn(view.tree, path)].some(([key, state]) => {
    const shown = answered.has(key) ? null : view.text(path, state);
    return shown !== null && distance(shown.nearness) >= distance("behaviour");
  });
}

/** Structure without a model: answers each symbol that shows no text, or one that was written for this content. */
export function run(clone: Clone, worktree: string): void {
  sync(clone, worktree);
  const view = viewOf(clone, worktree);
  const { files, deleted } = decide(view, allChanges(view), clone.refresh);
  const batch = `run ${clone.world.turn}`;
  const rows: (ContentStatement | SymbolStatement)[] = [];
  for (const path of Object.keys(files)) {
    const by = origin(clone, worktree, batch, path);
    for (const state of symbolsIn(view.tree, path).values()) {
      const shown = view.text(path, state);
      if (shown === null || isExact(shown, state)) rows.push({ ...by, kind: "symbol", path, state, text: null });
    }
  }
  for (const path of deleted) rows.push({ ...origin(clone, worktree, batch, path), kind: "content", path, blob: null });
  addStatements(clone, rows);
  step(clone);
  sync(clone, worktree);
}

/** The newest ack of this worktree does not count any more. */
export function undo(clone: Clone, worktree: string): string | null {
  sync(clone, worktree);
  const { statements, voids } = clone.store;
  const isOpen = (batch: string) => batch.startsWith("ack ") && !voids.some((one) => one.batch === batch);
  const last = statements.filter((one) => one.worktree === worktree && isOpen(one.batch)).at(-1);
  if (last === undefined) return null;
  const paths = new Set(statements.flatMap(({ batch, path }) => (batch === last.batch ? [path] : [])));
  voids.push({ batch: last.batch, at: Math.max(...[...paths].map((path) => timeFor(clone, path))) });
  for (const other of Object.values(clone.worktrees)) {
    other.stamp = null;
    other.compared = null;
  }
  step(clone);
  sync(clone, worktree);
  return last.batch;
}

/** Texts of another clone. They answer a symbol only at the content that they were written for. */
export function sharePull(clone: Clone, other: Clone): void {
  sync(clone, MAIN);
  const { statements } = clone.store;
  const rows = other.store.statements.flatMap((one): SymbolStatement[] => {
    if (one.kind !== "symbol" || one.text === null || one.source !== "here" || one.documentAt !== null) return [];
    if (other.store.voids.some(({ batch }) => batch === one.batch)) return [];
    const isKnown = statements.some(
      (own) =>
        own.kind === "symbol" && own.path === one.path && own.text === one.text && own.state.hash === one.state.hash,
    );
    const { path, state, text, at } = one;
    const batch = `share ${clone.world.turn}`;
    const by: Origin = { source: "shared", at, batch, worktree: MAIN, documentAt: null, commit: null, document: null };
    return isKnown ? [] : [{ ...by, kind: "symbol", path, state, text }];
  });
  addStatements(clone, rows);
  step(clone);
  sync(clone, MAIN);
}
