import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  createIgnoreFilter,
  DEFAULT_IGNORE_PATTERNS,
  GitError,
  getChangedFiles,
  isStale,
  readGraphFreshness,
} from "../../src/index.js";
import { makeRepo, type Repo } from "../support/repo.js";

const DATA = ".understand-anything";
const meta = (commit: string) => ({ [`${DATA}/meta.json`]: JSON.stringify({ gitCommitHash: commit }) });

/** One commit, and a graph that describes it; its files are kept out of git. */
function graphed(repo: Repo): string {
  repo.write({ ".gitignore": `${DATA}/\n` });
  const commit = repo.commit("start", { "src/a.ts": "export const a = 1;\n", "README.md": "one\n" });
  repo.write(meta(commit));
  return commit;
}

test("getChangedFiles names every path that differs, both sides of a rename, whatever its name", (t) => {
  const repo = makeRepo(t);
  const start = repo.commit("start", { "a.ts": "1\n", "old name.ts": "moved\n", 'q"uote\n.ts': "1" });
  assert.deepEqual(getChangedFiles(repo.dir, start), []);
  repo.git("mv", "old name.ts", "ünew.ts");
  repo.commit("change", { "a.ts": "2\n", 'q"uote\n.ts': "2", "sub/b.ts": "" });
  const changed = ["a.ts", "old name.ts", 'q"uote\n.ts', "sub/b.ts", "ünew.ts"];
  assert.deepEqual(getChangedFiles(repo.dir, start).sort(), changed.sort());
  assert.deepEqual(getChangedFiles(join(repo.dir, "sub"), start).sort(), changed.sort());
  assert.deepEqual(isStale(repo.dir, start).stale, true);
  assert.deepEqual(isStale(repo.dir, repo.head()), { stale: false, changedFiles: [] });
});

test("what git cannot tell is an error with a type, and not fresh", (t) => {
  const repo = makeRepo(t);
  const nowhere = makeRepo(t, { init: false });
  repo.commit("start", { "a.ts": "1\n" });
  for (const [dir, name] of [
    [repo.dir, "0123456789012345678901234567890123456789"],
    [repo.dir, ""],
    [repo.dir, "--output=stolen"],
    [repo.dir, "HEAD..HEAD"],
    [nowhere.dir, "HEAD"],
  ] as const) {
    assert.throws(() => getChangedFiles(dir, name), GitError);
    const { stale, changedFiles, reason } = isStale(dir, name);
    assert.deepEqual({ stale, changedFiles }, { stale: true, changedFiles: [] });
    assert.match(reason ?? "", /git rev-parse failed/);
  }
  assert.equal(repo.git("status", "--porcelain"), "");
});

test("a graph at HEAD is fresh, then dirty, then stale", (t) => {
  const repo = makeRepo(t);
  const start = graphed(repo);
  const at = { graphCommit: start, behind: 0, ahead: 0, diverged: false };
  const fresh = readGraphFreshness(repo.dir);
  assert.deepEqual(fresh, { ...at, status: "fresh", reason: fresh.reason, headCommit: start, dirtyFiles: [] });

  repo.write({ "src/a.ts": "export const a = 2;\n", "src/new.ts": "", "dist/out.js": "" });
  const dirty = readGraphFreshness(join(repo.dir, "src"));
  assert.deepEqual(
    [dirty.status, dirty.dirtyFiles.sort()],
    ["dirty", ["src/a.ts", "src/new.ts"]],
    "build output is ignored",
  );

  const second = repo.commit("second");
  const stale = readGraphFreshness(repo.dir);
  assert.deepEqual(stale, {
    ...at,
    status: "stale",
    behind: 1,
    reason: stale.reason,
    headCommit: second,
    dirtyFiles: [],
  });
});

test("ahead, diverged, and a HEAD that moved without a change that counts", (t) => {
  const repo = makeRepo(t);
  const start = graphed(repo);
  repo.git("commit", "-q", "--allow-empty", "-m", "empty");
  assert.deepEqual(pick(repo), ["fresh", 1, 0, false]);
  const second = repo.commit("second", { "src/a.ts": "2\n" });
  repo.write(meta(second));
  repo.git("reset", "-q", "--hard", start);
  assert.deepEqual(pick(repo), ["stale", 0, 2, false]);
  repo.commit("third", { "src/a.ts": "3\n" });
  assert.deepEqual(pick(repo), ["stale", 1, 2, true]);
});

function pick(repo: Repo): unknown[] {
  const { status, behind, ahead, diverged } = readGraphFreshness(repo.dir);
  return [status, behind, ahead, diverged];
}

test("committing the graph itself is no change", (t) => {
  const repo = makeRepo(t);
  const start = repo.commit("start", { "src/a.ts": "1\n" });
  repo.commit("graph", meta(start));
  assert.deepEqual(pick(repo), ["fresh", 1, 0, false]);
});

test("a linked worktree asks the main one's graph, and the graph's own commit serves where meta.json is missing", (t) => {
  const repo = makeRepo(t);
  repo.write({ ".gitignore": ".ua/\n" });
  const start = repo.commit("start", { "src/a.ts": "1\n" });
  repo.write({ ".ua/knowledge-graph.json": JSON.stringify({ project: { gitCommitHash: start } }) });
  repo.git("worktree", "add", "-q", "../linked");
  const linked = repo.at(join(repo.base, "linked"));
  linked.commit("there", { "src/a.ts": "2\n" });
  assert.deepEqual(pick(repo), ["fresh", 0, 0, false]);
  assert.deepEqual(pick(linked), ["stale", 1, 0, false]);
});

test("without meta.json only the beginning of a graph is read, and whatever follows is no matter", (t) => {
  const repo = makeRepo(t);
  repo.write({ ".gitignore": ".ua/\n" });
  const start = repo.commit("start", { "src/a.ts": "1\n" });
  const project = JSON.stringify({ gitCommitHash: start });
  const long = `"${"x".repeat(1024 * 1024)}"`;
  repo.write({ ".ua/knowledge-graph.json": `{"version":"1","project":${project},"nodes":[${long}, torn` });
  assert.deepEqual(pick(repo), ["fresh", 0, 0, false]);
  repo.write({ ".ua/knowledge-graph.json": `{"nodes":[${long}],"project":${project}}` });
  const { status, reason } = readGraphFreshness(repo.dir);
  assert.deepEqual(
    [status, reason],
    ["unknown", "there is no meta.json, and no knowledge graph that begins with its commit"],
  );
});

test("unknown, with the reason", (t) => {
  const reasonAt = (dir: string) => {
    const { status, reason } = readGraphFreshness(dir);
    assert.equal(status, "unknown");
    return reason;
  };
  assert.match(reasonAt(makeRepo(t, { init: false }).dir), /not in a git repository/);
  const repo = makeRepo(t);
  assert.match(reasonAt(repo.dir), /no meta\.json, and no knowledge graph/);
  repo.write(meta("0123456789012345678901234567890123456789"));
  assert.match(reasonAt(repo.dir), /git rev-parse failed/, "no commit yet");
  repo.commit("start", { "src/a.ts": "1\n" });
  const gone = readGraphFreshness(repo.dir);
  assert.deepEqual([gone.status, gone.headCommit], ["unknown", repo.head()]);
  repo.write({ [`${DATA}/meta.json`]: "{ not json" });
  assert.match(reasonAt(repo.dir), /meta\.json/);
});

test("createIgnoreFilter: built-in patterns, then the data dir's file, then the root's", (t) => {
  const repo = makeRepo(t, { init: false });
  repo.write({ ".ua/.understandignore": "docs/\n!dist/\n", ".understandignore": "!docs/\n*.gen.ts\n" });
  const { isIgnored } = createIgnoreFilter(repo.dir);
  const paths = ["node_modules/x/a.js", "dist/a.js", "docs/a.ts", "src/a.gen.ts", "src/a.ts"];
  assert.deepEqual(paths.filter(isIgnored), ["node_modules/x/a.js", "src/a.gen.ts"]);
});

test("createIgnoreFilter: the caller's patterns come last, and the built-in ones are to be had", (t) => {
  const repo = makeRepo(t, { init: false });
  repo.write({ ".understand-anything/.understandignore": "!docs/\n", ".understandignore": "fixtures/\n" });
  const { isIgnored } = createIgnoreFilter(repo.dir, ["docs/", "!dist/"]);
  const paths = ["node_modules/x/a.js", "dist/a.js", "docs/a.ts", "fixtures/a.json", "src/a.ts"];
  assert.deepEqual(paths.filter(isIgnored), ["node_modules/x/a.js", "docs/a.ts", "fixtures/a.json"]);
  assert.deepEqual(paths.filter(createIgnoreFilter(repo.dir, []).isIgnored), paths.slice(0, 2).concat(paths[3] ?? ""));
  for (const pattern of ["node_modules/", ".git/", "obj/", "dist/", "build/", "out/", "coverage/"]) {
    assert.ok(DEFAULT_IGNORE_PATTERNS.includes(pattern), pattern);
  }
  assert.ok(!DEFAULT_IGNORE_PATTERNS.includes("bin/"), "launchers of a command line tool are source");
});
