import assert from "node:assert/strict";
import { test } from "node:test";
import { changeLines, symbolLines } from "../../src/cli/verdict-lines.js";

const symbol = (name: string) => ({ id: `function:src/a.ts:${name}`, change: "interface" as const, lineRange: null });
const A = {
  filePath: "src/a.ts",
  changeLevel: "STRUCTURAL",
  drift: "interface",
  details: ["params changed: f"],
} as const;

test("pending and check list what is to be described below its file, the first five of it", () => {
  const file = { id: "file:src/a.ts", change: "interface" as const, lineRange: null };
  const lines = changeLines([
    { ...A, details: [...A.details], symbols: [symbol("f"), file], aging: 2 },
    { ...A, details: ["behaviour changed: g"], filePath: "src/b.ts", drift: "behaviour", symbols: [], aging: 1 },
    { ...A, details: [], filePath: "src/new.ts", drift: "new" },
    { ...A, details: [], symbols: ["f", "g", "h", "i", "j", "k"].map(symbol), moreSymbols: 30 },
  ]);
  assert.deepEqual(
    lines.map((line) => line.trimEnd().replace(/(?<=\S) +/g, " ")),
    [
      "  src/a.ts interface params changed: f; 2 other symbols changed inside, not asked about",
      "    interface function f",
      "    interface the file itself",
      "  src/b.ts behaviour behaviour changed: g; 1 symbol changed inside, not asked about",
      "  src/new.ts new",
      "  src/a.ts interface",
      ...["f", "g", "h", "i", "j"].map((name) => `    interface function ${name}`),
      "    … and 31 more",
    ],
  );
});

test("without a file above it, a symbol is shown by its id, with what a terminal would act on made visible", () => {
  const odd = { id: "function:src/\u001b[31m.ts:f", change: "new" as const };
  const [line = "", more] = symbolLines([odd, symbol("g")], 2, { most: 1 });
  assert.ok(!line.includes("\u001b"));
  assert.match(line, /^ {4}new function:src\/.*:f$/);
  assert.equal(more, "    … and 1 more");
});
