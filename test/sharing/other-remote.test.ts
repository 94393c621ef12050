import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Repo } from "../support/repo.js";
import { describe, type Hub, makeHub, pull, push, shareOn, stored } from "../support/team.js";

const REFS = "refs/ua-hooks/descriptions/v1/";

/** All that a bare repository has of descriptions, in any commit of any ref. */
function sharedTexts(bare: Repo): string {
  const commits = bare.git("rev-list", "--glob=refs/ua-hooks").split("\n").filter(Boolean);
  return commits.map((commit) => bare.git("show", "--format=", commit)).join("\n");
}

/** Another repository in which only main is, and the clone's remote leads there. */
function moveTo({ first }: Hub, name: string): Repo {
  const bare = first.at(join(first.base, name));
  first.git("init", "-q", "--bare", bare.dir);
  first.git("push", "-q", bare.dir, "main");
  first.git("remote", "set-url", "origin", bare.dir);
  return bare;
}

test("a remote that leads to another repository: nothing is sent or fetched until it is switched on for that one", (t) => {
  const hub = makeHub(t);
  const { first } = hub;
  const before = shareOn(first);
  first.git("checkout", "-q", "-b", "internal");
  first.commit("internal", { "src/b.ts": "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n" });
  describe(first, ["src/b.ts"], "internal");
  first.git("push", "-q", "origin", "internal");
  first.git("checkout", "-q", "main");
  describe(first, ["src/a.ts"], "public");
  assert.equal(push(first).added, 4);

  const open = moveTo(hub, "open.git");
  for (const verb of ["push", "pull", "sync"]) {
    const { code, stderr } = first.ua("share", verb);
    assert.equal(code, 5, stderr);
    assert.match(
      stderr,
      /the address of the remote origin is not the one .*\n {2}`git fetch --prune origin`.*share on/,
    );
  }
  assert.equal(open.git("for-each-ref", "refs/ua-hooks"), "");
  first.git("fetch", "-q", "--prune", "origin");
  assert.notEqual(shareOn(first), before, "another name, too");
  assert.equal(push(first).added, 2);
  assert.match(sharedTexts(open), /public: add/);
  assert.doesNotMatch(sharedTexts(open), /internal/);
});

test("a chosen name stays on another repository, and what was sent to the one before does not", (t) => {
  const hub = makeHub(t);
  const { first } = hub;
  shareOn(first, "pushers", "--author", "ci");
  first.git("push", "-q", "origin", "main:topic");
  describe(first, ["src/b.ts"], "for the first one");
  push(first);
  const open = moveTo(hub, "open.git");
  first.commit("config", { ".ua-hooksrc": JSON.stringify({ share: { exclude: ["src/b.ts"] } }) });
  first.git("push", "-q");
  describe(first, ["src/a.ts"], "for both");
  assert.equal(shareOn(first), "ci");
  assert.equal(push(first).added, 2);
  assert.match(open.git("for-each-ref", "--format=%(refname)"), new RegExp(`${REFS}ci`));
  assert.doesNotMatch(sharedTexts(open), /for the first one/);
});

test("a password in the address may change; a remote that was renamed is named on `share on`", (t) => {
  const hub = makeHub(t);
  const { first } = hub;
  first.git("remote", "set-url", "origin", "http://one:secret@127.0.0.1:9/hub.git");
  shareOn(first);
  first.git("remote", "set-url", "origin", "http://two:other@127.0.0.1:9/hub.git");
  const { stderr } = first.ua("share", "pull");
  assert.match(stderr, /did not answer as expected/);
  assert.doesNotMatch(stderr + first.ua("share", "status").stdout, /secret|other/);
  first.git("remote", "set-url", "origin", hub.dir);
  first.git("remote", "rename", "origin", "upstream");
  assert.match(first.ua("share", "sync").stderr, /no remote origin\n.*share on --remote NAME/);
  shareOn(first, "pushers", "--remote", "upstream");
  describe(first, ["src/a.ts"], "agent");
  assert.equal(push(first).added, 2);
});

test("a remote with a pushurl: sent there, and fetched from the other address, as git does", (t) => {
  const hub = makeHub(t);
  const { first } = hub;
  const fork = first.at(join(first.base, "fork.git"));
  first.git("init", "-q", "--bare", fork.dir);
  first.git("remote", "set-url", "--push", "origin", fork.dir);
  const author = shareOn(first);
  describe(first, ["src/a.ts"], "agent");
  assert.equal(push(first).state, "pushed");
  assert.equal(fork.git("for-each-ref", "--format=%(refname)"), `${REFS}${author}`);
  assert.equal(first.at(hub.dir).git("for-each-ref", "refs/ua-hooks"), "");
  first.git("remote", "set-url", "--push", "origin", join(first.base, "elsewhere.git"));
  assert.match(first.ua("share", "push").stderr, /the address of the remote origin is not the one/);
});

const LAYOUTS: Record<string, (hub: Hub) => Repo> = {
  "a linked worktree": ({ first }) => {
    first.git("worktree", "add", "-q", "-b", "linked", join(first.base, "linked"));
    return first.at(join(first.base, "linked"));
  },
  "a worktree of a bare repository": ({ first, dir }) => {
    const bare = first.at(join(first.base, "bare"));
    first.git("clone", "-q", "--bare", dir, bare.dir);
    bare.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
    bare.git("fetch", "-q");
    bare.git("worktree", "add", "-q", join(first.base, "tree"), "main");
    return first.at(join(first.base, "tree"));
  },
  "a submodule": ({ first, dir }) => {
    const above = first.at(join(first.base, "above"));
    first.git("init", "-q", above.dir);
    above.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dir, "sub");
    return first.at(join(above.dir, "sub"));
  },
  "a clone of one commit without blobs": ({ first, dir }) => {
    first.at(dir).git("config", "uploadpack.allowFilter", "true");
    const repo = first.at(join(first.base, "partial"));
    first.git("clone", "-q", "--depth=1", "--filter=blob:none", pathToFileURL(dir).href, repo.dir);
    return repo;
  },
};

for (const [name, make] of Object.entries(LAYOUTS))
  test(`${name} sends and takes in like any other clone`, (t) => {
    const hub = makeHub(t);
    const other = hub.clone("other");
    shareOn(other);
    describe(other, ["src/b.ts"], "theirs");
    push(other);
    const repo = make(hub);
    repo.ua("install", "--yes");
    shareOn(repo);
    assert.equal(pull(repo).taken[0]?.added, 2);
    describe(repo, ["src/a.ts"], "ours");
    assert.equal(push(repo).added, 2);
    assert.equal(pull(other).taken[0]?.added, 2);
    assert.equal(stored(other).length, 4);
  });

test("without a commit there is nothing to send, and what others share is taken in; without a remote nothing is switched on", (t) => {
  const hub = makeHub(t);
  shareOn(hub.first);
  describe(hub.first, ["src/b.ts"], "agent");
  push(hub.first);
  const empty = hub.first.at(join(hub.first.base, "empty"));
  hub.first.git("init", "-q", empty.dir);
  assert.equal(empty.ua("install", "--yes").code, 0);
  assert.match(empty.ua("share", "on", "--yes").stderr, /this clone has no remote\n.*git remote add/);
  empty.git("remote", "add", "origin", hub.dir);
  shareOn(empty);
  assert.equal(pull(empty).taken[0]?.added, 2);
  assert.deepEqual([push(empty).added, push(empty).state], [0, "nothing"]);
});
