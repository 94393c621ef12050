import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseCount } from "../../src/fingerprint/count.js";
import { eventsOf, listed, note, recordOf, run, storyOf, verdictOf } from "../support/records.js";
import { installedRepo, makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { runs } from "../support/truth.js";
import { unseen } from "../support/workers.js";

const B = SMALL_PROJECT["src/b.ts"] ?? "";
const TWO = `export function retry(count: number): number {
  return count + 1;
}

export function neighbour(): string {
  return "x";
}

export class Queue {
  push(item: string): void {
    this.items.push(item);
  }
  items: string[] = [];
}
`;

/** Parses of all hooks of this clone, and of this process: everything that could have parsed. */
function parses(repo: Repo): number {
  return runs(repo).reduce((sum, { parses: some }) => sum + some, parseCount());
}

test("A → B → A: active, stale, active, and the second time nothing is parsed", async (t) => {
  const repo = installedRepo(t);
  const ids = [await note(repo, "src/b.ts"), await note(repo, "src/b.ts#twice"), await note(repo, "src/")];
  repo.git("switch", "-q", "-c", "side");
  repo.commit("other body", { "src/b.ts": B.replace("x * 2", "x + x") });
  const verdicts = async () => Promise.all(ids.map((id) => verdictOf(repo, id)));
  const drift = "stale: subject_fingerprint_drift body";
  assert.deepEqual(await verdicts(), [drift, drift, drift]);
  repo.git("switch", "-q", "main");
  assert.deepEqual(await verdicts(), ["active", "active", "active"]);
  const before = parses(repo);
  repo.git("switch", "-q", "side");
  assert.deepEqual(await verdicts(), [drift, drift, drift]);
  repo.git("switch", "-q", "main");
  assert.deepEqual(await verdicts(), ["active", "active", "active"]);
  assert.equal(parses(repo) - before, 0);
  const story = ["created", "stale", "reactivated", "stale", "reactivated"];
  for (const id of ids) assert.deepEqual(await eventsOf(repo, id), story);
});

test("a symbol goes stale when it drifts itself, not when its neighbour does", async (t) => {
  const repo = installedRepo(t);
  unseen(repo).commit("two", { "src/two.ts": TWO });
  const retry = await note(repo, "src/two.ts#retry");
  const method = await note(repo, "src/two.ts#Queue.push");
  const whole = await note(repo, "src/two.ts#Queue");
  assert.match((await recordOf(repo, retry)).code_fingerprint ?? "", /^symbol:h1:[0-9a-f]+$/);
  const verdicts = async () => Promise.all([retry, method, whole].map((id) => verdictOf(repo, id)));

  repo.commit("the neighbour", { "src/two.ts": `// a comment\n${TWO.replace('"x"', '"y"')}` });
  assert.deepEqual(await verdicts(), ["active", "active", "active"]);
  repo.commit("a comment inside", { "src/two.ts": TWO.replace("  return count", "  // up\n  return count") });
  assert.deepEqual(await verdicts(), ["active", "active", "active"], "its tokens are its own text");
  repo.commit("its body", { "src/two.ts": TWO.replace("count + 1", "count + 2") });
  assert.deepEqual(await verdicts(), ["stale: subject_fingerprint_drift body", "active", "active"]);
  repo.commit("its interface", { "src/two.ts": TWO.replace("item: string)", "item: string, at = 0)") });
  const [first, second, third] = await verdicts();
  assert.deepEqual([first, second], ["active", "stale: subject_fingerprint_drift interface"]);
  assert.match(third ?? "", /^stale: subject_fingerprint_drift (body|interface)$/, "a class is all of its text");
  repo.commit("it goes", { "src/two.ts": TWO.replace("function retry", "function again") });
  assert.deepEqual(await verdicts(), ["historical", "active", "active"]);
  repo.commit("it comes back", { "src/two.ts": TWO });
  assert.deepEqual(await verdicts(), ["active", "active", "active"]);
});

test("a body that grew is still a body", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts#twice");
  repo.commit("longer", {
    "src/b.ts": B.replace("  return", "  const a = x;\n  const b = a;\n  const c = b;\n  return"),
  });
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift body");
});

test("a directory by its tree, uncommitted changes included", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/");
  const root = await note(repo, ".");
  assert.equal((await recordOf(repo, id)).code_fingerprint, `tree:${repo.git("rev-parse", "HEAD:src")}`);
  repo.commit("beside it", { "tools/run.py": "def run(x):\n    return 1\n" });
  assert.equal(await verdictOf(repo, id), "active");
  assert.match(await verdictOf(repo, root), /^stale/);
  repo.write({ "src/deep/new.txt": "uncommitted" });
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift interface");
  rmSync(join(repo.dir, "src/deep"), { recursive: true });
  assert.equal(await verdictOf(repo, id), "active");

  repo.write({ "src/deep/x.sh": "#!/bin/sh\n", "src/a-b.ts": "export {};\n", "src/a.d/c.ts": "export {};\n" });
  const dirty = await note(repo, "src/", "--type", "gotcha");
  repo.commit("what was uncommitted");
  const { code_fingerprint } = await recordOf(repo, dirty);
  assert.equal(code_fingerprint, `tree:${repo.git("rev-parse", "HEAD:src")}`, "as git itself makes the tree");
  assert.equal(await verdictOf(repo, dirty), "active");
  repo.git("mv", "src", "lib");
  repo.commit("moved");
  assert.equal(await verdictOf(repo, dirty), "active");
  assert.equal((await recordOf(repo, dirty)).subjects[0]?.now, "lib/");
  repo.git("rm", "-rq", "lib");
  repo.commit("gone");
  assert.equal(await verdictOf(repo, dirty), "historical");
});

test("a renamed subject is followed: as it is, changed on the way, and its symbols", async (t) => {
  const repo = installedRepo(t);
  unseen(repo).commit("two", {
    "src/two.ts": TWO,
    "docs/a.md": "# A\n\none\ntwo\nthree\nfour\n",
    "one.png": Buffer.from([1, 0, 2]),
  });
  const ids: string[] = [];
  for (const subject of ["src/two.ts", "src/two.ts#retry", "docs/a.md", "one.png"]) ids.push(await note(repo, subject));
  const [file = "", symbol = "", page = "", image = ""] = ids;
  mkdirSync(join(repo.dir, "lib"));
  repo.git("mv", "src/two.ts", "lib/deux.ts");
  repo.git("mv", "docs/a.md", "docs/b.md");
  repo.git("mv", "one.png", "lib/eins.png");
  assert.equal(await verdictOf(repo, file), "active", "before it is committed, too");
  assert.equal((await recordOf(repo, file)).subjects[0]?.now, "lib/deux.ts");
  repo.commit("renamed");
  for (const id of ids) assert.equal(await verdictOf(repo, id), "active");
  assert.equal((await recordOf(repo, symbol)).subjects[0]?.now, "lib/deux.ts#retry");
  assert.deepEqual(await listed(repo, "relevant", "lib/deux.ts#retry"), [symbol, file]);
  assert.deepEqual(await listed(repo, "relevant", "lib/eins.png"), [image]);

  repo.commit("changed", { "lib/deux.ts": TWO.replace('"x"', '"y"'), "docs/b.md": "# A\n\none\ntwo\nthree\nfive\n" });
  assert.equal(await verdictOf(repo, file), "stale: subject_fingerprint_drift body");
  assert.equal(await verdictOf(repo, symbol), "active");
  assert.match(await verdictOf(repo, page), /^stale/, "a similar file is the same file, changed");
  assert.deepEqual(await listed(repo, "relevant", "docs/b.md", "--include-stale"), [page]);
  repo.git("mv", "lib/deux.ts", "src/two.ts");
  repo.commit("and back", { "src/two.ts": TWO });
  assert.equal(await verdictOf(repo, file), "active");
  assert.equal((await recordOf(repo, file)).subjects[0]?.now, undefined);
});

test("many anchors whose files are gone: found by content, one listing for all", async (t) => {
  const repo = installedRepo(t);
  const ids: string[] = [];
  for (let at = 0; at < 14; at++) {
    unseen(repo).commit(`page ${at}`, { [`docs/${at}.md`]: `page ${at}\n` });
    ids.push(await note(repo, `docs/${at}.md`));
  }
  unseen(repo).commit("a copy that was always there", { "copy.md": "page 3\n" });
  const late = await note(repo, "docs/3.md");
  repo.git("rm", "-q", "docs/2.md", "docs/3.md");
  repo.git("mv", "docs", "pages");
  repo.commit("moved");
  const found = await run<{ records: { id: string; status: string }[] }>(repo, "list", "--all");
  const status = new Map(found.records.map((one) => [one.id, one.status]));
  assert.deepEqual(
    ids.map((id) => status.get(id)),
    ids.map((_, at) => (at === 2 ? "historical" : "active")),
  );
  assert.equal(status.get(late), "historical", "the copy was there when it was written");
});

test("a file that is only like the one that went, and was there before, is no rename", async (t) => {
  const repo = installedRepo(t);
  unseen(repo).commit("twins", { "one.md": "same\ncontent\n", "two.md": "same\ncontent\n", "empty.txt": "" });
  const id = await note(repo, "one.md");
  const empty = await note(repo, "empty.txt");
  repo.git("rm", "-q", "one.md", "empty.txt");
  repo.commit("gone", { "other-empty.txt": "" });
  assert.equal(await verdictOf(repo, id), "historical");
  assert.equal(await verdictOf(repo, empty), "historical", "every empty file is like every other");
  assert.deepEqual(await listed(repo, "relevant", "two.md"), []);
});

test("rewrites move the anchor's commit along; the verdict does not mind", async (t) => {
  const repo = installedRepo(t);
  repo.git("switch", "-q", "-c", "side");
  repo.commit("one", { "docs/x.md": "x\n" });
  const id = await note(repo, "docs/x.md");
  assert.equal((await recordOf(repo, id)).created_at_commit, repo.head());
  repo.git("commit", "-q", "--amend", "-m", "better");
  assert.equal((await recordOf(repo, id)).created_at_commit, repo.head());
  repo.git("switch", "-q", "main");
  repo.commit("elsewhere", { "docs/y.md": "y\n" });
  repo.git("switch", "-q", "side");
  repo.git("rebase", "-q", "main");
  assert.equal((await recordOf(repo, id)).created_at_commit, repo.head());
  assert.equal(await verdictOf(repo, id), "active");
  const story = ["created", "rewritten", "historical", "reactivated", "rewritten"];
  assert.deepEqual(await eventsOf(repo, id), story, "on main there is no such file; a short other one is not it");
});

test("a verdict belongs to a worktree: active in one worktree, stale in another, historical in a third", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts");
  repo.git("worktree", "add", "-q", "-b", "changed", "../changed");
  repo.git("worktree", "add", "-q", "-b", "without", "../without");
  const changed = repo.at(join(repo.base, "changed"));
  const without = repo.at(join(repo.base, "without"));
  changed.commit("body", { "src/b.ts": B.replace("x * 2", "x + x") });
  without.git("rm", "-q", "src/b.ts");
  without.commit("gone");
  for (let round = 0; round < 2; round++) {
    assert.equal(await verdictOf(repo, id), "active");
    assert.equal(await verdictOf(changed, id), "stale: subject_fingerprint_drift body");
    assert.equal(await verdictOf(without, id), "historical");
  }
  const story = (await storyOf(repo, id)).map(({ event, view: worktree }) => `${worktree}: ${event}`);
  assert.deepEqual(story, [".: created", "changed: stale", "without: historical"], "no view answers for another");
  assert.deepEqual(await listed(changed, "list"), []);
  assert.deepEqual(await listed(repo, "list"), [id]);
  assert.deepEqual(repo.at(changed.dir).uaJson("status").records, { active: 0, stale: 1, historical: 0 });
  repo.git("worktree", "remove", "--force", "../changed");
  repo.git("merge", "-q", "changed");
  assert.match(await verdictOf(repo, id), /^stale/);
});

test("hooks that never fired change no verdict: reset, stash, and a clone without hooks at work", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts");
  repo.git("-c", "core.hooksPath=/dev/null", "rm", "-q", "src/b.ts");
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "gone");
  assert.equal(await verdictOf(repo, id), "historical");
  repo.git("reset", "-q", "--hard", "HEAD~1");
  assert.equal(await verdictOf(repo, id), "active");
  repo.write({ "src/b.ts": "export {};\n" });
  repo.git("stash", "-q");
  assert.equal(await verdictOf(repo, id), "active");
  repo.git("stash", "pop", "-q");
  assert.match(await verdictOf(repo, id), /^stale/);
});

test("an anchor that was uncommitted, and one whose commit is gone", async (t) => {
  const repo = installedRepo(t);
  repo.write({ "src/b.ts": B.replace("twice", "double"), "new.md": "new\n" });
  const symbol = await note(repo, "src/b.ts#double");
  const untracked = await note(repo, "new.md");
  assert.equal(await verdictOf(repo, symbol), "active");
  repo.write({ "src/b.ts": B.replace("twice", "double").replace("x * 2", "x + x") });
  assert.equal(await verdictOf(repo, symbol), "stale: subject_fingerprint_drift body", "git never had that blob");
  repo.write({ "src/b.ts": B.replace("twice", "double") });
  repo.commit("committed");
  assert.deepEqual([await verdictOf(repo, symbol), await verdictOf(repo, untracked)], ["active", "active"]);

  const { text } = { text: readFileSync(join(repo.dir, "new.md"), "utf8") };
  writeFileSync(join(repo.base, "one.jsonl"), "");
  const file = join(repo.base, "records.jsonl");
  await run(repo, "export", file);
  const gone = readFileSync(file, "utf8").replaceAll(
    /"created_at_commit":"[0-9a-f]+"/g,
    `"created_at_commit":"${"1".repeat(40)}"`,
  );
  const other = makeRepo(t);
  other.commit("start", { "docs/moved.md": text, "src/b.ts": B.replace("twice", "double") });
  other.ua("install");
  writeFileSync(file, gone);
  await run(other, "import", file);
  assert.equal(await verdictOf(other, symbol), "active");
  assert.equal(await verdictOf(other, untracked), "active", "found by its content alone");
  renameSync(join(other.dir, "docs/moved.md"), join(other.dir, "docs/again.md"));
  writeFileSync(join(other.dir, "docs/again.md"), "something else\n");
  assert.equal(await verdictOf(other, untracked), "historical");
});

test("line ends that git converts are no change, in a symbol or a file", async (t) => {
  const repo = installedRepo(t);
  unseen(repo).commit("attributes", { ".gitattributes": "*.ts text eol=crlf\n*.md text\n", "docs/x.md": "one\ntwo\n" });
  const symbol = await note(repo, "src/b.ts#twice");
  const page = await note(repo, "docs/x.md");
  repo.write({ "docs/x.md": "one\r\ntwo\r\n", "src/b.ts": B.replaceAll("\n", "\r\n") });
  assert.deepEqual([await verdictOf(repo, symbol), await verdictOf(repo, page)], ["active", "active"]);
  repo.write({ "src/b.ts": B.replace("x * 2", "x + x").replaceAll("\n", "\r\n") });
  assert.equal(await verdictOf(repo, symbol), "stale: subject_fingerprint_drift body");
});
