import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprintText } from "../../src/fingerprint/extract.js";
import { askedFiles } from "../../src/verification/asked.js";
import { compareFacts } from "../../src/verification/file-symbols.js";

const read = async (text: string) => ({ ...(await fingerprintText("a.ts", Buffer.from(text))), blobOid: text });

/** What is asked about a file of which nothing is described. */
async function asked(before: string, after: string, refresh: "structural" | "behaviour" | "every") {
  const verdict = { ...compareFacts(await read(before), await read(after)), oid: after, analysedOid: before };
  const found = askedFiles([verdict], refresh, () => false).get("a.ts");
  return found?.symbols.map(({ id, change }) => `${change} ${id}`);
}

test("imports and module-level code that change together are asked about, as imports alone are", async () => {
  const [before, imports, both] = ["a", "b", "b"].map(
    (name, at) => `import { ${name} } from "./x.js";\nlet x = ${at};\n`,
  );
  const alone = imports?.replace("x = 1", "x = 0") ?? "";
  assert.deepEqual(await asked(before ?? "", alone, "structural"), ["interface file:a.ts"]);
  assert.deepEqual(await asked(before ?? "", both ?? "", "structural"), ["body file:a.ts"]);
  assert.deepEqual(await asked(before ?? "", both ?? "", "behaviour"), []);
  assert.deepEqual(await asked(before ?? "", both ?? "", "every"), ["body file:a.ts"]);
  assert.deepEqual(await asked(before ?? "", before?.replace("x = 0", "x = 1") ?? "", "structural"), []);
});
