import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "../support/remotes.js";
import { makeRepo, type Repo, repoAt } from "../support/repo.js";
import { describe, makeHub, pull, push, shareOn, stored } from "../support/team.js";

const REFS = "refs/ua-hooks/descriptions/v1/";

test("a remote that refuses such refs is named once, and sharing pauses until it is switched on again", (t) => {
  const { first, dir } = makeHub(t);
  shareOn(first);
  describe(first, ["src/b.ts"], "agent");
  const bare = first.at(dir);
  bare.git("config", "receive.hideRefs", "refs/ua-hooks");
  const { code, stderr } = first.ua("share", "push");
  assert.equal(code, 6);
  assert.match(stderr, /the remote origin refuses refs of ua-hooks: .+\n.*paused/);
  assert.equal(push(first).state, "paused");
  assert.match(first.ua("status").stdout, /Sharing +paused: origin refuses/);
  bare.git("config", "--unset", "receive.hideRefs");
  assert.equal(push(first).state, "paused", "nothing is tried by itself");
  shareOn(first);
  assert.equal(push(first).state, "pushed");
});

test("a hook of the server that declines is a refusal; a remote that is gone is not", (t) => {
  const { first, dir } = makeHub(t);
  shareOn(first);
  describe(first, ["src/b.ts"], "agent");
  rmSync(dir, { recursive: true });
  const { code, stderr } = first.ua("share", "sync");
  assert.equal(code, 6);
  assert.match(stderr, /the remote origin did not answer as expected: fatal: .*\n {2}nothing here was changed/);
  first.git("init", "-q", "--bare", dir);
  first.git("push", "-q", "origin", "main");
  const hook = join(dir, "hooks", "update");
  writeFileSync(hook, "#!/bin/sh\ncase $1 in refs/heads/*) exit 0;; *) exit 1;; esac\n");
  chmodSync(hook, 0o755);
  assert.match(first.ua("share", "push").stderr, /refuses refs of ua-hooks: hook declined/);
});

test("after `git push --mirror` from a clone without the refs, an author sends its own again", (t) => {
  const hub = makeHub(t);
  const author = shareOn(hub.first);
  describe(hub.first, ["src/b.ts"], "agent");
  push(hub.first);
  const other = hub.clone("other");
  other.git("push", "-q", "--mirror", "origin");
  assert.equal(hub.first.git("ls-remote", "origin", "refs/ua-hooks/*"), "");
  assert.deepEqual([push(hub.first).added, push(hub.first).state], [0, "pushed"]);
  assert.match(hub.first.git("ls-remote", "origin", "refs/ua-hooks/*"), new RegExp(`${REFS}${author}$`));
});

test("without its side repository a clone goes on where the remote is; without both it sends everything anew", (t) => {
  const hub = makeHub(t);
  const { first, dir } = hub;
  const author = shareOn(first);
  describe(first, ["src/b.ts"], "agent");
  push(first);
  const lose = () => rmSync(join(first.dir, ".git/ua-hooks/sharing.git"), { recursive: true });
  lose();
  describe(first, ["src/a.ts"], "agent");
  assert.deepEqual([push(first).state, push(first).author], ["pushed", author]);
  lose();
  first.at(dir).git("update-ref", "-d", `${REFS}${author}`);
  assert.equal(push(first).added, 4);
  const reader = hub.clone("reader");
  shareOn(reader);
  pull(reader);
  assert.equal(stored(reader).length, 4);
});

test("a side repository of which a part is gone is made anew", (t) => {
  const { first } = makeHub(t);
  const author = shareOn(first);
  describe(first, ["src/b.ts"], "agent");
  push(first);
  for (const part of ["objects", "HEAD"]) {
    rmSync(join(first.dir, ".git/ua-hooks/sharing.git", part), { recursive: true });
    assert.deepEqual([push(first).state, push(first).author], ["pushed", author], part);
  }
});

test("what a commit of a ref says: one segment under its oid, and nothing about the user or the time zone", (t) => {
  const { first, dir } = makeHub(t);
  const author = shareOn(first);
  const elsewhere = repoAt(first.dir, first.base, { ...first.env, TZ: "Asia/Tokyo" });
  describe(elsewhere, ["src/b.ts"], "agent");
  push(elsewhere);
  const bare = first.at(dir);
  const ref = `${REFS}${author}`;
  const who = `ua-hooks <${author}@invalid>`;
  assert.match(
    bare.git("log", "--format=%an <%ae>|%cn <%ce>|%ad|%B", ref),
    new RegExp(`^${who}\\|${who}\\|.* \\+0000\\|Descriptions`),
  );
  const [mode, type, oid, name] = bare.git("ls-tree", ref).split(/\s/);
  assert.deepEqual([mode, type, name], ["100644", "blob", `${oid}.jsonl`]);
  const lines = bare.git("cat-file", "blob", oid ?? "").split("\n");
  assert.equal(lines.length, 2);
  for (const line of lines) assert.match(line, /"author":null.*"commit":null/);
  assert.doesNotMatch(lines.join(""), /return/, "no code");
});

test("what is held back: code that is not on the remote, what the config excludes, addresses; `push --dry-run` lists it", (t) => {
  const { first } = makeHub(t);
  shareOn(first);
  first.commit("config", { ".ua-hooksrc": JSON.stringify({ share: { exclude: ["tools/**"] } }) });
  first.git("push", "-q");
  describe(first, ["tools/run.py"], "secret");
  describe(first, ["src/a.ts"], "see https://internal.example/x");
  first.commit("unpushed", { "src/b.ts": "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n" });
  describe(first, ["src/b.ts"], "a fix that is not public");
  const planned = first.uaJson<{ wouldSend: unknown[]; held: [string, number][] }>("share", "push", "--dry-run");
  assert.deepEqual(planned.wouldSend, []);
  assert.deepEqual(Object.fromEntries(planned.held), {
    "an address": 2,
    "excluded by the config": 1,
    "of code that no branch of origin has": 2,
  });
  assert.equal(push(first).added, 0);
  first.git("push", "-q");
  assert.match(first.ua("share", "push", "--dry-run").stdout, /function src\/b\.ts twice: a fix/);
  assert.equal(push(first).added, 2);
});

test("a squashed branch: what was described in its commits is sent once the content is public", (t) => {
  const { first } = makeHub(t);
  shareOn(first);
  first.git("checkout", "-q", "-b", "topic");
  first.commit("one", { "src/b.ts": "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n" });
  describe(first, ["src/b.ts"], "agent");
  first.git("checkout", "-q", "main");
  first.git("merge", "-q", "--squash", "topic");
  first.commit("squashed");
  first.git("push", "-q");
  first.git("branch", "-qD", "topic");
  assert.equal(push(first).added, 2);
});

test("nothing of it is in the user's own repository, whatever its config says", async (t) => {
  const hub = makeHub(t);
  const { url } = await serve(t, "http", hub.dir);
  hub.reachBy(url);
  const { first } = hub;
  first.git("config", "remote.origin.prune", "true");
  first.git("config", "fetch.prune", "true");
  first.git("config", "push.followTags", "true");
  first.git("config", "remote.origin.partialclonefilter", "blob:none");
  first.git("config", "remote.origin.promisor", "true");
  first.git("config", "core.hooksPath", "hooks");
  first.write({ "hooks/pre-push": "#!/bin/sh\ntouch ran\nexit 1\n" });
  chmodSync(join(first.dir, "hooks/pre-push"), 0o755);
  first.git("tag", "-a", "-m", "v1", "v1");
  shareOn(first);
  describe(first, ["src/b.ts"], "agent");
  push(first);
  pull(first);
  assert.equal(first.git("ls-remote", "--tags", "origin"), "");
  assert.ok(!first.has("ran"));
  assert.equal(first.git("for-each-ref", "refs/ua-hooks"), "");
  assert.ok(!first.has(".git/FETCH_HEAD"));
  const clone = join(first.base, "plain");
  first.git("clone", "-q", url, clone);
  assert.equal(first.at(clone).git("for-each-ref", "refs/ua-hooks"), "", "an ordinary clone has nothing of it");
});

test("what the clone needs to reach its remote is passed on once; the rest of its config is not", async (t) => {
  const hub = makeHub(t);
  const { url } = await serve(t, "http", hub.dir);
  const { first } = hub;
  const { port } = new URL(url);
  // An address that only the clone's own config can resolve, and a header that must not be sent twice.
  first.git("config", `url.http://127.0.0.1:${port}/.insteadOf`, "team:");
  first.git("config", "http.extraHeader", "X-Team: one");
  first.git("remote", "set-url", "origin", "team:hub.git");
  shareOn(first);
  describe(first, ["src/b.ts"], "agent");
  const trace = join(first.base, "trace");
  const traced = repoAt(first.dir, first.base, { ...first.env, GIT_TRACE_CURL: trace });
  assert.equal(push(traced).state, "pushed");
  const [request = ""] = readFileSync(trace, "utf8").split("<= Recv header");
  assert.equal(request.match(/X-Team: one/g)?.length, 1);
});

test("git is given a few keys of the clone's config and no way to ask; nothing else of the clone reaches the connection", (t) => {
  const { first } = makeHub(t);
  shareOn(first);
  describe(first, ["src/b.ts"], "agent");
  // In place of ssh: it writes what it was given, and fails.
  const [program, given] = [join(first.base, "ssh"), join(first.base, "given")];
  writeFileSync(program, `#!/bin/sh\nenv > "${given}"\nexit 1\n`, { mode: 0o755 });
  first.git("remote", "set-url", "origin", "ssh://team.example/hub.git");
  for (const [key, value] of Object.entries({
    "core.sshCommand": program,
    "remote.origin.proxy": "",
    "http.https://team.example.extraHeader": "X: y",
    "credential.helper": "none",
    "url.ssh://team.example/.insteadOf": "team:",
    "remote.origin.partialclonefilter": "blob:none",
    "remote.origin.uploadpack": "touch ran",
    "core.fsmonitor": "touch ran",
    "alias.fetch": "!touch ran",
  }))
    first.git("config", key, value);
  shareOn(first); // for this address
  const asking = { GIT_ASKPASS: "touch", SSH_ASKPASS: "touch", DISPLAY: ":0" };
  assert.equal(repoAt(first.dir, first.base, { ...first.env, ...asking }).ua("share", "push").code, 6);
  const env = new Map(
    readFileSync(given, "utf8")
      .split("\n")
      .map((line) => line.split(/=(.*)/s) as [string, string]),
  );
  const keys = [...env].flatMap(([name, value]) => (/^GIT_CONFIG_KEY_/.test(name) ? [value] : []));
  assert.deepEqual(keys.sort(), [
    "core.sshcommand",
    "credential.helper",
    "http.https://team.example.extraheader",
    "remote.origin.proxy",
    "remote.origin.url",
    "url.ssh://team.example/.insteadof",
  ]);
  const asked = ["GIT_TERMINAL_PROMPT", "GIT_ASKPASS", "SSH_ASKPASS", "GCM_INTERACTIVE"].map((name) => env.get(name));
  assert.deepEqual(asked, ["0", "", "", "never"]);
  assert.ok(!first.has("ran"));
});

test("a ref that others hold locked: five tries, then the next push sends it", (t) => {
  const { first, dir } = makeHub(t);
  const author = shareOn(first);
  describe(first, ["src/b.ts"], "agent");
  const lock = join(dir, REFS, `${author}.lock`);
  mkdirSync(join(dir, REFS), { recursive: true });
  writeFileSync(lock, "");
  const { state, added, reason } = push(first);
  assert.deepEqual([state, added], ["later", 2]);
  assert.match(reason ?? "", /^origin says: failed to update ref; the next push sends it$/);
  rmSync(lock);
  assert.deepEqual([push(first).state, push(first).added], ["pushed", 0]);
  assert.match(first.git("ls-remote", "origin", "refs/ua-hooks/*"), new RegExp(author));
});

test("sha256 repositories share, too", (t) => {
  const first = makeRepo(t, { name: "first", args: ["--object-format=sha256"] });
  const hub = join(first.base, "hub.git");
  first.git("init", "-q", "--bare", "--object-format=sha256", hub);
  first.commit("start", { "src/b.ts": "export function twice(x: number): number {\n  return x * 2;\n}\n" });
  first.git("remote", "add", "origin", hub);
  first.git("push", "-q", "-u", "origin", "main");
  first.git("clone", "-q", hub, join(first.base, "second"));
  const second: Repo = first.at(join(first.base, "second"));
  for (const repo of [first, second]) {
    assert.equal(repo.ua("install", "--yes").code, 0);
    shareOn(repo);
  }
  describe(first, ["src/b.ts"], "agent");
  push(first);
  assert.equal(pull(second).taken[0]?.added, 2);
});

test("share on asks; without a terminal it needs --yes, and a checkout cannot switch it on", (t) => {
  const { first } = makeHub(t);
  const asked = first.ua("share", "on");
  assert.deepEqual([asked.code, asked.stdout], [2, ""]);
  assert.match(asked.stderr, /can read what is sent/);
  assert.equal(first.ua("share", "pull").code, 3);
  first.commit("config", { ".ua-hooksrc": JSON.stringify({ share: { on: true, trust: "pushers" } }) });
  assert.match(first.ua("run").stderr, /unknown key "share\.on"/);
  assert.equal(first.ua("share", "on", "--yes", "--remote", "nowhere").code, 2);
  assert.equal(first.ua("share", "on", "--yes", "--trust", "everyone").code, 2);
  assert.deepEqual(readdirSync(join(first.dir, ".git/ua-hooks")).includes("sharing.git"), false);
});
