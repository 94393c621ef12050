import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseSigners } from "../../src/sharing/signing.js";
import { summaries } from "../support/agent.js";
import { GpgHome, hasGpg, type Signer } from "../support/gpg.js";
import { cli, type Repo, start } from "../support/repo.js";
import { describe, type Hub, makeHub, makeKey, pull, push, shareOn, stored } from "../support/team.js";

const REFS = "refs/ua-hooks/descriptions/v1/";
const SIGNERS = ".ua-hooks-signers";

/** Two clones that trust signers, each with a key of its own, both on the list. */
function signedTeam(t: TestContext): { hub: Hub; first: Repo; second: Repo; one: string; two: string } {
  const hub = makeHub(t);
  const { first } = hub;
  const second = hub.clone("second");
  const keys = [makeKey(first), makeKey(second)];
  const [one, two] = [shareOn(first, "signers"), shareOn(second, "signers")];
  first.commit("signers", { [SIGNERS]: `${one} ${keys[0]}\n${two} ${keys[1]}\n` });
  first.git("push", "-q");
  second.git("pull", "-q");
  return { hub, first, second, one, two };
}

test("a listed signer is taken in; a commit of that author without a signature, or with another's, is not", (t) => {
  const { hub, first, second, one, two } = signedTeam(t);
  describe(first, ["src/b.ts"], "signed");
  push(first);
  assert.deepEqual(pull(second).taken, [{ author: one, added: 2, refused: 0 }]);
  // The second clone has the right to push, and writes under the first one's name with its own, listed key.
  describe(second, ["src/a.ts"], "forged");
  push(second);
  const bare = first.at(hub.dir);
  bare.git("update-ref", `${REFS}${one}`, bare.git("rev-parse", `${REFS}${two}`));
  const third = hub.clone("third");
  shareOn(third, "signers");
  const { taken, unsigned } = pull(third);
  assert.deepEqual([taken.map(({ author }) => author), unsigned], [[two], [one]]);
  assert.match(third.ua("share", "pull").stdout, new RegExp(`Nothing is taken from ${one}`));
});

test("gpg: a key that is listed by its fingerprint counts, for its own author only, and where the reader has the public key", (t) => {
  if (!hasGpg) return t.skip("there is no gpg here");
  const hub = makeHub(t);
  const keys = new GpgHome(t, join(hub.first.base, "keys"));
  const [first, second] = [hub.first, hub.clone("second")].map((repo) => keys.signIn(repo)) as [Signer, Signer];
  const [one, two] = [shareOn(first.repo, "signers"), shareOn(second.repo, "signers")];
  const list = `${one} gpg:${first.fingerprint}\n${two} gpg:${second.fingerprint}\n`;
  first.repo.commit("signers", { [SIGNERS]: list });
  first.repo.git("push", "-q");
  describe(first.repo, ["src/b.ts"], "signed");
  describe(second.repo, ["src/a.ts"], "signed, too");
  for (const { repo } of [first, second]) assert.equal(push(repo).state, "pushed");

  const readers = new GpgHome(t, join(hub.first.base, "ring"));
  const reader = readers.in(hub.clone("reader"));
  shareOn(reader, "signers");
  assert.deepEqual(pull(reader).unsigned.sort(), [one, two].sort(), "without the public keys");
  readers.import(keys.exported());
  assert.deepEqual(
    pull(reader)
      .taken.map(({ author }) => author)
      .sort(),
    [one, two].sort(),
  );
  // The second key is valid and listed, but not for the first one's ref.
  const bare = first.repo.at(hub.dir);
  bare.git("update-ref", `${REFS}${one}`, bare.git("rev-parse", `${REFS}${two}`));
  const third = readers.in(hub.clone("third"));
  shareOn(third, "signers");
  const { taken, unsigned } = pull(third);
  assert.deepEqual([taken.map(({ author }) => author), unsigned], [[two], [one]]);
});

test("a commit of code that a listed author signed is no commit of that author's ref", (t) => {
  const { hub, first, second, one } = signedTeam(t);
  // A contributor's file, as a segment would be called, comes into the project by a commit that the author signs.
  describe(second, ["src/a.ts"], "a lie");
  const text = `${JSON.stringify({ ...stored(second)[0], source: "here", author: null })}\n`;
  first.write({ ".git/lies": text });
  const name = `${first.git("hash-object", ".git/lies")}.jsonl`;
  first.write({ [name]: text });
  first.git("add", name);
  first.git("commit", "-q", "-S", "-m", "merge a contribution");
  first.git("push", "-q");
  const bare = first.at(hub.dir);
  bare.git("update-ref", `${REFS}${one}`, bare.git("rev-parse", "main"));
  const reader = hub.clone("reader");
  shareOn(reader, "signers");
  const { taken, unsigned } = pull(reader);
  assert.deepEqual([taken, unsigned], [[], [one]]);
  assert.deepEqual(stored(reader), []);
});

test("the list is that of the remote's default branch, whatever the work tree has", (t) => {
  const { hub, first, second } = signedTeam(t);
  describe(first, ["src/b.ts"], "signed");
  push(first);
  const stranger = hub.clone("stranger");
  const author = shareOn(stranger, "signers");
  const key = makeKey(stranger);
  describe(stranger, ["src/a.ts"], "stranger");
  push(stranger);
  second.write({ [SIGNERS]: `${author} ${key}\n` });
  second.git("checkout", "-q", "-b", "hostile");
  second.commit("a list of one's own");
  second.git("push", "-q", "-u", "origin", "hostile");
  pull(second);
  assert.ok(!stored(second).some((line) => line.author === author));
  assert.ok(stored(second).length > 0);
});

test("without a list, or without a known default branch, trust signers says so", (t) => {
  const hub = makeHub(t);
  shareOn(hub.first, "signers");
  assert.match(hub.first.ua("share", "pull").stderr, /has no \.ua-hooks-signers/);
  hub.first.git("remote", "set-head", "origin", "--delete");
  assert.match(hub.first.ua("share", "pull").stderr, /git remote set-head origin --auto/);
});

test("what stands on this clone's own ref, and it did not write, is not built on: the clone takes a new name", (t) => {
  const hub = makeHub(t);
  const second = hub.clone("second");
  const [one, two] = [shareOn(hub.first, "none"), shareOn(second, "pushers")];
  describe(second, ["src/a.ts"], "forged");
  push(second);
  const bare = hub.first.at(hub.dir);
  bare.git("update-ref", `${REFS}${one}`, bare.git("rev-parse", `${REFS}${two}`));
  describe(hub.first, ["src/b.ts"], "own");
  const { author, state } = push(hub.first);
  assert.equal(state, "pushed");
  assert.notEqual(author, one);
  assert.equal(bare.git("log", "--format=%ae", `${REFS}${author}`), `${author}@invalid`);
});

test("a copy of a clone has the same name: both send, and nothing is lost", (t) => {
  const hub = makeHub(t);
  shareOn(hub.first);
  describe(hub.first, ["src/b.ts"], "before");
  push(hub.first);
  const copy = hub.first.at(join(hub.first.base, "copy"));
  cpSync(hub.first.dir, copy.dir, { recursive: true });
  describe(hub.first, ["src/a.ts"], "original");
  describe(copy, ["tools/run.py"], "copy");
  push(hub.first);
  assert.equal(push(copy).state, "pushed");
  const third = hub.clone("third");
  shareOn(third);
  pull(third);
  const words = new Set(stored(third).map(({ text }) => text.summary.split(":")[0]));
  assert.deepEqual([...words].sort(), ["before", "copy", "original"]);
});

test("four jobs under one name push at the same time: all that they described is on the ref in the end", async (t) => {
  const hub = makeHub(t);
  const jobs = ["one", "two", "three", "four"].map((name) => hub.clone(name));
  for (const [at, job] of jobs.entries()) {
    shareOn(job, "pushers", "--author", "ci");
    describe(job, ["src/a.ts"], `job ${at}`);
  }
  const push = ({ dir, env }: Repo) => start(process.execPath, [cli, "share", "push"], { cwd: dir, env });
  for (const { code, stderr } of await Promise.all(jobs.map(push))) assert.equal(code, 0, stderr);
  // Whoever was slower five times sends it with the next push.
  for (const job of jobs) assert.equal((await push(job)).code, 0);
  const reader = hub.clone("reader");
  shareOn(reader);
  assert.deepEqual(pull(reader).taken, [{ author: "ci", added: 8, refused: 0 }]);
});

test("CI: a fresh clone each time, under one name, pulls what it described before and goes on", (t) => {
  const hub = makeHub(t);
  for (const [at, path] of ["src/b.ts", "src/a.ts"].entries()) {
    const job = hub.clone(`job${at}`);
    shareOn(job, "pushers", "--author", "ci");
    pull(job);
    if (at === 1) assert.equal(summaries(job).get("file:src/b.ts"), "ci: src/b.ts");
    describe(job, [path], "ci");
    assert.equal(push(job).state, "pushed");
  }
  const reader = hub.clone("reader");
  shareOn(reader);
  assert.deepEqual(pull(reader).taken, [{ author: "ci", added: 4, refused: 0 }]);
});

test("a list of signers is data: names, ssh keys and fingerprints, everything else is left out", () => {
  const fingerprint = "0123456789abcdef0123456789ABCDEF01234567";
  const signers = parseSigners(
    [
      "# a comment",
      "one ssh-ed25519 AAAAC3 someone@example.com",
      `two gpg:${fingerprint}`,
      'three command="rm -rf" ssh-ed25519 AAAA',
      "../four ssh-ed25519 AAAA",
      "five ssh-ed25519 $(touch x)",
      "one ecdsa-sha2-nistp256 AAAAE2",
    ].join("\n"),
  );
  assert.deepEqual(
    [...signers],
    [
      ["one", { ssh: ["ssh-ed25519 AAAAC3", "ecdsa-sha2-nistp256 AAAAE2"], gpg: [] }],
      ["two", { ssh: [], gpg: [fingerprint.toUpperCase()] }],
    ],
  );
});
