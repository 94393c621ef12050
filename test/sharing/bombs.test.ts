import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonl, make, makeScene, publish, publishTree, REFS, type Scene } from "../support/poison.js";
import { pull, stored } from "../support/team.js";

const LONG = process.env.UA_HOOKS_LONG === "1";

/** The honest author is taken in, whatever stands beside. */
function assertReadable(scene: Scene): void {
  publish(scene, "good", [jsonl(scene.line)]);
  const { taken, unreadable } = pull(scene.reader);
  assert.deepEqual(unreadable, []);
  assert.deepEqual(
    taken.filter(({ added }) => added > 0),
    [{ author: "good", added: 1, refused: 0 }],
  );
  assert.equal(stored(scene.reader).length, 1);
}

test("a tree of trees with more files than can be listed: folders are not entered", (t) => {
  const scene = makeScene(t);
  const blob = make(scene, "x", "hash-object", "-w", "--stdin");
  let tree = make(scene, `100644 blob ${blob}\t${blob}.jsonl\n`, "mktree");
  // 10 to the power of 12 files.
  for (let level = 0; level < 12; level++) {
    const entries = Array.from({ length: 10 }, (_, at) => `040000 tree ${tree}\td${at}\n`);
    tree = make(scene, entries.join(""), "mktree");
  }
  publishTree(scene, "bomb", tree);
  assertReadable(scene);
});

test("a tree of 100,000 files, and a commit that names its parent 100,000 times: read like any other", (t) => {
  const scene = makeScene(t);
  const blob = make(scene, "x", "hash-object", "-w", "--stdin");
  const many = Array.from({ length: 100_000 }, (_, at) => `100644 blob ${blob}\t${at}.jsonl\n`);
  publishTree(scene, "wide", make(scene, many.join(""), "mktree"));
  const bare = scene.hub.first.at(scene.hub.dir);
  const [tip, tree] = ["", "^{tree}"].map((what) => bare.git("rev-parse", `${REFS}wide${what}`));
  const who = "a <a@invalid> 1700000000 +0000";
  const head = `tree ${tree}\n${`parent ${tip}\n`.repeat(100_000)}author ${who}\ncommitter ${who}\n\nx\n`;
  bare.git("update-ref", `${REFS}parents`, make(scene, head, "hash-object", "-t", "commit", "-w", "--stdin"));
  assertReadable(scene);
});

test("segments that are small in a pack and large when they are read: a bound for each author", (t) => {
  if (!LONG) return t.skip("UA_HOOKS_LONG=1 makes 300 MB of segments");
  const scene = makeScene(t);
  const segments = Array.from({ length: 75 }, (_, at) => `${"\n".repeat(4_000_000)}${at}\n`);
  publish(scene, "flood", [...segments, jsonl(scene.line)]);
  const [taken] = pull(scene.reader).taken;
  // 67 of four megabytes fit, with a line each that is no description.
  assert.ok((taken?.refused ?? 0) >= 75, JSON.stringify(taken));
  assert.deepEqual(pull(scene.reader).taken, [], "and none of them is read again");
});
