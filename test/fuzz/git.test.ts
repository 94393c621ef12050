import assert from "node:assert/strict";
import { parseBatch } from "../../src/git/blobs.js";
import { encodePath } from "../../src/git/paths.js";
import { parseStatus } from "../../src/git/status.js";
import { parseLsTree, parseRawDiff, type TreeChange, type TreeEntry } from "../../src/git/trees.js";
import { parseRewrites } from "../../src/store/rewrites.js";
import { parseJournal } from "../../src/worker/journal.js";
import fc from "../support/fast-check.js";
import { damaged, fuzz } from "./fuzz.js";

const oid = fc
  .constantFrom(40, 64)
  .chain((size) => fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: size, maxLength: size }));
const mode = fc.constantFrom("100644", "100755", "120000", "160000");
/** Every byte that git allows in a name. */
const path = fc.uint8Array({ minLength: 1, maxLength: 30, min: 1 }).map((bytes) => Buffer.from(bytes));

const rawDiff = fc
  .array(fc.tuple(mode, mode, oid, oid, fc.constantFrom("M", "A", "D", "T"), path), { maxLength: 6 })
  .map((rows) =>
    Buffer.concat(
      rows.flatMap(([a, b, from, to, letter, name]) => [
        Buffer.from(`:${a} ${b} ${from} ${to} ${letter}\0`),
        name,
        Buffer.from("\0"),
      ]),
    ),
  );
const lsTree = fc
  .array(fc.tuple(mode, oid, path), { maxLength: 6 })
  .map((rows) =>
    Buffer.concat(
      rows.flatMap(([bits, blob, name]) => [Buffer.from(`${bits} blob ${blob}\t`), name, Buffer.from("\0")]),
    ),
  );
const batch = fc
  .array(fc.tuple(oid, fc.option(fc.uint8Array({ maxLength: 40 }))), { maxLength: 6 })
  .map((rows) =>
    Buffer.concat(
      rows.flatMap(([blob, content]) =>
        content === null
          ? [Buffer.from(`${blob} missing\n`)]
          : [Buffer.from(`${blob} blob ${content.length}\n`), Buffer.from(content), Buffer.from("\n")],
      ),
    ),
  );

/** What is not understood is an error with a sentence; what is understood has the shape that was promised. */
function readsOrSays<T>(parse: () => T, holds: (value: T) => boolean): void {
  let value: T;
  try {
    value = parse();
  } catch (error) {
    assert.ok(error instanceof Error && error.message.startsWith("git"), `${error}`);
    return;
  }
  assert.ok(holds(value));
}

const isOid = (text: string | null) => text === null || /^[0-9a-f]+$/.test(text);
const isChange = ({ path: name, oid: now, oldOid }: TreeChange) =>
  encodePath(name).length > 0 && isOid(now) && isOid(oldOid);
const isEntry = ({ path: name, mode: bits }: TreeEntry) => typeof name === "string" && typeof bits === "string";

fuzz("git's raw diff comes back as it was printed", rawDiff, (output) => {
  const again = Buffer.concat(
    parseRawDiff(output).map(({ path: name }) => Buffer.concat([encodePath(name), Buffer.from("\0")])),
  );
  const names = Buffer.concat([...namesOf(output)].map((name) => Buffer.concat([name, Buffer.from("\0")])));
  assert.deepEqual(again, names);
});

function* namesOf(output: Buffer): Generator<Buffer> {
  let at = 0;
  for (let field = 0; at < output.length; field++) {
    const end = output.indexOf(0, at);
    if (field % 2 === 1) yield output.subarray(at, end);
    at = end + 1;
  }
}

fuzz("a raw diff that is damaged is understood or refused", damaged(rawDiff), (output) =>
  readsOrSays(
    () => parseRawDiff(output),
    (changes) => changes.every(isChange),
  ),
);

fuzz("a tree's listing that is damaged is understood or refused", damaged(lsTree), (output) =>
  readsOrSays(
    () => parseLsTree(output),
    (entries) => entries.every(isEntry),
  ),
);

fuzz("blobs come back as they were printed", batch, (output) => {
  for (const [blob, content] of parseBatch(output))
    assert.ok(output.includes(Buffer.concat([Buffer.from(`${blob} blob ${content.length}\n`), content])));
});

fuzz("a batch of blobs that is damaged is understood or refused", damaged(batch), (output) =>
  readsOrSays(
    () => parseBatch(output),
    (blobs) => [...blobs.values()].every((content) => Buffer.isBuffer(content)),
  ),
);

fuzz("a status that is damaged is understood or refused", damaged(lsTree), (output) =>
  readsOrSays(
    () => parseStatus(output),
    (names) => names.every((name) => typeof name === "string"),
  ),
);

const EVENTS = ["post-commit", "post-merge", "post-checkout", "post-rewrite"];
const journal = fc
  .array(
    fc.tuple(
      fc.constantFrom(...EVENTS),
      fc.string({ minLength: 1 }).filter((name) => !/[\n\s]/.test(name)),
    ),
  )
  .map((lines) => lines.map((line) => `${line.join(" ")}\n`).join(""));

fuzz("a journal that is damaged gives known events only", damaged(journal), (bytes) => {
  for (const [worktree, events] of parseJournal(bytes.toString("utf8"))) {
    assert.notEqual(worktree, "");
    assert.ok(events.every((event) => EVENTS.includes(event)));
    assert.equal(new Set(events).size, events.length);
  }
});

const pairs = fc.array(fc.tuple(oid, oid)).map((lines) => lines.map((line) => `${line.join(" ")}\n`).join(""));

fuzz("rewritten commits that are damaged give whole oids only", damaged(pairs), (bytes) => {
  for (const pair of parseRewrites(bytes.toString("latin1"))) {
    for (const one of pair) assert.match(one, /^[0-9a-f]{40,64}$/);
  }
});
