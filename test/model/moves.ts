import {
  contentOf,
  type FileContent,
  type FunctionContent,
  generatedText,
  symbolsOf,
  type Tree,
  textOf,
} from "./contents.js";
import {
  type Documents,
  type Fingerprints,
  type Graph,
  type Meta,
  NO_DOCUMENTS,
  sidesOf,
  withConflict,
} from "./documents.js";
import { type Answer, ack, apply, install, isTorn, mayWrite, run, sharePull, sync, undo } from "./model.js";
import {
  ancestorsOf,
  type Clone,
  type Commit,
  commitAt,
  type Decision,
  emptyStore,
  headOf,
  MAIN,
  REFRESH,
  type Refresh,
  type World,
} from "./statements.js";

/**
 * What can happen to a project. A move is a name and dice; what it does exactly depends on where the project is, so a game with some moves left out
 * is a game, too. `planOf` says what a move does, as data that the model and a real clone both can carry out.
 */

export interface Move {
  name: string;
  clone: number;
  worktree: number;
  dice: readonly [number, number, number];
}

/** Where something happens. */
interface Place {
  clone: string;
  worktree: string;
}

/** What a commit has. */
export type Snapshot = Pick<Commit, "tree" | "ignored" | "documents">;

export type Action = Place &
  (
    | { kind: "commit" | "amend" | "revert"; snapshot: Snapshot }
    | { kind: "checkout"; branch: string; isNew: boolean }
    | { kind: "merge"; from: string; branch: string; snapshot: Snapshot; isClean: boolean; isFastForward: boolean }
    | { kind: "rebase"; onto: string; snapshots: readonly Snapshot[] }
    | { kind: "reset"; to: number }
    | { kind: "addWorktree" | "removeWorktree" }
    | { kind: "sync" | "ack" | "undo" | "run" | "install" | "rebuild" }
    | { kind: "apply"; answers: (decision: Decision) => Map<string, Map<string, Answer>> }
    | { kind: "share"; from: string }
    | {
        kind: "documents";
        documents: Documents;
        /** Which of the clone's copies it is, if it is one. */
        backup: number | null;
        why: "edit" | "foreign" | "copy" | "restore" | "return" | "damage" | "conflict";
      }
    | { kind: "backup" | "loseState" }
    | { kind: "refresh"; refresh: Refresh }
    | { kind: "clock"; by: number }
    | { kind: "kill"; steps: number }
  );

/** What the player has outside of the clones. */
export interface Table {
  world: World;
  backups: Backup[];
}

/** A copy of a clone's documents. */
interface Backup {
  clone: string;
  documents: Documents;
  /** It came with git, or the clone's database was lost since: what the copy says may be news. */
  isOlder: boolean;
}

export const PATHS = ["src/a.ts", "src/b.ts", "lib/c.ts", "lib/d.ts", "e.ts"] as const;
export const NAMES = ["f", "g", "h"] as const;
export const BRANCHES = ["main", "x", "y"] as const;
export const SIDE = "side";
export const OURS = "ours";
export const THEIRS = "theirs";

const pick = <T>(list: readonly T[], dice: number): T => {
  const found = list[dice % Math.max(1, list.length)];
  if (found === undefined) throw new Error("nothing to choose from");
  return found;
};

export function functionOf(name: string, dice: number): FunctionContent {
  return {
    name,
    params: dice & 1,
    loops: (dice >> 1) & 1,
    body: (dice >> 2) & 3,
    isShort: dice % 7 === 0,
    isTall: (dice >> 4) % 4 === 1,
    sentence: (dice >> 4) % 4 === 2 ? 1 : 0,
  };
}

export function fileOf(dice: number): FileContent {
  return {
    comment: 0,
    imports: dice % 3 === 0 ? [1] : [],
    constant: dice & 1,
    calls: 0,
    functions: [functionOf("f", dice >> 1), functionOf("g", dice >> 3)],
  };
}

export function newClone(world: World, name: string, head: number): Clone {
  const worktree = (branch: string) => ({ branch, settled: null, followed: null, stamp: null, compared: null });
  return {
    name,
    world,
    branches: { main: head, x: head, y: head },
    worktrees: name === OURS ? { main: worktree("main"), side: worktree("x") } : { main: worktree("main") },
    refresh: "structural",
    isInstalled: false,
    store: emptyStore(),
    disk: { ...NO_DOCUMENTS },
    killIn: null,
  };
}

export function newTable(): Table {
  const tree = Object.fromEntries(PATHS.slice(0, 3).map((path, at) => [path, textOf(fileOf(at * 5 + 4))]));
  const world: World = {
    commits: [{ parents: [], tree, documents: null, ignored: [] }],
    clones: {},
    clock: 1000,
    turn: 0,
  };
  world.clones = { [OURS]: newClone(world, OURS, 0), [THEIRS]: newClone(world, THEIRS, 0) };
  for (const clone of Object.values(world.clones)) install(clone);
  return { world, backups: [] };
}

// ---------------------------------------------------------------- what a move does

type Plan = (situation: Situation) => Action | null;

interface Situation {
  table: Table;
  clone: Clone;
  other: Clone;
  place: Place;
  head: Commit;
  dice: readonly [number, number, number];
}

const withFile = (tree: Tree, path: string, content: FileContent | null): Tree => {
  const { [path]: _old, ...rest } = tree;
  const next = content === null ? rest : { ...rest, [path]: textOf(content) };
  return Object.fromEntries(Object.entries(next).sort());
};

/** A commit with another tree; nothing where it is the same. */
function commitOf({ place, head }: Situation, tree: Tree, kind: "commit" | "amend" = "commit"): Action | null {
  if (JSON.stringify(tree) === JSON.stringify(head.tree)) return null;
  return { ...place, kind, snapshot: { tree, ignored: head.ignored, documents: head.documents } };
}

function edited({ head: { tree }, dice: [a, b, c] }: Situation): Tree {
  const path = pick(Object.keys(tree), a);
  const content = contentOf(tree[path] ?? "");
  const at = b % Math.max(1, content.functions.length);
  const change = (next: Partial<FunctionContent>) =>
    content.functions.map((one, index) => (index === at ? { ...one, ...next } : one));
  const changed: readonly Partial<FileContent>[] = [
    { comment: b },
    { constant: b % 4 },
    { imports: b % 3 === 0 ? [] : [b % 3] },
    { calls: b % 2 },
    { functions: change({ sentence: c % 3 }) },
    { functions: change({ body: c % 5 }) },
    { functions: change({ body: c % 5 }) },
    { functions: change({ loops: c % 3 }) },
    { functions: change({ loops: c % 3 }) },
    { functions: change({ params: c % 3 }) },
    { functions: change({ params: c % 3 }) },
    { functions: change({ isTall: c % 2 === 0 }) },
  ];
  return withFile(tree, path, { ...content, ...pick(changed, c) });
}

const PLANS: Readonly<Record<string, Plan>> = {
  edit: (situation) => (hasFiles(situation) ? commitOf(situation, edited(situation)) : null),
  amend: (situation) => {
    const isFirst = situation.head.parents.length !== 1;
    return isFirst || !hasFiles(situation) ? null : commitOf(situation, edited(situation), "amend");
  },
  addFunction: (situation) =>
    onFile(situation, (content, [, b, c]) => {
      const name = pick(NAMES, b);
      if (content.functions.some((one) => one.name === name)) return content;
      const functions = [...content.functions, functionOf(name, c)].sort((x, y) => (x.name < y.name ? -1 : 1));
      return { ...content, functions };
    }),
  removeFunction: (situation) =>
    onFile(situation, (content, [, b]) => ({
      ...content,
      functions: content.functions.filter((_, at) => at !== b % content.functions.length),
    })),
  renameFunction: (situation) =>
    onFile(situation, (content, [, b, c]) => {
      const name = pick(NAMES, c);
      if (content.functions.some((one) => one.name === name)) return content;
      return {
        ...content,
        functions: content.functions.map((one, at) => (at === b % content.functions.length ? { ...one, name } : one)),
      };
    }),
  moveFunction: (situation) => {
    const {
      head: { tree },
      dice: [a, b, c],
    } = situation;
    if (!hasFiles(situation)) return null;
    const [from, to] = [pick(Object.keys(tree), a), pick(Object.keys(tree), c)];
    const [source, target] = [contentOf(tree[from] ?? ""), contentOf(tree[to] ?? "")];
    if (from === to || source.functions.length === 0) return null;
    const moved = pick(source.functions, b);
    if (target.functions.some(({ name }) => name === moved.name)) return null;
    const left = withFile(tree, from, { ...source, functions: source.functions.filter((one) => one !== moved) });
    return commitOf(situation, withFile(left, to, { ...target, functions: [...target.functions, moved] }));
  },
  addFile: (situation) => {
    const {
      head: { tree },
      dice: [a, b],
    } = situation;
    const path = pick(PATHS, a);
    return tree[path] === undefined ? commitOf(situation, withFile(tree, path, fileOf(b))) : null;
  },
  removeFile: (situation) => {
    const {
      head: { tree },
      dice: [a],
    } = situation;
    if (Object.keys(tree).length < 2) return null;
    return commitOf(situation, withFile(tree, pick(Object.keys(tree), a), null));
  },
  renameFile: (situation) => {
    const {
      head: { tree },
      dice: [a, b, c],
    } = situation;
    if (!hasFiles(situation)) return null;
    const [from, to] = [pick(Object.keys(tree), a), pick(PATHS, b)];
    if (tree[to] !== undefined) return null;
    const content = contentOf(tree[from] ?? "");
    const [first, ...rest] = content.functions;
    const changed =
      c % 3 === 0 && first !== undefined ? { ...content, functions: [{ ...first, body: c % 4 }, ...rest] } : content;
    return commitOf(situation, withFile(withFile(tree, from, null), to, changed));
  },
  ignore: ({ place, head, dice: [a] }) => {
    const path = pick(PATHS, a);
    const ignored = head.ignored.includes(path)
      ? head.ignored.filter((one) => one !== path)
      : [...head.ignored, path].sort();
    return { ...place, kind: "commit", snapshot: { tree: head.tree, ignored, documents: head.documents } };
  },
  checkout: ({ clone, place, dice: [a] }) => {
    const branch = pick(BRANCHES, a);
    const isTaken = Object.values(clone.worktrees).some((one) => one.branch === branch);
    return isTaken ? null : { ...place, kind: "checkout", branch, isNew: clone.branches[branch] === undefined };
  },
  merge: (situation) => mergeOf(situation, situation.clone, pick(BRANCHES, situation.dice[0])),
  pull: (situation) => mergeOf(situation, situation.other, pick(BRANCHES, situation.dice[0])),
  rebase: (situation) => rebaseOf(situation, pick(BRANCHES, situation.dice[0])),
  revert: ({ table: { world }, place, head }) => {
    const [parent] = head.parents;
    if (parent === undefined || head.parents.length > 1) return null;
    const { tree, ignored, documents } = commitAt(world, parent);
    if (documents !== head.documents || JSON.stringify([tree, ignored]) === JSON.stringify([head.tree, head.ignored]))
      return null;
    return { ...place, kind: "revert", snapshot: { tree, ignored, documents } };
  },
  reset: ({ place, head }) => {
    const [parent] = head.parents;
    return parent === undefined ? null : { ...place, kind: "reset", to: parent };
  },
  worktree: ({ clone, place }) => {
    if (clone.name !== OURS) return null;
    const kind = clone.worktrees[SIDE] === undefined ? "addWorktree" : "removeWorktree";
    const isFree = !Object.values(clone.worktrees).some(({ branch }) => branch === "x");
    return kind === "addWorktree" && !isFree ? null : { ...place, kind };
  },
  sync: ({ place }) => ({ ...place, kind: "sync" }),
  ack: ({ place }) => ({ ...place, kind: "ack" }),
  undo: ({ place }) => ({ ...place, kind: "undo" }),
  run: ({ place }) => ({ ...place, worktree: MAIN, kind: "run" }),
  apply: ({ table, place }) => ({
    ...place,
    kind: "apply",
    answers: answersFor(`text ${table.world.turn}`, () => true),
  }),
  applyPart: ({ table, place, dice: [, b] }) => ({
    ...place,
    kind: "apply",
    answers: answersFor(`text ${table.world.turn}`, (at) => ((b | 1) >> (at % 6)) % 2 === 1),
  }),
  applyUnchanged: ({ place, dice: [, b] }) => ({
    ...place,
    kind: "apply",
    answers: answersFor(null, (at) => ((b | 1) >> (at % 6)) % 2 === 1),
  }),
  share: ({ place, other }) => ({ ...place, worktree: MAIN, kind: "share", from: other.name }),
  refresh: ({ place, dice: [a] }) => ({ ...place, kind: "refresh", refresh: pick(REFRESH, a) }),
  clock: ({ place, dice: [a] }) => ({ ...place, kind: "clock", by: (a % 2 === 0 ? 1 : -1) * (a + 1) * 10 }),
  kill: ({ place, dice: [a] }) => ({ ...place, kind: "kill", steps: a % 14 }),
  backup: ({ place }) => ({ ...place, kind: "backup" }),
  restore: ({ table, clone, place, dice: [a, b] }) => {
    const own = table.backups.filter((one) => one.clone === clone.name);
    const at = a % Math.max(1, own.length);
    const backup = own[at];
    if (backup === undefined || !mayWrite(clone)) return null;
    const { documents, isOlder } = backup;
    const restored = b % 3 === 0 ? { ...documents, fingerprints: null } : documents;
    return documentsOf(place, isOlder ? "return" : "restore", restored, at);
  },
  editText: ({ table, clone, place, dice: [a] }) =>
    onGraph(clone, place, (graph) => {
      const at = a % Math.max(1, graph.nodes.length);
      return {
        ...graph,
        nodes: graph.nodes.map((node, index) =>
          index === at ? { ...node, summary: `edit ${table.world.turn}` } : node,
        ),
      };
    }),
  removeNode: ({ clone, place, dice: [a] }) =>
    onGraph(clone, place, (graph) => ({
      ...graph,
      nodes: graph.nodes.filter((_, at) => at !== a % graph.nodes.length),
    })),
  foreign: ({ table, clone, place, dice }) => (mayWrite(clone) ? foreignDocuments(table, clone, place, dice) : null),
  copy: ({ clone, other, place }) =>
    mayWrite(clone) && other.disk.graph !== null ? documentsOf(place, "copy", other.disk) : null,
  conflict: ({ clone, other, place }) => {
    const [mine, theirs] = [clone.disk.graph, other.disk.graph];
    if (mine === null || theirs === null || mine === theirs || !mayWrite(clone) || isTorn(theirs)) return null;
    const graph = withConflict(sidesOf(mine)[0] ?? "", sidesOf(theirs)[0] ?? "");
    return documentsOf(place, "conflict", { ...clone.disk, graph });
  },
  damage: ({ clone, place, dice: [a] }) => {
    if (!mayWrite(clone)) return null;
    const { graph, fingerprints, meta } = clone.disk;
    const damaged: readonly Documents[] = [
      { graph: null, fingerprints: null, meta: null },
      { graph, fingerprints: null, meta },
      { graph, fingerprints, meta: null },
      { graph: null, fingerprints, meta },
      { graph: graph === null ? null : graph.slice(1, graph.length / 2), fingerprints, meta },
    ];
    return documentsOf(place, "damage", pick(damaged, a));
  },
  install: ({ place }) => ({ ...place, worktree: MAIN, kind: "install" }),
  rebuild: ({ place }) => ({ ...place, worktree: MAIN, kind: "rebuild" }),
  loseState: ({ place }) => ({ ...place, kind: "loseState" }),
  track: ({ clone, place, head }) => {
    const { graph } = clone.disk;
    if (place.worktree !== MAIN || graph === null || isTorn(graph) || head.documents?.graph === graph) return null;
    const documents = { ...clone.disk, at: clone.world.clock };
    return { ...place, kind: "commit", snapshot: { tree: head.tree, ignored: head.ignored, documents } };
  },
  untrack: ({ place, head }) =>
    place.worktree !== MAIN || head.documents === null
      ? null
      : { ...place, kind: "commit", snapshot: { tree: head.tree, ignored: head.ignored, documents: null } },
};

/** How often each move comes. */
const WEIGHTS: Readonly<Record<string, number>> = {
  edit: 14,
  amend: 3,
  addFunction: 3,
  removeFunction: 3,
  renameFunction: 6,
  moveFunction: 6,
  addFile: 4,
  removeFile: 3,
  renameFile: 4,
  ignore: 1,
  checkout: 4,
  merge: 3,
  pull: 3,
  rebase: 2,
  revert: 3,
  reset: 2,
  worktree: 1,
  sync: 6,
  ack: 6,
  undo: 4,
  run: 2,
  apply: 9,
  applyPart: 6,
  applyUnchanged: 4,
  share: 3,
  refresh: 1,
  clock: 2,
  kill: 4,
  backup: 2,
  restore: 2,
  editText: 2,
  removeNode: 1,
  foreign: 2,
  copy: 3,
  conflict: 1,
  damage: 2,
  install: 1,
  rebuild: 1,
  loseState: 1,
  track: 2,
  untrack: 1,
};

const BAG = Object.entries(WEIGHTS).flatMap(([name, weight]) => Array.from({ length: weight }, () => name));

export function randomMoves(roll: (below: number) => number, count: number): Move[] {
  return Array.from({ length: count }, () => {
    const name = BAG[roll(BAG.length)] ?? "sync";
    // Most happens in our own clone.
    return { name, clone: roll(4) === 0 ? 1 : 0, worktree: roll(3), dice: [roll(64), roll(64), roll(64)] };
  });
}

/** Who writes documents, or copies them, has looked at them first. */
export const LOOKS_FIRST = new Set([
  "editText",
  "removeNode",
  "foreign",
  "copy",
  "conflict",
  "restore",
  "damage",
  "backup",
  "track",
]);

/** What a move does here; null where it can do nothing. */
export function planOf(table: Table, { name, clone: index, worktree, dice }: Move): Action | null {
  const { clones } = table.world;
  const [clone, other] = index === 0 ? [clones[OURS], clones[THEIRS]] : [clones[THEIRS], clones[OURS]];
  if (clone === undefined || other === undefined) throw new Error("a clone is missing");
  const worktrees = Object.keys(clone.worktrees);
  const place = { clone: clone.name, worktree: worktree === 2 && worktrees.includes(SIDE) ? SIDE : MAIN };
  const head = commitAt(table.world, headOf(clone, place.worktree));
  return PLANS[name]?.({ table, clone, other, place, head, dice }) ?? null;
}

const hasFiles = ({ head }: Situation) => Object.keys(head.tree).length > 0;

function onFile(
  situation: Situation,
  change: (content: FileContent, dice: Situation["dice"]) => FileContent,
): Action | null {
  if (!hasFiles(situation)) return null;
  const {
    head: { tree },
    dice,
  } = situation;
  const path = pick(Object.keys(tree), dice[0]);
  return commitOf(situation, withFile(tree, path, change(contentOf(tree[path] ?? ""), dice)));
}

function documentsOf(
  { clone }: Place,
  why: Extract<Action, { kind: "documents" }>["why"],
  { graph, fingerprints, meta }: Documents,
  backup: number | null = null,
): Action {
  return { clone, worktree: MAIN, kind: "documents", why, backup, documents: { graph, fingerprints, meta } };
}

function onGraph(clone: Clone, place: Place, change: (graph: Graph) => Graph): Action | null {
  const { disk } = clone;
  if (disk.graph === null || isTorn(disk.graph) || !mayWrite(clone)) return null;
  const graph = JSON.parse(sidesOf(disk.graph)[0] ?? "") as Graph;
  if (graph.nodes.length === 0) return null;
  return documentsOf(place, "edit", { ...disk, graph: JSON.stringify(change(graph)) });
}

/** `words`: null to say of each that it is unchanged. */
function answersFor(words: string | null, isAnswered: (at: number) => boolean) {
  return ({ files }: Decision): Map<string, Map<string, Answer>> => {
    let at = 0;
    return new Map(
      Object.entries(files).map(([path, asked]) => {
        // A file's imports are asked about with the file.
        const keys = [...new Set(asked.map((key) => (key === "imports " ? "file " : key)))];
        const own = keys.filter(() => isAnswered(at++));
        return [
          path,
          new Map(own.map((key) => [key, words === null ? "unchanged" : { text: `${words} ${path} ${key}` }])),
        ];
      }),
    );
  };
}

/** Another tool has analysed HEAD as a whole: its own nodes for most symbols, parts of its own, entries or none. */
function foreignDocuments({ world }: Table, clone: Clone, place: Place, [a, b, c]: Situation["dice"]): Action {
  const head = commitAt(world, headOf(clone, MAIN));
  const nodes = Object.entries(head.tree).flatMap(([path, blob]) =>
    [...symbolsOf(blob).values()].flatMap(({ type, name }) => {
      const isShown = (b + path.length + name.length * 7 + name.charCodeAt(0)) % 3 !== 0;
      if (type === "imports" || (!isShown && type !== "file")) return [];
      const summary =
        (b + path.length) % 5 === 0 ? generatedText(blob, { type, name }) : `another ${world.turn} ${path} ${name}`;
      return [{ path, type, name, summary }];
    }),
  );
  const parts = Object.fromEntries(
    ["layers", "tour", "concept"].flatMap((key, at) => ((a >> at) & 1 ? [[key, `value ${a % 4}`]] : [])),
  );
  const extras = Object.fromEntries(Object.keys(head.tree).map((path) => [path, `extra ${world.turn}`]));
  const graph: Graph = { tool: "another", analyzedAt: world.clock, nodes, extras, parts };
  const files = Object.fromEntries(Object.entries(head.tree).map(([path, blob]) => [path, { blob, isOwn: false }]));
  const fingerprints: Fingerprints = { generatedAt: world.clock, files };
  const meta: Meta = { commit: headOf(clone, MAIN) };
  return documentsOf(place, "foreign", {
    graph: JSON.stringify(graph),
    fingerprints: c % 2 === 0 ? null : JSON.stringify(fingerprints),
    meta: JSON.stringify(meta),
  });
}

function mergeBase(world: World, a: number, b: number): number | null {
  const [own, other] = [ancestorsOf(world, a), ancestorsOf(world, b)];
  const common = [...own].filter((commit) => other.has(commit));
  return common.length === 0 ? null : Math.max(...common);
}

/** Path by path; where both sides changed one, ours stays. */
function threeWay<T>(
  base: Readonly<Record<string, T>>,
  ours: Readonly<Record<string, T>>,
  theirs: Readonly<Record<string, T>>,
) {
  const merged: Record<string, T> = {};
  let isClean = true;
  for (const path of [...new Set([...Object.keys(ours), ...Object.keys(theirs), ...Object.keys(base)])].sort()) {
    const [was, own, other] = [base[path], ours[path], theirs[path]];
    if (was !== own && was !== other) isClean = false;
    const next = was === own ? other : own;
    if (next !== undefined) merged[path] = next;
  }
  return { merged, isClean };
}

function mergeOf({ table: { world }, clone, place }: Situation, from: Clone, branch: string): Action | null {
  const [own, other] = [headOf(clone, place.worktree), from.branches[branch]];
  if (other === undefined || own === other) return null;
  const base = mergeBase(world, own, other);
  if (base === null || base === other) return null;
  const [before, ours, theirs] = [commitAt(world, base), commitAt(world, own), commitAt(world, other)];
  const isFastForward = base === own;
  const { merged, isClean } = threeWay(before.tree, ours.tree, theirs.tree);
  const isSameRules = String(before.ignored) === String(ours.ignored);
  const isSameDocuments = before.documents === ours.documents;
  const snapshot: Snapshot = {
    tree: isFastForward ? theirs.tree : merged,
    ignored: isSameRules ? theirs.ignored : ours.ignored,
    documents: isSameDocuments ? theirs.documents : ours.documents,
  };
  const isOneSided =
    (isSameRules || String(before.ignored) === String(theirs.ignored)) &&
    (isSameDocuments || before.documents === theirs.documents);
  return { ...place, kind: "merge", from: from.name, branch, snapshot, isClean: isClean && isOneSided, isFastForward };
}

/** Only where nothing conflicts. */
function rebaseOf({ table: { world }, clone, place }: Situation, onto: string): Action | null {
  const [own, other] = [headOf(clone, place.worktree), clone.branches[onto]];
  if (other === undefined || own === other) return null;
  const base = mergeBase(world, own, other);
  if (base === null || base === other || base === own) return null;
  const commits: Commit[] = [];
  for (let at = own; at !== base; ) {
    const commit = commitAt(world, at);
    const [parent] = commit.parents;
    if (parent === undefined || commit.parents.length > 1) return null;
    commits.unshift(commit);
    at = parent;
  }
  const start = commitAt(world, base);
  if (commits.some(({ ignored, documents }) => ignored !== start.ignored || documents !== start.documents)) return null;
  let tree = commitAt(world, other).tree;
  let before = start.tree;
  const snapshots: Snapshot[] = [];
  for (const commit of commits) {
    const { merged, isClean } = threeWay(before, tree, commit.tree);
    if (!isClean) return null;
    before = commit.tree;
    if (JSON.stringify(merged) === JSON.stringify(tree)) continue;
    tree = merged;
    snapshots.push({ tree, ignored: commitAt(world, other).ignored, documents: commitAt(world, other).documents });
  }
  return { ...place, kind: "rebase", onto, snapshots };
}

// ---------------------------------------------------------------- the model carries it out

const GIT = new Set<Action["kind"]>([
  "commit",
  "amend",
  "revert",
  "checkout",
  "merge",
  "rebase",
  "reset",
  "addWorktree",
  "removeWorktree",
]);
export const isGitAction = ({ kind }: Action) => GIT.has(kind);

export function perform(table: Table, action: Action): void {
  const { world } = table;
  const clone = cloneOf(world, action.clone);
  if (isGitAction(action)) performGit(world, clone, action);
  else if (isCommand(action)) performCommand(world, clone, action);
  else if (action.kind === "documents") clone.disk = { ...action.documents };
  else if (action.kind === "backup") {
    if (clone.disk.graph === null || isTorn(clone.disk.graph)) return;
    table.backups.push({ clone: clone.name, documents: { ...clone.disk }, isOlder: !mayWrite(clone) });
  } else if (action.kind === "loseState") {
    for (const backup of table.backups) if (backup.clone === clone.name) backup.isOlder = true;
    loseState(clone);
  } else if (action.kind === "refresh") clone.refresh = action.refresh;
  else if (action.kind === "clock") world.clock += action.by;
  else if (action.kind === "kill") clone.killIn = action.steps;
}

export function cloneOf({ clones }: World, name: string): Clone {
  const clone = clones[name];
  if (clone === undefined) throw new Error(`no clone ${name}`);
  return clone;
}

const COMMANDS = new Set<Action["kind"]>(["sync", "ack", "undo", "run", "install", "rebuild", "apply", "share"]);
export const isCommand = ({ kind }: Action) => COMMANDS.has(kind);

function performCommand(world: World, clone: Clone, action: Action): void {
  const { worktree } = action;
  if (action.kind === "sync") sync(clone, worktree);
  else if (action.kind === "ack") ack(clone, worktree);
  else if (action.kind === "undo") undo(clone, worktree);
  else if (action.kind === "run") run(clone, worktree);
  else if (action.kind === "install") install(clone);
  else if (action.kind === "rebuild") install(clone, { isRebuild: true });
  else if (action.kind === "apply") apply(clone, worktree, action.answers);
  else if (action.kind === "share") sharePull(clone, cloneOf(world, action.from));
}

function loseState(clone: Clone): void {
  clone.store = emptyStore();
  clone.isInstalled = false;
  for (const worktree of Object.values(clone.worktrees)) {
    worktree.settled = null;
    worktree.followed = null;
    worktree.stamp = null;
    worktree.compared = null;
  }
  install(clone);
}

function performGit(world: World, clone: Clone, action: Action): void {
  const { branches, worktrees } = clone;
  const worktree = worktrees[action.worktree];
  if (worktree === undefined) return;
  const head = headOf(clone, action.worktree);
  const add = (parents: readonly number[], { tree, ignored, documents }: Snapshot) => {
    world.commits.push({ parents, tree, ignored, documents });
    branches[worktree.branch] = world.commits.length - 1;
  };
  if (action.kind === "commit" || action.kind === "revert") add([head], action.snapshot);
  else if (action.kind === "amend") add(commitAt(world, head).parents, action.snapshot);
  else if (action.kind === "reset") branches[worktree.branch] = action.to;
  else if (action.kind === "checkout") {
    if (action.isNew) branches[action.branch] = head;
    worktree.branch = action.branch;
  } else if (action.kind === "merge") {
    const other = world.clones[action.from]?.branches[action.branch] ?? head;
    if (action.isFastForward) branches[worktree.branch] = other;
    else add([head, other], action.snapshot);
  } else if (action.kind === "rebase") {
    branches[worktree.branch] = branches[action.onto] ?? head;
    for (const snapshot of action.snapshots) add([branches[worktree.branch] ?? head], snapshot);
  } else if (action.kind === "addWorktree") {
    worktrees[SIDE] = { branch: "x", settled: null, followed: null, stamp: null, compared: null };
  } else if (action.kind === "removeWorktree") {
    delete worktrees[SIDE];
  }
  checkOutDocuments(clone, head);
}

/** Git writes the documents that HEAD tracks, and removes those that it does not track any more. */
function checkOutDocuments(clone: Clone, before: number): void {
  const { world } = clone;
  const now = commitAt(world, headOf(clone, MAIN)).documents;
  const was = commitAt(world, before).documents;
  if (now !== null) clone.disk = { graph: now.graph, fingerprints: now.fingerprints, meta: now.meta };
  else if (was !== null && clone.disk.graph === was.graph) clone.disk = { ...NO_DOCUMENTS };
}

/** For messages. */
export const spelled = (moves: readonly Move[]) =>
  moves.map(({ name, clone, worktree, dice }) => `${name} ${clone}${worktree} ${dice.join(",")}`).join(" | ");
