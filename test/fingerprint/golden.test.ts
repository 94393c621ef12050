import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";
import { symbolFacts } from "../../src/fingerprint/symbols.js";

prepareParser();

const FOLDER = join(import.meta.dirname, "../test/fingerprint");

/**
 * Symbol hashes are keys of what people and agents wrote, and clones of two versions share them: a grammar or an extractor
 * that changes one of these needs a new scheme, not a new golden file. A new sample gets its file by `UA_HOOKS_GOLDEN=1`,
 * which writes files that are not there, and never one that is.
 */
describe("symbol hashes of scheme h1", () => {
  for (const name of readdirSync(join(FOLDER, "samples"))) {
    const extension = name.replace(/^sample\.|\.txt$/g, "");
    it(`are what they were: ${extension}`, async () => {
      const print = await fingerprintText(`sample.${extension}`, readFileSync(join(FOLDER, "samples", name)));
      const found = Object.fromEntries(
        symbolFacts(print).map(({ kind, name: symbol, hash, bareHash }) => [
          `${kind} ${symbol}`.trim(),
          [hash, ...(bareHash === undefined ? [] : [bareHash])],
        ]),
      );
      const golden = join(FOLDER, "golden", `${extension}.json`);
      if (process.env.UA_HOOKS_GOLDEN !== undefined && !existsSync(golden))
        writeFileSync(golden, `${JSON.stringify(found, null, 2)}\n`);
      assert.deepEqual(found, JSON.parse(readFileSync(golden, "utf8")));
    });
  }
});
