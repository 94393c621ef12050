import assert from "node:assert/strict";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { analysisOf, applyTo, GRAPH_FILE, graphOf } from "./agent.js";
import {
  type Clone,
  commits,
  content,
  DATA,
  graphFile,
  isClean,
  isTracking,
  keyOf,
  mayShow,
  missing,
  OLD,
  PATHS,
  type Turn,
  write,
} from "./life-clone.js";

/** What can happen to a clone. `roll` chooses among its kinds. */
export const MOVES: Record<string, (turn: Turn) => void> = {
  commit({ clone: { repo }, roll }) {
    const path = PATHS[roll % PATHS.length] ?? "";
    const text = content(Math.floor(roll / 2) % 4);
    if (!repo.has(path) || repo.read(path) !== text) repo.commit("edit", { [path]: text });
  },
  deliver({ world, clone, turn }) {
    const { repo } = clone;
    const paths = PATHS.filter((path) => repo.has(path) && repo.git("diff", "--name-only", "HEAD", "--", path) === "");
    const result = analysisOf(repo, paths, `text ${turn}`);
    applyTo(repo, result);
    for (const path of paths) {
      const own = result.nodes.filter(({ filePath }) => filePath === path);
      write(
        world,
        clone,
        keyOf(repo, path),
        own.map(({ id, summary }) => [id, summary]),
      );
    }
  },
  edit({ world, clone, turn }) {
    const { repo, written } = clone;
    repo.uaJson("status");
    const path = PATHS.find((one) => written.has(keyOf(repo, one)));
    if (path === undefined || !existsSync(graphFile(clone))) return;
    const key = keyOf(repo, path);
    const ids = new Set(written.get(key)?.keys());
    const graph = graphOf(repo);
    const nodes = graph.nodes.map((node) => (ids.has(node.id) ? { ...node, summary: `edit ${turn}` } : node));
    repo.write({ [GRAPH_FILE]: JSON.stringify({ ...graph, nodes }, null, 2) });
    write(
      world,
      clone,
      key,
      [...ids].map((id) => [id, `edit ${turn}`]),
    );
  },
  checkout({ clone, roll }) {
    clone.repo.git("checkout", "-q", aBranch(clone, roll));
  },
  branch: ({ clone: { repo }, turn }) => void repo.git("checkout", "-q", "-b", `topic-${turn}`),
  reset(turn) {
    if (commits(turn.clone) > 2) turn.clone.repo.git("reset", "-q", "--hard", "HEAD~1");
  },
  backup({ clone }) {
    if (existsSync(graphFile(clone))) clone.backups.push(clone.repo.read(GRAPH_FILE));
  },
  restore({ clone: { repo, backups }, roll }) {
    const backup = backups[roll % Math.max(backups.length, 1)];
    if (backup !== undefined) repo.write({ [GRAPH_FILE]: backup });
  },
  remove({ clone }) {
    clone.repo.uaJson("status"); // before the upgrade only the file has it
    rmSync(graphFile(clone), { force: true });
  },
  /** All artefacts of another clone are put in the place of the own ones. */
  copy({ clone, other }) {
    if (clone.name === OLD || other.name === OLD) return; // another repository
    other.repo.uaJson("status");
    for (const name of ["knowledge-graph.json", "fingerprints.json", "meta.json"]) {
      const from = join(other.repo.dir, DATA, name);
      if (existsSync(from)) cpSync(from, join(clone.repo.dir, DATA, name));
    }
    mayShow(clone, other, { isNew: false });
  },
  move({ clone, other, turn }) {
    const file = join(clone.repo.base, `descriptions-${turn}.jsonl`);
    assert.equal(other.repo.ua("export", "--descriptions", file).code, 0);
    assert.equal(clone.repo.ua("import", file).code, 0);
    mayShow(clone, other, { isNew: true });
  },
  /** A branch that tracks the artefacts, as they are now. */
  publish({ clone, turn }) {
    const { repo } = clone;
    repo.uaJson("status"); // before the upgrade only the file has it, and it goes with the branch
    if (!isClean(clone) || !existsSync(graphFile(clone))) return;
    const here = repo.git("rev-parse", "--abbrev-ref", "HEAD");
    repo.git("checkout", "-q", "-b", `tracks-${clone.name}-${turn}`);
    const names = ["knowledge-graph.json", "fingerprints.json", "meta.json"].map((name) => `${DATA}/${name}`);
    repo.git("add", "-f", ...names.filter((name) => repo.has(name)));
    repo.git("commit", "-q", "--allow-empty", "-m", "the graph"); // as they are committed here, perhaps
    repo.git("checkout", "-q", here);
  },
  /** A visit to such a branch of any clone: what came with it is left behind with it. */
  visit(turn) {
    onTracking(turn, (branch) => assertKnown(turn, branch));
  },
  /** What is delivered there is for its content, and not for that branch. */
  deliverThere(turn) {
    onTracking(turn, () => {
      MOVES.deliver?.(turn);
      turn.clone.repo.git("commit", "-q", "-a", "--allow-empty", "-m", "the graph again");
    });
  },
  /** Two such branches merged: the artefacts by the driver where it is registered, otherwise as text, whatever comes of that. */
  joinGraphs(turn) {
    const { repo } = turn.clone;
    onTracking(turn, (branch, branches) => {
      const other = branches.find((name) => name !== branch) ?? branch;
      const { code } = repo.tryGit("merge", "-q", "-X", "theirs", "--no-edit", other);
      if (code !== 0) repo.git("merge", "--abort");
      else if (isJson(repo.read(GRAPH_FILE))) assertKnown(turn, `${branch} with ${other}`);
    });
  },
  merge({ clone, roll }) {
    if (!isClean(clone)) return;
    const { code } = clone.repo.tryGit("merge", "-q", "-X", "theirs", "--no-edit", aBranch(clone, roll));
    if (code !== 0) clone.repo.git("merge", "--abort");
  },
  rebase({ clone, roll }) {
    if (!isClean(clone)) return;
    const { code } = clone.repo.tryGit("rebase", "-q", "-X", "theirs", aBranch(clone, roll));
    if (code !== 0) clone.repo.git("rebase", "--abort");
  },
  revert({ clone }) {
    if (!isClean(clone) || clone.repo.git("rev-list", "--merges", "-1", "HEAD") === clone.repo.head()) return;
    const { code } = clone.repo.tryGit("revert", "--no-edit", "HEAD");
    if (code !== 0) clone.repo.tryGit("revert", "--abort");
  },
  /** Uncommitted changes, away and back; a worker or a reader in between. */
  stash({ clone, roll }) {
    const { repo } = clone;
    const path = PATHS[roll % PATHS.length] ?? "";
    if (!isClean(clone) || !repo.has(path)) return;
    repo.write({ [path]: `${content(roll % 4)}// ${roll}\n` });
    repo.git("stash", "-q");
    repo.uaJson("status");
    repo.git("stash", "pop", "-q");
    repo.uaJson("status");
    repo.git("checkout", "-q", "--", path);
  },
  /** Another worktree of the clone, for the time of one delivery. */
  worktree({ world, clone, other, roll, turn }) {
    const dir = join(clone.repo.base, `worktree-${clone.name}-${turn}`);
    clone.repo.git("worktree", "add", "-q", "--detach", dir, aBranch(clone, roll));
    const linked = { ...clone, repo: clone.repo.at(dir) };
    linked.repo.uaJson("status");
    MOVES.deliver?.({ world, clone: linked, other, roll, turn });
    clone.repo.git("worktree", "remove", "--force", dir);
  },
  collectGarbage: ({ clone: { repo } }) => void repo.git("gc", "-q", "--prune=now"),
  pull({ clone, other }) {
    if (clone.name === OLD || other.name === OLD || !isClean(clone)) return;
    clone.repo.git("fetch", "-q", "--no-tags", other.repo.dir, "HEAD");
    const { code } = clone.repo.tryGit("merge", "-q", "-X", "theirs", "--no-edit", "FETCH_HEAD");
    if (code !== 0) clone.repo.git("merge", "--abort");
  },
  rebuild: ({ clone: { repo } }) => void repo.ua("install", "--yes", "--rebuild"),
  run: ({ clone: { repo } }) => void repo.ua("run"),
};

/** A branch of this clone that tracks no artefact. */
function aBranch({ repo }: Clone, roll: number): string {
  const names = repo.git("branch", "--format=%(refname:short)").split("\n");
  const branches = names.filter((name) => !isTracking(name) && !name.startsWith("("));
  return branches[roll % branches.length] ?? "main";
}

/** On a branch of this or another clone that tracks the artefacts, and back. */
function onTracking({ clone, other, roll }: Turn, there: (branch: string, all: readonly string[]) => void): void {
  if (!isClean(clone)) return;
  const { repo } = clone;
  if (clone.name !== OLD && other.name !== OLD)
    repo.git("fetch", "-q", "--no-tags", other.repo.dir, "+refs/heads/tracks-*:refs/heads/tracks-*");
  const branches = repo.git("branch", "--list", "tracks-*", "--format=%(refname:short)").split("\n").filter(Boolean);
  const branch = branches[roll % Math.max(branches.length, 1)];
  if (branch === undefined) return;
  const here = repo.git("rev-parse", "--abbrev-ref", "HEAD");
  repo.git("checkout", "-q", branch);
  there(branch, branches);
  repo.git("checkout", "-q", here);
}

/**
 * Where artefacts came with a branch, any text that somebody wrote for this content may be shown, and none is lost. Readers and hooks do not write
 * tracked files: where these are older than the store, `status` says so, and `export` writes them.
 */
function assertKnown({ world, clone }: Turn, where: string): void {
  const { repo } = clone;
  const { unwritten } = repo.uaJson<{ unwritten: string[] }>("status");
  if (unwritten.length > 0) assert.equal(repo.ua("export").code, 0);
  const wrong = missing(clone, (key) => world.all.get(key));
  assert.deepEqual(wrong, [], `on ${where}`);
  if (unwritten.length > 0) repo.git("checkout", "-q", "--", DATA);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
