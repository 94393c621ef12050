import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Repo, repoAt } from "../support/repo.js";
import { B, BODY, COMMENT, INTERFACE, list, show, tell, unwatchedRepo, verdictsIn, verify } from "./support.js";

const md5 = (text: string | Buffer) => createHash("md5").update(text).digest("hex");

test("staged, edited, deleted, untracked and ignored files, as git sees them; nothing of it is stored", (t) => {
  const repo = unwatchedRepo(t);
  verify(repo);
  repo.write({ "src/b.ts": INTERFACE, "src/staged.ts": "export const s = 1;\n", "src/more/loose.ts": "loose\n" });
  repo.write({ "out.log": "ignored\n", ".gitignore": "*.log\n" });
  repo.git("add", "src/staged.ts", ".gitignore");
  rmSync(join(repo.dir, "tools/run.py"));
  const answer = verify(repo);
  assert.deepEqual(verdictsIn(answer), [
    ".gitignore new",
    "src/b.ts mismatch",
    "src/more/loose.ts new",
    "src/staged.ts new",
    "tools/run.py missing",
  ]);
  assert.ok(answer.verdicts.every(({ uncommitted }) => uncommitted));
  assert.deepEqual(answer.counts, { match: 1, mismatch: 1, missing: 1, new: 3 });
  assert.deepEqual(
    list(repo).map(({ path }) => path),
    [".gitignore", "src/a.ts", "src/b.ts", "src/more/loose.ts", "src/staged.ts"],
  );
  repo.git("reset", "-q", "--hard");
  repo.git("clean", "-fdq");
  const after = verify(repo);
  assert.deepEqual([after.action, after.counts.match], ["trusted", 3]);
});

test("a merge in conflict and a stopped rebase are compared with HEAD", (t) => {
  const repo = unwatchedRepo(t);
  repo.git("checkout", "-q", "-b", "side");
  repo.commit("side", { "src/b.ts": INTERFACE });
  repo.git("checkout", "-q", "main");
  repo.commit("main", { "src/b.ts": BODY });
  verify(repo);
  assert.notEqual(repo.tryGit("merge", "-q", "side").code, 0);
  assert.deepEqual(verdictsIn(verify(repo)), ["src/b.ts mismatch"]);
  repo.git("merge", "--abort");
  assert.deepEqual(verdictsIn(verify(repo)), []);
});

test("an edit back to what was summarised is fresh before it is committed; comments and bodies are graded", (t) => {
  const repo = unwatchedRepo(t);
  tell(repo, { "src/b.ts": "Doubles." });
  repo.commit("away", { "src/b.ts": INTERFACE });
  const states = [B, COMMENT, BODY].map((text) => {
    repo.write({ "src/b.ts": text });
    const { summary_state: state, drift, uncommitted } = show(repo, "src/b.ts");
    return [state, drift, uncommitted];
  });
  assert.deepEqual(states, [
    ["fresh", "none", true],
    ["fresh", "cosmetic", true],
    ["aging", "body", true],
  ]);
});

test("line ends are converted as git does: a checkout with CRLF matches, and an edit in it is graded", (t) => {
  const repo = unwatchedRepo(t);
  tell(repo, { "src/b.ts": "Doubles." });
  repo.git("config", "core.autocrlf", "true");
  rmSync(join(repo.dir, "src/b.ts"));
  repo.git("checkout", "-q", "src/b.ts");
  assert.match(repo.read("src/b.ts"), /\r\n/);
  const clean = verify(repo, "--rehash");
  assert.deepEqual([clean.counts.mismatch, clean.hashed], [0, 3]);
  assert.equal(show(repo, "src/b.ts").size_bytes, Buffer.byteLength(B), "the content's, not the checkout's");
  repo.write({ "src/b.ts": BODY.replaceAll("\n", "\r\n") });
  const { summary_state: state, drift, content_oid: oid } = show(repo, "src/b.ts");
  assert.deepEqual([state, drift], ["aging", "body"]);
  repo.commit("body");
  assert.equal(repo.git("rev-parse", "HEAD:src/b.ts"), oid);
});

test("--rehash: a file whose bytes are the blob's matches, also where a filter would change them", (t) => {
  const repo = unwatchedRepo(t);
  repo.commit("line ends of Windows, stored as they are", { "src/win.ts": "export const a = 1;\r\n" });
  repo.git("config", "core.autocrlf", "true");
  assert.equal(repo.git("status", "--porcelain"), "", "git leaves alone what has them in the index");
  const { counts, hashed } = verify(repo, "--rehash");
  assert.deepEqual([counts.mismatch, hashed], [0, 4]);
});

test("a clean filter of the user's runs as in git's own status", (t) => {
  const repo = unwatchedRepo(t);
  repo.git("config", "filter.upper.clean", "tr a-z A-Z");
  repo.commit("attributes", { ".gitattributes": "*.up filter=upper\n", "a.up": "words\n" });
  verify(repo);
  const { counts, hashed } = verify(repo, "--rehash");
  assert.deepEqual([counts.mismatch, hashed], [0, 5]);
  repo.write({ "a.up": "other\n" });
  assert.deepEqual(verdictsIn(verify(repo)), ["a.up mismatch"]);
});

test("md5 where asked, of the content; a second question finds it stored", (t) => {
  const repo = unwatchedRepo(t);
  repo.write({ "src/b.ts": BODY });
  const { verdicts } = verify(repo, "--md5", "--all");
  assert.deepEqual(
    verdicts.map(({ path, verdict, content_md5: sum }) => [path, verdict, sum]),
    [
      ["src/a.ts", "match", md5(repo.read("src/a.ts"))],
      ["src/b.ts", "mismatch", md5(BODY)],
      ["tools/run.py", "match", md5(repo.read("tools/run.py"))],
    ],
  );
  assert.equal(show(repo, "src/a.ts").content_md5, null);
  assert.equal(show(repo, "src/a.ts", "--md5").content_md5, md5(repo.read("src/a.ts")));
  assert.equal(list(repo, "src/a.ts", "--md5")[0]?.content_md5, md5(repo.read("src/a.ts")));
});

test("--rehash finds what git's index was set to ignore; a sparse checkout is not a deletion", (t) => {
  const repo = unwatchedRepo(t);
  verify(repo);
  repo.git("update-index", "--assume-unchanged", "src/b.ts");
  repo.write({ "src/b.ts": INTERFACE });
  assert.equal(repo.git("status", "--porcelain"), "");
  assert.deepEqual(verdictsIn(verify(repo)), []);
  assert.deepEqual(verdictsIn(verify(repo, "--rehash")), ["src/b.ts mismatch"]);
  assert.equal(repo.ua("verify", "--rehash", "--exit-code").code, 1);
  repo.git("update-index", "--no-assume-unchanged", "src/b.ts");
  repo.git("checkout", "-q", "src/b.ts");
  repo.git("sparse-checkout", "set", "src");
  assert.equal(repo.has("tools"), false);
  assert.deepEqual(verdictsIn(verify(repo, "--rehash")), []);
});

test("names that are no text, or hold what separates records, have rows like all others", (t) => {
  const repo = unwatchedRepo(t);
  const odd = ['a "quoted".ts', "new\nline.ts", "tab\t.ts", " space", "ünï.ts", '"'];
  repo.commit("odd", Object.fromEntries(odd.map((name) => [name, `// ${name.length}\n`])));
  const names = list(repo).map(({ path }) => path);
  assert.deepEqual(
    odd.filter((name) => !names.includes(name)),
    [],
  );
  const { updated } = tell(repo, Object.fromEntries(odd.map((name) => [name, `About ${name.length}.`])));
  assert.equal(updated.length, odd.length);
  repo.write(Object.fromEntries(odd.map((name) => [name, "changed\n"])));
  assert.equal(verify(repo).counts.mismatch, odd.length);
  assert.doesNotMatch(repo.ua("registry", "ls").stdout, /\t/);
});

test("a name that is no text", (t) => {
  const repo = unwatchedRepo(t);
  const name = Buffer.concat([Buffer.from(`${repo.dir}/src/`), Buffer.from([0xff, 0x61]), Buffer.from(".ts")]);
  writeFileSync(name, B);
  repo.commit("odd");
  assert.equal(verify(repo).counts.match, 4);
  writeFileSync(name, BODY);
  assert.deepEqual(verdictsIn(verify(repo)), ["src/\udcffa.ts mismatch"]);
  assert.equal(verify(repo, "--rehash").counts.mismatch, 1);
});

test("links and submodules have no rows; a file that becomes a link loses its own", (t) => {
  const repo = unwatchedRepo(t);
  const other = repoAt(join(repo.base, "other"), repo.base, repo.env);
  repo.git("init", "-q", other.dir);
  other.commit("start", { "x.ts": "export const x = 1;\n" });
  repo.git("submodule", "--quiet", "add", other.dir, "sub");
  symlinkSync("src/a.ts", join(repo.dir, "link.ts"));
  repo.commit("more");
  const paths = () => list(repo).map(({ path }) => path);
  assert.deepEqual(paths(), [".gitmodules", "src/a.ts", "src/b.ts", "tools/run.py"]);
  rmSync(join(repo.dir, "src/b.ts"));
  symlinkSync("a.ts", join(repo.dir, "src/b.ts"));
  writeFileSync(join(repo.dir, "sub/x.ts"), "changed\n");
  assert.deepEqual(verdictsIn(verify(repo)), ["src/b.ts missing"]);
  repo.commit("a link now");
  assert.deepEqual(paths(), [".gitmodules", "src/a.ts", "tools/run.py"]);
});

test("a repository by sha256", (t) => {
  const first = unwatchedRepo(t);
  const repo: Repo = repoAt(join(first.base, "long"), first.base, first.env);
  first.git("init", "-q", "--object-format=sha256", repo.dir);
  repo.commit("start", { "a.ts": B });
  assert.equal(repo.ua("install").code, 0);
  tell(repo, { "a.ts": "Doubles." });
  assert.equal(show(repo, "a.ts").content_oid.length, 64);
  repo.write({ "a.ts": BODY });
  assert.equal(show(repo, "a.ts").summary_state, "aging");
});
