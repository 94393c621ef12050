import assert from "node:assert/strict";
import { test } from "node:test";
import { parseBatch } from "../../src/git/blobs.js";
import { decodePath, encodePath } from "../../src/git/paths.js";
import { parseStatus, parseWorkState } from "../../src/git/status.js";
import { parseLsTree, parseRawDiff } from "../../src/git/trees.js";
import fc from "../support/fast-check.js";

const A = "a".repeat(40);
const B = "b".repeat(64);

test("every path git allows survives the way to a string and back", () => {
  const bytes = fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .map((array) => Buffer.from(array.filter((byte) => byte !== 0)));
  fc.assert(fc.property(bytes, (path) => assert.deepEqual(encodePath(decodePath(path)), path)));
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      (text) => text.isWellFormed() === false || decodePath(Buffer.from(text)) === text,
    ),
  );
  assert.equal(decodePath(Buffer.from("\ufeffbom.ts")), "\ufeffbom.ts");
});

test("two different paths never become one string", () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 }).map((array) => Buffer.from(array));
  fc.assert(fc.property(bytes, bytes, (a, b) => a.equals(b) === (decodePath(a) === decodePath(b))));
});

test("a raw diff: changed, new, gone, mode only, and names with newlines", () => {
  const zero = "0".repeat(40);
  const output = [
    `:100644 100644 ${A} ${A.replace("a", "c")} M\0src/a.ts\0`,
    `:000000 100755 ${zero} ${A} A\0new\nline\0`,
    `:120000 000000 ${A} ${zero} D\0:colon\0`,
  ].join("");
  const [changed, added, gone] = parseRawDiff(Buffer.from(output));
  assert.deepEqual(changed, { path: "src/a.ts", mode: "100644", oid: `c${A.slice(1)}`, oldMode: "100644", oldOid: A });
  assert.deepEqual(added, { path: "new\nline", mode: "100755", oid: A, oldMode: null, oldOid: null });
  assert.deepEqual(gone, { path: ":colon", mode: null, oid: null, oldMode: "120000", oldOid: A });
  assert.deepEqual(parseRawDiff(Buffer.alloc(0)), []);
});

test("output that was cut short is an error, never an empty list", () => {
  assert.throws(() => parseRawDiff(Buffer.from(`:100644 100644 ${A} ${A} M\0src/a`)), /middle of a record/);
  assert.throws(() => parseRawDiff(Buffer.from(`:100644 100644 ${A} ${A} M\0`)), /unexpected output/);
  assert.throws(() => parseRawDiff(Buffer.from("fatal: no\0x\0")), /unexpected output/);
  assert.throws(() => parseLsTree(Buffer.from("garbage\0")), /unexpected output/);
  assert.throws(() => parseBatch(Buffer.from(`${A} blob 10\nshort`)), /unexpected output/);
});

test("a listing of sha1 and sha256 trees", () => {
  const output = `100644 blob ${A}\tsrc/tab\there\x00160000 commit ${B}\tsub\0`;
  assert.deepEqual(parseLsTree(Buffer.from(output)), [
    { mode: "100644", oid: A, path: "src/tab\there" },
    { mode: "160000", oid: B, path: "sub" },
  ]);
});

test("blobs by oid: contents with newlines, empty ones, and those that are not here", () => {
  const output = Buffer.from(
    `${A} blob 5\na\nb\0c\n${B} missing\n${"c".repeat(40)} blob 0\n\n${"d".repeat(40)} tree 3\nxyz\n`,
  );
  const blobs = parseBatch(output);
  assert.deepEqual(blobs.get(A), Buffer.from("a\nb\0c"));
  assert.deepEqual(blobs.get("c".repeat(40)), Buffer.alloc(0));
  assert.equal(blobs.has(B), false);
  assert.equal(blobs.size, 2);
});

test("status: both letters and the space are no part of the path", () => {
  assert.deepEqual(parseStatus(Buffer.from(" M a.ts\0?? new file\0")), ["a.ts", "new file"]);
});

test("git's status: staged, edited, removed, in conflict, untracked, and where the branch stands", () => {
  const [head, index, zero] = [A, A.replaceAll("a", "c"), "0".repeat(40)];
  const output = [
    `# branch.oid ${A}\0# branch.head main\0# branch.upstream origin/main\0# branch.ab +1 -2\0`,
    `1 M. N... 100644 100644 100644 ${head} ${index} staged\0`,
    `1 .M N... 100644 100644 100644 ${head} ${head} two words\0`,
    `1 .D N... 100644 100644 000000 ${head} ${head} gone\0`,
    `1 .T N... 100644 100644 120000 ${head} ${head} link\0`,
    `1 A. N... 000000 100644 100644 ${zero} ${index} added\0`,
    `1 D. N... 100644 000000 000000 ${head} ${zero} unstaged\0`,
    `u UU N... 100644 100644 100644 100644 ${zero} ${head} ${index} fought\nover\0`,
    "? unstaged\0? folder/\0",
  ].join("");
  const { head: at, changes, upstream } = parseWorkState(Buffer.from(output));
  assert.equal(at, A);
  assert.deepEqual(upstream, { name: "origin/main", ahead: 1, behind: 2 });
  const tracked = { untracked: false };
  assert.deepEqual(changes, [
    { path: "staged", headOid: head, there: true, oid: index, ...tracked },
    { path: "two words", headOid: head, there: true, oid: null, ...tracked },
    { path: "gone", headOid: head, there: false, oid: null, ...tracked },
    { path: "link", headOid: head, there: false, oid: null, ...tracked },
    { path: "added", headOid: null, there: true, oid: index, ...tracked },
    { path: "unstaged", headOid: head, there: true, oid: null, untracked: true },
    { path: "fought\nover", headOid: head, there: true, oid: null, ...tracked },
    { path: "folder/", headOid: null, there: true, oid: null, untracked: true },
  ]);
  const first = parseWorkState(Buffer.from("# branch.oid (initial)\0# branch.upstream gone/main\0"));
  assert.deepEqual(first, { head: null, changes: [], upstream: null });
});
