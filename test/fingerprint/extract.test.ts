import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { fingerprintText, parseCount, warmUp } from "../../src/fingerprint/extract.js";
import { extractorOf, languageOf } from "../../src/fingerprint/languages.js";

const read = (path: string, text: string) => fingerprintText(path, Buffer.from(text));

describe("a fingerprint", () => {
  it("has the shape that Understand-Anything reads", async () => {
    const text = "import { a } from './a';\nexport function f(x: string): number {\n  return 1;\n}\n";
    const print = await read("src/a.ts", text);
    assert.equal(print.filePath, "src/a.ts");
    assert.equal(print.contentHash, createHash("sha256").update(text).digest("hex"));
    assert.equal(print.totalLines, 4);
    assert.equal(print.hasStructuralAnalysis, true);
    assert.equal(print.extractor, extractorOf("src/a.ts"));
    assert.deepEqual(print.imports, [{ source: "./a", specifiers: ["a"] }]);
    assert.deepEqual(print.exports, ["f"]);
    const [f] = print.functions;
    assert.deepEqual(
      { ...f, hash: "", textHash: "" },
      {
        name: "f",
        params: ["x: string"],
        returnType: "number",
        exported: true,
        lineCount: 3,
        lineRange: [2, 4],
        signature: "",
        hash: "",
        textHash: "",
        signs: { tokens: 14, literals: "1.efwnq4", words: "2xMKPxCTUbKf3Lv3" },
      },
    );
  });

  it("spells parameters one way, whatever their layout", async () => {
    const print = await read(
      "a.ts",
      "function f(a:string,/* b */b? :number,c : number=1+2,\n...rest:Array< string >){}\nclass A{constructor(private readonly x:X){}}",
    );
    assert.deepEqual(print.functions[0]?.params, ["a: string", "b?: number", "c: number =", "...rest: Array<string>"]);
    assert.deepEqual(print.functions[1]?.params, ["private readonly x: X"]);
  });

  it("lists members with their class", async () => {
    const print = await read("a.ts", "export class A { x: number = 1; m(): void {} static n = () => 1; }");
    const [a] = print.classes;
    assert.deepEqual(a?.methods, ["m", "n"]);
    assert.deepEqual(a?.properties, ["x: number"]);
    assert.deepEqual(
      print.functions.map((f) => f.name),
      ["A.m", "A.n"],
    );
  });

  it("counts lines that hold code", async () => {
    const print = await read("a.ts", "// one\nfunction f() {\n\n  // two\n  a();\n  /* three\n   */\n}\n");
    assert.equal(print.functions[0]?.lineCount, 3);
    assert.deepEqual(print.functions[0]?.lineRange, [2, 8]);
  });

  it("names what every kind of import brings", async () => {
    const print = await read(
      "a.ts",
      [
        'import d, { a as b, type T } from "x";',
        'import * as ns from "y";',
        'import "side";',
        'export * from "all";',
        'export { q as r } from "re";',
        'const { m, n: o } = require("req");',
        'async function f() { await import("dyn"); }',
      ].join("\n"),
    );
    assert.deepEqual(print.imports, [
      { source: "x", specifiers: ["default as d", "a as b", "T"] },
      { source: "y", specifiers: ["* as ns"] },
      { source: "side", specifiers: [] },
      { source: "all", specifiers: ["*"] },
      { source: "re", specifiers: ["q as r"] },
      { source: "req", specifiers: ["m", "n as o"] },
      { source: "dyn", specifiers: [] },
    ]);
    assert.deepEqual(print.exports, ["* from all", "r"]);
  });

  it("hashes each function by its own tokens", async () => {
    const one = await read("a.ts", "function f() { return 1; }\nfunction g() { return 1; }");
    const two = await read("a.ts", "function f() { return 1 } // same\nfunction g() { return 2; }");
    assert.equal(one.functions[0]?.hash, two.functions[0]?.hash);
    assert.notEqual(one.functions[1]?.hash, two.functions[1]?.hash);
  });

  it("keeps what can be read of broken syntax", async () => {
    const print = await read("a.ts", "export function f(a: string) { if ( }\nexport function g(b: number) {}\n");
    assert.ok(print.hasStructuralAnalysis);
    assert.ok(print.functions.some((f) => f.name === "g"));
  });
});

describe("a content-only fingerprint", () => {
  const cases: [string, string, Buffer, RegExp][] = [
    ["no grammar", "a.sql", Buffer.from("select 1"), /no grammar/],
    ["too large", "a.ts", Buffer.alloc(1024 * 1024 + 1, " "), /larger than 1048576 bytes/],
    ["binary", "a.ts", Buffer.from("a\0b"), /binary/],
    ["UTF-16", "a.ts", Buffer.from("\uFEFFconst a = 1;", "utf16le"), /UTF-16/],
  ];
  for (const [title, path, content, reason] of cases) {
    it(`says why: ${title}`, async () => {
      const before = parseCount();
      const print = await fingerprintText(path, content);
      assert.equal(print.hasStructuralAnalysis, false);
      assert.match(print.reason ?? "", reason);
      assert.match(print.contentHash, /^[0-9a-f]{64}$/);
      assert.equal(parseCount(), before);
    });
  }
});

describe("languages", () => {
  it("are chosen by extension alone", () => {
    assert.equal(languageOf("src/a.test.tsx")?.name, "tsx");
    assert.equal(languageOf("A.PY")?.name, "python");
    assert.equal(languageOf("src.ts/readme"), undefined);
    assert.equal(languageOf(".ts"), undefined);
    assert.equal(languageOf("a.constructor"), undefined);
  });

  it("name their extractor", () => {
    assert.equal(extractorOf("a.ts"), "ua-hooks/4 typescript/1");
    assert.equal(extractorOf("a.sql"), "ua-hooks/4 content");
  });

  it("can be loaded ahead, and unknown ones do not matter", async () => {
    await warmUp(["a.ts", "b.ts", "c.unknown"]);
  });
});
