import assert from "node:assert/strict";
import { test } from "node:test";
import { hasBlock, markedBlock, withBlockLast, withoutBlock } from "../../src/store/marked-block.js";

const block = markedBlock(["one", "two"]);

test("our part of a file is found, put in, and taken out", () => {
  assert.equal(withBlockLast("theirs\n", block), `theirs\n${block}`);
  assert.equal(withBlockLast("theirs", block), `${block}theirs`, "a last line without its newline stays the last");
  assert.equal(withBlockLast(`a\n${markedBlock(["old"])}b\n`, block), `a\n${block}b\n`);
  assert.equal(withoutBlock(`a\n${block}b\n${block}c`), "a\nb\nc");
  assert.equal(
    withoutBlock(`a\n  ${block.replaceAll("\n", "\n  ").trimEnd()}`),
    "a\n",
    "indented, at the end of the file",
  );
  for (const none of [
    "",
    "# >>> ua-hooks >>>\n",
    "# <<< ua-hooks <<<\n",
    `x ${block}`,
    block.replace("<<<\n", "<<< x\n"),
  ])
    assert.equal(hasBlock(none), false, none);
  assert.equal(hasBlock(markedBlock(["one"], "other")), false);
});

/** Quadratic time would be some hours for each. */
test("any number of beginnings without an end, and of marks in one line, is read once", () => {
  const begins = "# >>> ua-hooks >>>\n".repeat(200_000);
  assert.equal(hasBlock(begins), false);
  assert.equal(withoutBlock(block + begins), begins);
  assert.equal(hasBlock(`${" ".repeat(1_000_000)}x${"# >>> ua-hooks >>>".repeat(100_000)}`), false);
});
