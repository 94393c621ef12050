import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { UaError } from "../../src/errors.js";
import { isTooMuch, type SideRepository, sideRefs } from "../../src/git/side-repository.js";
import { locateProjectSync } from "../../src/repository/locate.js";
import { fetchedRefs, sideFolder } from "../../src/sharing/authors.js";
import { fetchApart, fetchShared, type Wanted } from "../../src/sharing/fetch.js";
import { Importer, mostOf } from "../../src/sharing/importer.js";
import { MOST_AUTHORS, rankedAuthors } from "../../src/sharing/tips.js";
import { openTransport } from "../../src/sharing/transport.js";
import { openState } from "../../src/store/state.js";
import { jsonl, makeScene, publish, REFS, type Scene, withSummary } from "../support/poison.js";
import { type Repo, repoAt } from "../support/repo.js";
import { pull, shareOn } from "../support/team.js";

const names = (from: number, to: number, prefix: string) =>
  Array.from({ length: to - from }, (_, at) => `${prefix}${String(from + at).padStart(5, "0")}`);

test("places: those who come first keep theirs, some stay free for others, and no name is an advantage", () => {
  const real = names(0, 20, "zoe-");
  const crowd = names(0, 5_000, "a");
  const { chosen, ignored } = rankedAuthors([...crowd, ...real], real);
  assert.deepEqual(chosen.slice(0, 20), real);
  assert.deepEqual([chosen.length, ignored.length], [MOST_AUTHORS, 5_020 - MOST_AUTHORS]);
  assert.ok(
    chosen.some((name) => name > "a01000"),
    "not the first ones by name",
  );
  // The crowd was there before, and holds every place that it can.
  const held = rankedAuthors([...crowd, ...real], crowd).chosen;
  assert.equal(held.filter((name) => name.startsWith("a")).length < MOST_AUTHORS, true, "a newcomer gets one");
  assert.deepEqual(rankedAuthors(real, []), { chosen: real, ignored: [] });
});

test("fetching in parts: whoever sends too much is found, and keeps nobody from being fetched", async () => {
  const authors = names(0, 120, "a");
  const bad = new Set(["a00007", "a00063"]);
  const fetched: string[] = [];
  const fetch = async (some: readonly string[]) => {
    const found = some.find((name) => bad.has(name));
    if (found !== undefined) throw new UaError("failed", "the remote sent more than 256 MB of descriptions at once");
    fetched.push(...some);
  };
  assert.deepEqual(await fetchApart(authors, fetch), [...bad]);
  assert.deepEqual(
    fetched,
    authors.filter((name) => !bad.has(name)),
  );
  for (const name of authors) bad.add(name);
  await assert.rejects(fetchApart(authors, fetch), { code: "failed" }, "not for ever");
});

const nobody = (transport: { refs(): Promise<ReadonlyMap<string, string>> }): Wanted => ({
  ...{ forgotten: [], signers: null, first: async () => ["good"], tooLarge: {}, isCrowded: false },
  before: transport.refs(),
});

test("one ref that is larger than a fetch may be: the others are fetched, nothing is left of it, and it is not tried again", async (t) => {
  const scene = makeScene(t);
  const { reader, line } = scene;
  for (const author of ["good", "zoe"]) publish(scene, author, [jsonl(withSummary(line, author))]);
  const megabytes = Array.from({ length: 24 }, () => randomBytes(1024 * 1024));
  publish(scene, "flood", megabytes);
  const project = locateProjectSync({ cwd: reader.dir, env: {} });
  const transport = await openTransport(project, { sharing: { remote: "origin" }, isAttended: false });
  const limits = { allBytes: 1024 * 1024, partBytes: 1024 * 1024 };
  const got = await fetchShared(transport, nobody(transport), limits);
  const fetched = async () => [...(await sideRefs(transport.side, fetchedRefs("origin"))).keys()].sort();
  assert.deepEqual([Object.keys(got.tooLarge), got.isCrowded], [["flood"], true]);
  assert.deepEqual(await fetched(), ["good", "zoe"]);
  const packs = join(transport.side.dir, "objects/pack");
  assert.deepEqual(
    readdirSync(packs).filter((name) => name.startsWith("tmp_")),
    [],
  );
  const again = { ...nobody(transport), tooLarge: got.tooLarge, isCrowded: true };
  assert.deepEqual(
    (await fetchShared(transport, again, { allBytes: 0, partBytes: Number.MAX_SAFE_INTEGER })).tooLarge,
    got.tooLarge,
  );
  assert.deepEqual(await fetched(), ["good", "zoe"]);
  reader.at(scene.hub.dir).git("update-ref", "-d", `${REFS}flood`);
  assert.equal((await fetchShared(transport, again, limits)).isCrowded, false);
  assert.equal(isTooMuch(new UaError("failed", "something else")), false);
});

/** What is fetched and not stored yet, in the side repository of the reader. */
function fetchedOnly({ reader }: Scene): SideRepository {
  const killed = repoAt(reader.dir, reader.base, { ...reader.env, UA_HOOKS_FAULT: "share.stored:kill" });
  assert.notEqual(killed.ua("share", "pull").code, 0);
  return { dir: sideFolder(join(reader.dir, ".git/ua-hooks")), cwd: reader.dir };
}

test("more text than one pull reads: those who come first are served, then everybody a part, and the next pulls go on", async (t) => {
  const scene = makeScene(t);
  const { reader, line } = scene;
  const segments = (author: string, count: number) =>
    Array.from({ length: count }, (_, at) => jsonl(withSummary(line, `${author} ${at} ${"x".repeat(300)}`)));
  for (const author of ["aaa", "aab", "aac"]) publish(scene, author, segments(author, 10));
  publish(scene, "known", segments("known", 3));
  publish(scene, "small", segments("small", 1));
  const side = fetchedOnly(scene);
  const tips = [...(await sideRefs(side, fetchedRefs("origin")))].map(([author, tip]) => ({ author, tip }));
  const db = await openState(join(reader.dir, ".git/ua-hooks"));
  t.after(() => db.close());
  const size = Buffer.byteLength(segments("aaa", 1)[0] ?? "") + 20;
  const rounds: Record<string, number>[] = [];
  for (let changed = tips; changed.length > 0; ) {
    const importer = new Importer(db, { side, remote: "origin", first: ["known"] }, 7 * size);
    assert.deepEqual(await importer.take(changed), []);
    rounds.push(Object.fromEntries(importer.taken.map(({ author, added }) => [author, added])));
    const { postponed } = importer;
    changed = changed.filter(({ author }) => postponed.includes(author));
  }
  assert.deepEqual(rounds[0], { aaa: 1, aab: 1, aac: 1, known: 3, small: 1 });
  const total = (author: string) => rounds.reduce((sum, round) => sum + (round[author] ?? 0), 0);
  assert.deepEqual(["aaa", "aab", "aac", "known", "small"].map(total), [10, 10, 10, 3, 1]);
});

test("once very much is stored, the first authors may still bring what one author may, and others their share", () => {
  const first = names(0, 80, "a");
  assert.equal(mostOf("x", { stored: 0, first }), 400_000);
  assert.equal(mostOf("x", { stored: 4_000_000, first }), 8_000);
  assert.equal(mostOf("a00049", { stored: 4_000_000, first }), 400_000);
  assert.equal(mostOf("a00050", { stored: 4_000_000, first }), 8_000);
});

interface Status {
  leftOut: { why: string; count: number; authors: string[] }[];
}

/** One pusher, and more names than there are places, each with something to read. */
function crowd({ hub }: Scene, tip: string): void {
  const updates = names(0, MOST_AUTHORS + 100, "a").map((name) => `update ${REFS}${name} ${tip}\n`);
  spawnSync("git", ["update-ref", "--stdin"], { cwd: hub.dir, env: hub.first.env, input: updates.join("") });
}

const takenOf = (reader: Repo) => new Map(pull(reader).taken.map(({ author, added }) => [author, added]));

test("a new clone: authors that the default branch lists are read, however many others there are; status says who is left out", (t) => {
  const scene = makeScene(t);
  const { hub, reader, line } = scene;
  hub.first.commit("signers", { ".ua-hooks-signers": "zoe ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA\n" });
  hub.first.git("push", "-q", "origin", "main");
  publish(scene, "crowd", [jsonl(withSummary(line, "a crowd"))]);
  crowd(scene, reader.at(hub.dir).git("rev-parse", `${REFS}crowd`));
  publish(scene, "zoe", [jsonl(withSummary(line, "honest work"))]);
  const clone = hub.clone("fresh");
  shareOn(clone);
  assert.equal(takenOf(clone).get("zoe"), 1);
  const { leftOut } = clone.uaJson<Status>("share", "status");
  assert.deepEqual(
    leftOut.map(({ why, count, authors }) => [why, count, authors.length]),
    [["no place among the 500 authors that are read", 102, 20]],
  );
  assert.match(clone.ua("share", "status").stdout, /Left out +a\d+, .* and 82 more: no place among the 500 authors/);
  // The next pulls fetch only those that have a place, and an author who was here before is still one.
  publish(scene, "zoe", [jsonl(withSummary(line, "more honest work"))]);
  assert.equal(takenOf(clone).get("zoe"), 1);
  clone.uaJson("share", "forget", "a00000");
  publish(scene, "zoe", [jsonl(withSummary(line, "and more"))]);
  assert.equal(takenOf(clone).get("zoe"), 1, "after everything was read again, too");
});

test("an author who was here before stays, without any list", (t) => {
  const scene = makeScene(t);
  const { hub, reader, line } = scene;
  publish(scene, "zoe", [jsonl(withSummary(line, "honest work"))]);
  pull(reader);
  publish(scene, "crowd", [jsonl(withSummary(line, "a crowd"))]);
  crowd(scene, reader.at(hub.dir).git("rev-parse", `${REFS}crowd`));
  for (const words of ["more", "still more", "and more"]) {
    publish(scene, "zoe", [jsonl(withSummary(line, words))]);
    assert.equal(takenOf(reader).get("zoe"), 1, words);
  }
});
