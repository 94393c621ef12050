import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openState } from "../../src/store/state.js";
import { installedRepo, type Repo } from "../support/repo.js";
import { A, B, BODY, COMMENT, INTERFACE, list, show, stale, tell, unwatchedRepo, verify } from "./support.js";

/** Each state by name, with its drift, as `show` tells it. */
const stateOf = (repo: Repo, path: string) => {
  const { summary, summary_state: state, drift } = show(repo, path);
  return [summary, state, drift];
};

test("a summary is kept through comments and bodies, ages with a body, is stale with the interface, and comes back", (t) => {
  const repo = installedRepo(t);
  tell(repo, { "src/b.ts": "Doubles." });
  assert.deepEqual(stateOf(repo, "src/b.ts"), ["Doubles.", "fresh", "none"]);
  const steps: [string, unknown[]][] = [
    [COMMENT, ["Doubles.", "fresh", "cosmetic"]],
    [BODY, ["Doubles.", "aging", "body"]],
    [INTERFACE, ["Doubles.", "stale", "interface"]],
    [B, ["Doubles.", "fresh", "none"]],
  ];
  for (const [text, expected] of steps) {
    repo.commit("change", { "src/b.ts": text });
    assert.deepEqual(stateOf(repo, "src/b.ts"), expected);
  }
  const parses = repo.uaJson<{ runs: { parses: number }[] }>("log").runs.slice(-1)[0]?.parses;
  assert.equal(parses, 0, "known content is not parsed again");
});

test("of several summaries the nearest is used; the last one written for a content replaces it", (t) => {
  const repo = installedRepo(t);
  tell(repo, { "src/b.ts": "Doubles." });
  repo.commit("other", { "src/b.ts": INTERFACE });
  tell(repo, { "src/b.ts": "Doubles, and adds." });
  assert.deepEqual(stateOf(repo, "src/b.ts"), ["Doubles, and adds.", "fresh", "none"]);
  repo.commit("body", { "src/b.ts": BODY });
  assert.deepEqual(stateOf(repo, "src/b.ts"), ["Doubles.", "aging", "body"], "nearer, though older");
  tell(repo, { "src/b.ts": "Adds to itself." });
  assert.deepEqual(stateOf(repo, "src/b.ts"), ["Adds to itself.", "fresh", "none"]);
  assert.deepEqual(stale(repo), []);
});

test("a rename takes the summary along, edited on the way or not, committed or not", (t) => {
  const repo = installedRepo(t);
  tell(repo, { "src/a.ts": "Adds.", "src/b.ts": "Doubles." });
  repo.git("mv", "src/b.ts", "src/c.ts");
  assert.deepEqual(stateOf(repo, "src/c.ts"), ["Doubles.", "fresh", "none"], "before it is committed");
  repo.commit("moved");
  assert.deepEqual(stateOf(repo, "src/c.ts"), ["Doubles.", "fresh", "none"]);
  repo.git("mv", "src/a.ts", "src/d.ts");
  repo.commit("moved and edited", { "src/d.ts": A.replace("twice(x) + y", "y + twice(x)") });
  assert.deepEqual(stateOf(repo, "src/d.ts"), ["Adds.", "aging", "body"]);
  assert.deepEqual(
    stale(repo).map(({ path }) => path),
    ["src/d.ts"],
  );
  repo.git("revert", "--no-edit", "HEAD");
  repo.git("revert", "--no-edit", "HEAD~2");
  assert.deepEqual(stateOf(repo, "src/b.ts"), ["Doubles.", "fresh", "none"], "the old name has kept its own");
});

test("a file without a grammar is compared by content: another one is stale, and kept", (t) => {
  const repo = installedRepo(t);
  repo.commit("docs", { "README.md": "# One\n" });
  tell(repo, { "README.md": "Says one." });
  repo.commit("docs", { "README.md": "# Two\n" });
  assert.deepEqual(stateOf(repo, "README.md"), ["Says one.", "stale", "interface"]);
});

test("the same file has a summary of its own state in each worktree, and a removed worktree leaves nothing", async (t) => {
  const repo = installedRepo(t);
  tell(repo, { "src/b.ts": "Doubles." });
  repo.git("worktree", "add", "-q", "-b", "side", "../side");
  const side = repo.at(join(repo.base, "side"));
  assert.equal(verify(side, "--conversation", "one").action, "bootstrapped");
  side.commit("theirs", { "src/b.ts": INTERFACE });
  assert.deepEqual(stateOf(side, "src/b.ts"), ["Doubles.", "stale", "interface"]);
  assert.deepEqual(stateOf(repo, "src/b.ts"), ["Doubles.", "fresh", "none"]);
  tell(side, { "src/b.ts": "Doubles, and adds." });
  assert.deepEqual(stateOf(repo, "src/b.ts"), ["Doubles.", "fresh", "none"]);
  repo.git("worktree", "remove", "--force", "../side");
  repo.git("merge", "-q", "side");
  assert.deepEqual(stateOf(repo, "src/b.ts"), ["Doubles, and adds.", "fresh", "none"], "paid for once");
  assert.equal(repo.ua("verify", "--against-clean", "--exit-code").code, 0);
  const db = await openState(join(repo.dir, ".git/ua-hooks"));
  t.after(() => db.close());
  for (const table of ["file_registry", "registry_views", "registry_runs"]) {
    assert.deepEqual(db.all(`SELECT view FROM ${table} WHERE view != '.'`), [], table);
  }
});

test("stale lists what is out of date, worst first, and with --all files without a summary", (t) => {
  const repo = unwatchedRepo(t);
  tell(repo, { "src/a.ts": "Adds.", "src/b.ts": "Doubles." });
  repo.commit("both", { "src/a.ts": A.replace("twice(x) + y", "y + twice(x)"), "src/b.ts": INTERFACE });
  assert.deepEqual(
    stale(repo).map(({ path, summary_state: state }) => [state, path]),
    [
      ["stale", "src/b.ts"],
      ["aging", "src/a.ts"],
    ],
  );
  assert.deepEqual(repo.uaJson<{ untold: string[] }>("registry", "stale", "--all").untold, ["tools/run.py"]);
  assert.equal(repo.ua("registry", "stale", "--exit-code").code, 1);
  assert.match(repo.ua("registry", "stale").stdout, /^stale {2}src\/b\.ts {2}interface {2}params changed: twice$/m);
});

test("binaries and lock files have rows and no summaries; generated files may have one", (t) => {
  const repo = installedRepo(t);
  repo.commit("kinds", {
    "logo.png": Buffer.from([0x89, 0x50, 0, 1]),
    data: Buffer.from([1, 0, 2]),
    words: "no ending, and text\n",
    "package-lock.json": "{}\n",
    "Cargo.lock": "[[package]]\n",
    "api.pb.go": "package api\n",
  });
  const kinds = Object.fromEntries(list(repo).map(({ path, type }) => [path, type]));
  assert.deepEqual(kinds, {
    ...{ "src/a.ts": "text", "src/b.ts": "text", "tools/run.py": "text", words: "text" },
    ...{ "logo.png": "binary", data: "binary", "package-lock.json": "lock", "Cargo.lock": "lock" },
    "api.pb.go": "generated",
  });
  const { updated, failed } = tell(repo, { "logo.png": "A.", data: "B.", "Cargo.lock": "C.", "api.pb.go": "D." });
  assert.deepEqual(
    updated.map(({ path }) => path),
    ["api.pb.go"],
  );
  assert.deepEqual(
    failed.map(({ path, reason }) => `${path}: ${reason}`),
    [
      "logo.png: it is a binary file, which has no summary",
      "data: it is a binary file, which has no summary",
      "Cargo.lock: it is a lock file, which has no summary",
    ],
  );
  assert.deepEqual(
    list(repo, "--type", "lock").map(({ path }) => path),
    ["Cargo.lock", "package-lock.json"],
  );
});
