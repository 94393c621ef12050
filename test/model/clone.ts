import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import type { Marker } from "../../src/marker/marker.js";
import { makeRepo, type Repo, repoAt } from "../support/repo.js";
import { generatedText, keyOf, type SymbolType, symbolsIn, symbolsOf, type Tree } from "./contents.js";
import { type Graph, sidesOf } from "./documents.js";
import { isTorn, mayWrite } from "./model.js";
import { type Action, cloneOf, isGitAction, OURS, SIDE, type Snapshot, type Table, THEIRS } from "./moves.js";
import { type Clone, commitAt, type Decision, headOf, MAIN, pendingIn, viewOf } from "./statements.js";

/** Real clones that are led through the moves that the model makes, and what they answer. */

const DATA = ".understand-anything";
const DOCUMENTS = ["knowledge-graph.json", "fingerprints.json", "meta.json"] as const;
const CONFIG = ".ua-hooksrc.json";
const IGNORE = ".understandignore";

/** Moves that a real clone does not make yet: texts that ignore rules took out of the check are not marked, and the rest has harnesses of its own. */
export const ONLY_MODEL: ReadonlySet<string> = new Set(["kill", "clock", "share", "ignore"]);

export interface RealTable {
  /** By clone and worktree: `ours main`. */
  repos: Map<string, Repo>;
  /** Commits of the model, by number. */
  oids: Map<number, string>;
  backups: { clone: string; dir: string }[];
  core: string;
  /** Another tool's graph decides which symbols have nodes; the model does not know that. */
  hasForeign: boolean;
}

const placeName = (clone: string, worktree: string) => `${clone} ${worktree}`;

/** The beginning that `newTable` has. */
export function newRealTable(t: TestContext, { world }: Table, core: string): RealTable {
  const made = makeRepo(t, { name: OURS });
  const env = { ...made.env, ...(core === "old" ? {} : { UA_HOOKS_CORE: core }) };
  const main = repoAt(made.dir, made.base, env);
  main.git("config", "merge.directoryRenames", "false");
  writeSnapshot(main, { tree: commitAt(world, 0).tree, ignored: [], documents: null });
  main.git("add", "-A");
  main.git("commit", "-q", "-m", "start");
  for (const branch of ["x", "y"]) main.git("branch", branch);
  main.git("clone", "-q", main.dir, join(main.base, THEIRS));
  const theirs = main.at(join(main.base, THEIRS));
  for (const branch of ["x", "y"]) theirs.git("branch", branch);
  for (const repo of [main, theirs]) {
    const { code, stderr } = repo.ua("install", "--yes");
    assert.equal(code, 0, stderr);
    writeFileSync(join(repo.dir, ".git/info/exclude"), `${repo.read(".git/info/exclude")}\n/${CONFIG}\n`);
  }
  const repos = new Map([
    [placeName(OURS, MAIN), main],
    [placeName(THEIRS, MAIN), theirs],
  ]);
  const real: RealTable = { repos, oids: new Map([[0, main.head()]]), backups: [], core, hasForeign: false };
  addWorktree(real, "structural");
  return real;
}

function addWorktree(real: RealTable, refresh: string): void {
  const main = repoOf(real, OURS, MAIN);
  main.git("worktree", "add", "-q", `../${SIDE}`, "x");
  const side = main.at(join(main.base, SIDE));
  side.write({ [CONFIG]: JSON.stringify({ refresh }) });
  real.repos.set(placeName(OURS, SIDE), side);
}

export function repoOf({ repos }: RealTable, clone: string, worktree: string): Repo {
  const repo = repos.get(placeName(clone, worktree));
  if (repo === undefined) throw new Error(`no worktree ${worktree} of ${clone}`);
  return repo;
}

function writeSnapshot(repo: Repo, { tree, ignored }: Snapshot): void {
  for (const path of repo.git("ls-files").split("\n")) {
    if (path !== "" && !path.startsWith(DATA) && tree[path] === undefined)
      rmSync(join(repo.dir, path), { force: true });
  }
  repo.write(tree);
  if (ignored.length > 0) repo.write({ [IGNORE]: `${ignored.map((path) => `/${path}`).join("\n")}\n` });
}

/** What a real clone does for a move of the model. `before`: the model as it was. */
export function performReal(real: RealTable, table: Table, action: Action, before: Before): void {
  const repo = repoOf(real, action.clone, action.worktree);
  if (isGitAction(action)) {
    performGit(real, repo, action, before);
    assertSameTree(repo, table, action);
    noteCommits(real, table, action);
    return;
  }
  const clone = cloneOf(table.world, action.clone);
  const main = repoOf(real, action.clone, MAIN);
  switch (action.kind) {
    case "sync":
      repo.ua("status");
      break;
    case "ack":
      repo.ua("ack");
      break;
    case "undo":
      repo.ua("ack", "--undo");
      break;
    case "run":
      repo.ua("run");
      break;
    case "install":
      repo.ua("install", "--yes");
      break;
    case "rebuild":
      repo.ua("install", "--rebuild", "--yes");
      break;
    case "apply":
      applyReal(repo, action.answers(before.decision));
      break;
    case "documents":
      writeDocuments(real, repo, action, before, clone);
      // A read waits for the rest of another program's documents; a command that acts does not.
      if (!isTorn(action.documents.graph)) repo.ua("install", "--yes");
      if (action.why === "foreign") real.hasForeign = true;
      break;
    case "backup":
      backUp(real, clone, main);
      break;
    case "loseState":
      for (const end of ["", "-wal", "-shm"]) rmSync(join(main.dir, `.git/ua-hooks/state.db${end}`), { force: true });
      main.ua("install", "--yes");
      break;
    case "refresh":
      for (const worktree of Object.keys(clone.worktrees)) {
        repoOf(real, action.clone, worktree).write({ [CONFIG]: JSON.stringify({ refresh: action.refresh }) });
      }
      break;
    default:
  }
}

/** What the model had before it made the move. */
export interface Before {
  decision: Decision;
  heads: { head: number; branch: string };
  commits: number;
  refresh: string;
  /** The graph in the data dir. */
  graph: string | null;
}

export function beforeOf({ world }: Table, action: Action): Before {
  const clone = cloneOf(world, action.clone);
  return {
    decision: pendingIn(clone, action.worktree),
    heads: { head: headOf(clone, action.worktree), branch: clone.worktrees[action.worktree]?.branch ?? "" },
    commits: world.commits.length,
    refresh: clone.refresh,
    graph: clone.disk.graph,
  };
}

// ---------------------------------------------------------------- git

function performGit(real: RealTable, repo: Repo, action: Action, before: Before): void {
  switch (action.kind) {
    case "commit":
    case "amend":
      writeSnapshot(repo, action.snapshot);
      if (action.snapshot.ignored.length === 0) rmSync(join(repo.dir, IGNORE), { force: true });
      trackDocuments(repo, action.snapshot);
      repo.git("add", "-A");
      repo.git("commit", "-q", "--allow-empty", "-m", action.kind, ...(action.kind === "amend" ? ["--amend"] : []));
      break;
    case "revert":
      repo.git("revert", "--no-edit", "HEAD");
      break;
    case "checkout":
      repo.git("checkout", "-q", ...(action.isNew ? ["-b"] : []), action.branch);
      break;
    case "reset":
      repo.git("reset", "-q", "--hard", real.oids.get(action.to) ?? "");
      break;
    case "merge":
      merge(real, repo, action);
      break;
    case "rebase":
      rebase(repo, action);
      break;
    case "addWorktree":
      addWorktree(real, before.refresh);
      break;
    case "removeWorktree":
      repoOf(real, OURS, MAIN).git("worktree", "remove", "--force", `../${SIDE}`);
      real.repos.delete(placeName(OURS, SIDE));
      break;
    default:
  }
}

/** A commit that begins to track the documents, or ends it. */
function trackDocuments(repo: Repo, { documents }: Snapshot): void {
  const isTracked = repo.git("ls-files", DATA) !== "";
  const there = DOCUMENTS.map((name) => `${DATA}/${name}`).filter((path) => repo.has(path));
  if (documents !== null) repo.git("add", "-f", ...there);
  else if (isTracked) repo.git("rm", "-q", "--", DATA);
}

function merge(real: RealTable, repo: Repo, action: Extract<Action, { kind: "merge" }>): void {
  let from = action.branch;
  if (action.from !== action.clone) {
    repo.git("fetch", "-q", repoOf(real, action.from, MAIN).dir, action.branch);
    from = "FETCH_HEAD";
  }
  if (action.isFastForward) {
    repo.git("merge", "-q", "--ff-only", from);
    return;
  }
  if (action.isClean && repo.tryGit("merge", "-q", "--no-edit", from).code === 0 && isTree(repo, action.snapshot.tree))
    return;
  repo.tryGit("merge", "--abort");
  if (repo.tryGit("merge", "-q", "--no-commit", "-s", "ours", from).code !== 0) throw new Error("git does not merge");
  writeSnapshot(repo, action.snapshot);
  repo.git("add", "-A");
  repo.tryGit("commit", "-q", "--no-edit");
}

function rebase(repo: Repo, { onto, snapshots }: Extract<Action, { kind: "rebase" }>): void {
  const branch = repo.git("branch", "--show-current");
  const before = repo.head();
  const tree = snapshots.at(-1)?.tree;
  if (repo.tryGit("rebase", "-q", onto).code === 0 && (tree === undefined || isTree(repo, tree))) return;
  repo.tryGit("rebase", "--abort");
  repo.git("reset", "-q", "--hard", before);
  repo.git("checkout", "-q", "--detach", onto);
  for (const snapshot of snapshots) {
    writeSnapshot(repo, snapshot);
    repo.git("add", "-A");
    repo.git("commit", "-q", "-m", "rebased");
  }
  repo.git("checkout", "-q", "-B", branch);
}

const isTree = (repo: Repo, tree: Tree) =>
  String(filesOf(repo)) === String(Object.keys(tree).sort()) &&
  Object.entries(tree).every(([path, text]) => repo.read(path) === text);

const filesOf = (repo: Repo) =>
  repo
    .git("ls-files")
    .split("\n")
    .filter((path) => path.endsWith(".ts"))
    .sort();

function assertSameTree(repo: Repo, { world }: Table, { kind, clone, worktree }: Action): void {
  if (kind === "removeWorktree" || kind === "addWorktree") return;
  const { tree } = commitAt(world, headOf(cloneOf(world, clone), worktree));
  assert.ok(isTree(repo, tree), `after ${kind} git has ${filesOf(repo)}, the model ${Object.keys(tree)}`);
}

/** Which real commits the new ones of the model are. */
function noteCommits({ repos, oids }: RealTable, { world }: Table, { clone, worktree }: Action): void {
  const repo = repos.get(placeName(clone, worktree));
  if (repo === undefined) return;
  let oid = repo.head();
  for (let at = headOf(cloneOf(world, clone), worktree); !oids.has(at); ) {
    oids.set(at, oid);
    const [parent] = commitAt(world, at).parents;
    if (parent === undefined) return;
    oid = repo.git("rev-parse", `${oid}^`);
    at = parent;
  }
}

// ---------------------------------------------------------------- answers and documents

const idOf = (path: string, key: string) => {
  const [type = "", name = ""] = key.split(" ");
  return type === "file" ? `file:${path}` : `${type}:${path}:${name}`;
};

function applyReal(repo: Repo, answers: ReturnType<Extract<Action, { kind: "apply" }>["answers"]>): void {
  const descriptions: Record<string, { summary: string }> = {};
  const unchanged: string[] = [];
  for (const [path, own] of answers) {
    for (const [key, answer] of own) {
      if (answer === "unchanged") unchanged.push(idOf(path, key));
      else descriptions[idOf(path, key)] = { summary: answer.text };
    }
  }
  const file = join(repo.base, "answer.json");
  writeFileSync(file, JSON.stringify({ descriptions, unchanged }));
  repo.ua("apply", file, "--json");
}

function backUp(real: RealTable, clone: Clone, repo: Repo): void {
  // As the model does: nothing else is a graph.
  if (clone.disk.graph === null || isTorn(clone.disk.graph)) return;
  const dir = join(repo.base, `backup-${real.backups.length}`);
  mkdirSync(dir);
  for (const name of DOCUMENTS) copyIfThere(join(repo.dir, DATA, name), join(dir, name));
  real.backups.push({ clone: clone.name, dir });
}

function restore(
  real: RealTable,
  repo: Repo,
  { clone, backup, documents }: Extract<Action, { kind: "documents" }>,
): void {
  const own = real.backups.filter((one) => one.clone === clone)[backup ?? 0];
  if (own === undefined) throw new Error("no copy to restore");
  for (const name of DOCUMENTS) copyIfThere(join(own.dir, name), join(repo.dir, DATA, name));
  if (documents.fingerprints === null) rmSync(join(repo.dir, DATA, "fingerprints.json"), { force: true });
}

function writeDocuments(
  real: RealTable,
  repo: Repo,
  action: Extract<Action, { kind: "documents" }>,
  before: Before,
  clone: Clone,
): void {
  const at = (name: string) => join(repo.dir, DATA, name);
  const { documents, why } = action;
  if (why === "damage") {
    for (const [name, text] of [
      ["knowledge-graph.json", documents.graph],
      ["fingerprints.json", documents.fingerprints],
      ["meta.json", documents.meta],
    ] as const) {
      if (text === null) rmSync(at(name), { force: true });
      else if (!text.startsWith("{")) writeFileSync(at(name), repo.read(`${DATA}/${name}`).slice(0, 200));
    }
  } else if (why === "edit") editReal(repo, JSON.parse(sidesOf(documents.graph ?? "")[0] ?? "") as Graph, before);
  else if (why === "restore" || why === "return") restore(real, repo, action);
  else if (why === "foreign") writeForeign(real, repo, documents, clone);
  else if (why === "copy") {
    const other = repoOf(real, action.clone === OURS ? THEIRS : OURS, MAIN);
    for (const name of DOCUMENTS) copyIfThere(join(other.dir, DATA, name), at(name));
  } else if (why === "conflict") {
    const other = repoOf(real, action.clone === OURS ? THEIRS : OURS, MAIN);
    const [mine, theirs] = [repo.read(`${DATA}/knowledge-graph.json`), other.read(`${DATA}/knowledge-graph.json`)];
    writeFileSync(at("knowledge-graph.json"), `<<<<<<< ours\n${mine}=======\n${theirs}>>>>>>> theirs\n`);
  }
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to);
  else rmSync(to, { force: true });
}

/** One node has other words, or is gone. */
function editReal(repo: Repo, edited: Graph, before: Before): void {
  const was = JSON.parse(sidesOf(before.graph ?? "")[0] ?? "") as Graph;
  const texts = new Map(edited.nodes.map((node) => [idOf(node.path, keyOf(node)), node.summary]));
  const before_ = new Map(was.nodes.map((node) => [idOf(node.path, keyOf(node)), node.summary]));
  const graph = JSON.parse(repo.read(`${DATA}/knowledge-graph.json`)) as KnowledgeGraph;
  const nodes = graph.nodes.flatMap((node): GraphNode[] => {
    const [then, now] = [before_.get(node.id), texts.get(node.id)];
    if (then !== undefined && now === undefined) return [];
    return then === now || now === undefined ? [node] : [{ ...node, summary: now }];
  });
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = graph.edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
  repo.write({ [`${DATA}/knowledge-graph.json`]: JSON.stringify({ ...graph, nodes, edges }, null, 2) });
}

/** As Understand-Anything writes them: nodes without blobs, for HEAD. */
function writeForeign(
  real: RealTable,
  repo: Repo,
  { graph, fingerprints }: { graph: string | null; fingerprints: string | null },
  clone: Clone,
): void {
  const { nodes } = JSON.parse(graph ?? "") as Graph;
  const own = JSON.parse(repo.read(`${DATA}/knowledge-graph.json`)) as KnowledgeGraph;
  const commit = real.oids.get(headOf(clone, MAIN)) ?? repo.head();
  const analyzedAt = new Date().toISOString();
  const written = nodes.map(({ path, type, name, summary }): GraphNode => {
    return {
      id: idOf(path, keyOf({ type, name })),
      type,
      name: name === "" ? path : name,
      filePath: path,
      summary,
      tags: [],
      complexity: "simple",
    };
  });
  const project = { ...own.project, analyzedAt, gitCommitHash: commit };
  const document = { version: own.version, project, nodes: written, edges: [], layers: [], tour: [] };
  repo.write({ [`${DATA}/knowledge-graph.json`]: JSON.stringify(document, null, 2) });
  repo.write({
    [`${DATA}/meta.json`]: JSON.stringify({
      lastAnalyzedAt: analyzedAt,
      gitCommitHash: commit,
      version: "1.0.0",
      analyzedFiles: nodes.length,
    }),
  });
  if (fingerprints === null) rmSync(join(repo.dir, DATA, "fingerprints.json"), { force: true });
}

// ---------------------------------------------------------------- what is answered

/** What a worktree says, in the model's words. */
export interface RealAnswers {
  action: string;
  files: Record<string, string[]>;
  deleted: string[];
  /** By node id, of files that are not pending; null where the documents are not ours to write. */
  nodes: Record<string, { text: string; describes: boolean; review: boolean }> | null;
}

/** Null where the graph cannot be read, and the program says so. */
export function realAnswers(repo: Repo, worktree: string, tree: Tree): RealAnswers | null {
  const { code, stdout, stderr } = repo.ua("pending", "--json");
  if (code === 5 && stderr.includes("cannot be read")) return null;
  if (code !== 0) throw new Error(`pending exited ${code}: ${stderr}`);
  const marker = JSON.parse(stdout) as Partial<Marker> & { pending?: boolean };
  const files: Record<string, string[]> = {};
  for (const path of marker.filesToReanalyze ?? []) {
    const change = marker.fileChanges?.find(({ filePath }) => filePath === path);
    const symbols = change?.symbols?.map(({ id }) => keyOfId(id));
    files[path] = (
      symbols ?? [...symbolsIn(tree, path).values()].filter(({ type }) => type !== "imports").map(keyOf)
    ).sort();
  }
  return {
    action: marker.action ?? "SKIP",
    files,
    deleted: [...(marker.deletedFiles ?? [])].sort(),
    nodes: worktree === MAIN && repo.has(`${DATA}/knowledge-graph.json`) ? nodesOf(repo) : null,
  };
}

function keyOfId(id: string): string {
  const [type = "", , name = ""] = id.split(":");
  return `${type} ${name}`;
}

function nodesOf(repo: Repo): RealAnswers["nodes"] {
  const { nodes } = JSON.parse(repo.read(`${DATA}/knowledge-graph.json`)) as KnowledgeGraph;
  return Object.fromEntries(
    nodes.map((node) => {
      const { id, summary, describes, needsReview } = node as GraphNode & { describes?: string; needsReview?: string };
      return [id, { text: summary, describes: describes !== undefined, review: needsReview !== undefined }];
    }),
  );
}

export function modelAnswers(clone: Clone, worktree: string): RealAnswers {
  const { action, files, deleted } = pendingIn(clone, worktree);
  const asked = Object.entries(files).map(([path, keys]) => [path, withoutImports(keys)] as const);
  return {
    action,
    files: Object.fromEntries(asked),
    deleted: [...deleted],
    nodes: worktree === MAIN && mayWrite(clone) ? modelNodes(clone) : null,
  };
}

/** A file's imports are asked about with the file. */
const withoutImports = (keys: readonly string[]) =>
  [...new Set(keys.map((key) => (key === "imports " ? "file " : key)))].sort();

function modelNodes(clone: Clone): RealAnswers["nodes"] {
  const view = viewOf(clone, MAIN);
  const nodes: NonNullable<RealAnswers["nodes"]> = {};
  for (const [path, blob] of Object.entries(view.tree)) {
    for (const [key, state] of symbolsOf(blob)) {
      if (state.type === ("imports" satisfies SymbolType)) continue;
      const text = view.text(path, state);
      nodes[idOf(path, key)] = {
        text: text?.text ?? generatedText(blob, state),
        describes: text !== null && text.stated.state.hash !== state.hash,
        review: text !== null && (text.nearness === "behaviour" || text.nearness === "interface"),
      };
    }
  }
  return nodes;
}

/** A difference between the model and a real clone, with the kind by which it is counted. */
export interface Difference {
  kind: string;
  message: string;
}

/** The old core's graph shows the answered content of a pending file: there its nodes are compared only where nothing is pending. */
export function differencesOf(
  model: RealAnswers,
  real: RealAnswers,
  { core, hasForeign }: Pick<RealTable, "core" | "hasForeign">,
): Difference[] {
  const found = pendingDifferences(model, real);
  const isPending = (id: string) => {
    const path = id.split(":")[1] ?? "";
    return model.files[path] !== undefined || real.files[path] !== undefined || real.deleted.includes(path);
  };
  const isCompared = (id: string) => /^(file|function):[^:]*\.ts(:|$)/.test(id) && !(core === "old" && isPending(id));
  for (const id of new Set([...Object.keys(model.nodes ?? {}), ...Object.keys(real.nodes ?? {})])) {
    if (model.nodes === null || real.nodes === null || !isCompared(id)) continue;
    const isInBoth = model.nodes[id] !== undefined && real.nodes[id] !== undefined;
    const difference = hasForeign && !isInBoth ? null : nodeDifference(model.nodes[id], real.nodes[id]);
    if (difference !== null) found.push({ kind: difference.kind, message: `${id} ${difference.message}` });
  }
  return found;
}

function pendingDifferences(model: RealAnswers, real: RealAnswers): Difference[] {
  const found: Difference[] = [];
  for (const path of new Set([...Object.keys(model.files), ...Object.keys(real.files)])) {
    const [own, other] = [model.files[path] ?? [], real.files[path] ?? []];
    const more = other.filter((key) => !own.includes(key));
    const less = own.filter((key) => !other.includes(key));
    if (more.length > 0) found.push({ kind: "asks more", message: `${path}: ${more}` });
    if (less.length > 0) found.push({ kind: "asks less", message: `${path}: ${less}` });
  }
  const deleted = `${model.deleted} / ${real.deleted}`;
  if (String(model.deleted) !== String(real.deleted)) found.push({ kind: "deleted", message: deleted });
  if (found.length === 0 && model.action !== real.action)
    found.push({ kind: "action", message: `${model.action} / ${real.action}` });
  return found;
}

type Node = NonNullable<RealAnswers["nodes"]>[string];

function nodeDifference(model: Node | undefined, real: Node | undefined): Difference | null {
  if (real === undefined) return { kind: "no node", message: "" };
  if (model === undefined) return { kind: "a node too many", message: real.text };
  const message = `"${model.text}" / "${real.text}"`;
  if (model.text !== real.text) return { kind: textKind(model.text, real.text), message };
  if (model.review === real.review) return null;
  return { kind: model.review ? "not flagged" : "flagged", message };
}

const isGenerated = (text: string) => /^(TypeScript file|Exported function with|What \w+ does)/.test(text);
const textKind = (own: string, other: string) =>
  isGenerated(own) ? "text where none is expected" : isGenerated(other) ? "text missing" : "another text";
