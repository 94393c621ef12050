import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareFingerprints } from "../../src/fingerprint/compare.js";
import { fingerprintText, prepareParser } from "../../src/fingerprint/extract.js";
import { isBehaviourChange, symbolFacts } from "../../src/fingerprint/symbols.js";
import type { Behaviour } from "../../src/fingerprint/types.js";
import { compareSymbols, furthestDrift } from "../support/symbol-drift.js";
import { DIALECTS, type Dialect } from "./dialects.js";

prepareParser();

const read = (path: string, text: string) => fingerprintText(path, Buffer.from(text));

/** What became of each symbol that did not stay as it was, by its name without what is around it; `file` is the module. */
async function driftsOf(before: Record<string, string>, after: Record<string, string>) {
  const all = async (files: Record<string, string>) =>
    (await Promise.all(Object.entries(files).map(([path, text]) => read(path, text)))).flatMap(symbolFacts);
  const changes = compareSymbols(await all(before), await all(after));
  const named = changes.filter(
    ({ drift, name }) => (drift !== "none" && !name.startsWith("Holder_")) || name.includes("."),
  );
  return Object.fromEntries(
    named
      .filter(({ drift }) => drift !== "none")
      .map(({ kind, name, drift }) => [kind === "module" ? "file" : name.replace(/^Holder_\w+\./, ""), drift]),
  );
}

interface Case {
  title: string;
  /** Undefined where the language has no such thing. */
  texts(dialect: Dialect): [before: string, after: string] | undefined;
  drifts: Record<string, string>;
}

const long = (d: Dialect) => ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"].map(d.call);
const other = (d: Dialect) => d.fn("other", [d.call("other_call")]);

const CASES: Case[] = [
  {
    title: "a constant in a body",
    texts: (d) => [
      d.file(d.fn("f", [d.set(1), d.call("g")]), other(d)),
      d.file(d.fn("f", [d.set(2), d.call("g")]), other(d)),
    ],
    drifts: { f: "body" },
  },
  {
    title: "a condition around the same call",
    texts: (d) => [d.file(d.fn("f", [d.set(1), d.call("g")])), d.file(d.fn("f", [d.set(1), d.branch("g")]))],
    drifts: { f: "behaviour" },
  },
  {
    title: "another call in a small function",
    texts: (d) => [d.file(d.fn("f", [d.call("g")])), d.file(d.fn("f", [d.call("h")]))],
    drifts: { f: "behaviour" },
  },
  {
    title: "another call among many",
    texts: (d) => {
      const many = new Array(8).fill(d.call("g"));
      return [d.file(d.fn("f", [...many, d.call("g")])), d.file(d.fn("f", [...many, d.call("h")]))];
    },
    drifts: { f: "body" },
  },
  {
    title: "a condition and another call",
    texts: (d) => [
      d.file(d.fn("f", [d.call("g")]), other(d)),
      d.file(d.fn("f", [d.call("g"), d.branch("h")]), other(d)),
    ],
    drifts: { f: "behaviour" },
  },
  {
    title: "a throw",
    texts: (d) => [d.file(d.fn("f", [d.call("g"), d.set(1)])), d.file(d.fn("f", [d.call("g"), d.fail]))],
    drifts: { f: "behaviour" },
  },
  {
    title: "a comment inside",
    texts: (d) => [d.file(d.fn("f", [d.set(1), d.set(2)])), d.file(d.fn("f", [d.set(1), d.comment, d.set(2)]))],
    drifts: { f: "cosmetic" },
  },
  {
    title: "a parameter",
    texts: (d) =>
      d.path === "a.sh"
        ? undefined
        : [
            d.file(d.fn("f", [d.set(1)])),
            d.file(
              d.fn(
                "f",
                [d.set(1)],
                d
                  .fn("", [])
                  .match(/\((.+?)\)/)?.[1]
                  ?.replace("a", "b") ?? "",
              ),
            ),
          ],
    drifts: { f: "interface" },
  },
  {
    title: "a function that came",
    texts: (d) => [d.file(d.fn("f", [d.set(1)])), d.file(d.fn("f", [d.set(1)]), other(d))],
    drifts: { other: "new" },
  },
  {
    title: "a function that went",
    texts: (d) => [d.file(d.fn("f", [d.set(1)]), other(d)), d.file(d.fn("f", [d.set(1)]))],
    drifts: { other: "gone" },
  },
  {
    title: "a function with another name",
    texts: (d) => [d.file(d.fn("f", long(d)), other(d)), d.file(d.fn("renamed", long(d)), other(d))],
    drifts: { renamed: "renamed" },
  },
  {
    title: "a short function with another name is another function",
    texts: (d) => [d.file(d.fn("f", [d.set(1)])), d.file(d.fn("renamed", [d.set(1)]))],
    drifts: { f: "gone", renamed: "new" },
  },
  {
    title: "two that could be meant: neither",
    texts: (d) => [d.file(d.fn("f", long(d)), d.fn("g", long(d))), d.file(d.fn("h", long(d)))],
    drifts: { f: "gone", g: "gone", h: "new" },
  },
  {
    title: "the body of a method is not its class's",
    texts: (d) => [
      d.file(d.cls?.("K", "x", { m: [d.set(1)], n: [d.set(3)] }) ?? ""),
      d.file(d.cls?.("K", "x", { m: [d.set(2)], n: [d.set(3)] }) ?? ""),
    ],
    drifts: { "K.m": "body" },
  },
  {
    title: "a class with another name is renamed with its methods",
    texts: (d) => [
      d.file(d.cls?.("Klass", "x", { m: long(d), n: long(d), o: long(d), p: long(d) }) ?? ""),
      d.file(d.cls?.("Other", "x", { m: long(d), n: long(d), o: long(d), p: long(d) }) ?? ""),
    ],
    drifts: {
      Other: "renamed",
      "Other.m": "renamed",
      "Other.n": "renamed",
      "Other.o": "renamed",
      "Other.p": "renamed",
    },
  },
  {
    title: "code of the file itself",
    texts: (d) => [d.file(d.top(1), d.fn("f", [d.set(1)])), d.file(d.top(2), d.fn("f", [d.set(1)]))],
    drifts: { file: "body" },
  },
  {
    title: "a function more is no code of the file",
    texts: (d) => [d.file(d.top(1), d.fn("f", [d.set(1)])), d.file(d.top(1), d.fn("f", [d.set(1)]), other(d))],
    drifts: { other: "new" },
  },
  {
    title: "imports are no code of the file",
    texts: (d) => [
      d.file(d.import("one"), d.top(1), d.fn("f", [d.set(1)])),
      d.file(d.import("two"), d.top(1), d.fn("f", [d.set(1)])),
    ],
    drifts: {},
  },
];

for (const [language, dialect] of Object.entries(DIALECTS)) {
  describe(`symbols of ${language}`, () => {
    for (const { title, texts, drifts } of CASES) {
      const edit = texts(dialect);
      if (edit === undefined || edit[0] === edit[1]) continue;
      it(title, async () => {
        const [before, after] = edit;
        const found = await driftsOf({ [dialect.path]: before }, { [dialect.path]: after });
        assert.deepEqual(found, drifts, `${before}\n---\n${after}`);
      });
    }

    it("a function that moved to another file", async () => {
      const path = (name: string) => `${name}/${dialect.path}`;
      const text = (...names: string[]) =>
        dialect.file(...names.map((name) => dialect.fn(name, name === "f" ? long(dialect) : [dialect.set(1)])));
      const before = { [path("old")]: text("f", "g"), [path("new")]: text("h") };
      const after = { [path("old")]: text("g"), [path("new")]: text("h", "f") };
      assert.deepEqual(await driftsOf(before, after), { f: "moved" });
    });

    it("the first comment of an empty file is cosmetic", async () => {
      const start = language === "php" ? "<?php\n" : "";
      const [before, after] = [start, `${start}${dialect.comment}\n`];
      const { drift } = compareFingerprints(await read(dialect.path, before), await read(dialect.path, after));
      assert.equal(drift, "cosmetic");
    });

    it("whatever a test or a generated file does, its behaviour is no matter", async () => {
      const text = (...more: string[]) => dialect.file(dialect.fn("f", [dialect.call("g"), ...more]));
      for (const path of [`test/${dialect.path}`, `generated/${dialect.path}`]) {
        const found = await driftsOf({ [path]: text() }, { [path]: text(dialect.branch("h")) });
        assert.deepEqual(found, { f: "body" });
      }
    });
  });
}

describe("behaviour", () => {
  const cases: [string, Behaviour | undefined, Behaviour | undefined, boolean][] = [
    ["nothing", undefined, undefined, false],
    ["branches", [9, 0, 0, "9.a"], [8, 0, 0, "9.a"], true],
    ["callees of a large symbol", [1, 0, 0, "8.a"], [1, 0, 0, "8.b"], false],
    ["callees of a small symbol", [1, 0, 0, "7.a"], [1, 0, 0, "7.b"], true],
    ["a first call", undefined, [0, 0, 0, "1.a"], true],
    ["a throw", [1, 0, 0, "9.a"], [1, 1, 0, "9.a"], true],
    ["a throw where there was nothing", undefined, [0, 1, 0, ""], true],
    ["two comparisons of a large symbol", [1, 0, 2, "9.a"], [1, 0, 4, "9.a"], false],
    ["a comparison of a small symbol", [1, 0, 2, "1.a"], [1, 0, 3, "1.a"], true],
    ["three comparisons", [1, 0, 5, "9.a"], [1, 0, 2, "9.a"], true],
  ];
  for (const [title, before, after, expected] of cases) {
    it(`${title}: ${expected ? "changed" : "not"}`, () => assert.equal(isBehaviourChange(before, after), expected));
  }
});

describe("a file's drift by its symbols", () => {
  const LONG = "  const a = one();\n  const b = two(a);\n  const c = three(a, b);\n  return four(a, b, c);\n";
  const f = (name: string) => `export function ${name}() {\n${LONG}}\n`;
  const g = (value: string) => `export function g() {\n  return ${value};\n}\n`;
  const text = `${g("1")}${f("f")}`;
  const cases: [title: string, before: string, after: string, drift: string][] = [
    ["nothing", text, text, "none"],
    ["a comment outside of all symbols", text, `// one\n${text}`, "cosmetic"],
    ["a renamed function", text, `${g("1")}${f("h")}`, "renamed"],
    ["a renamed function and another body", text, `${g("2")}${f("h")}`, "body"],
    ["one that is exported no more", text, text.replace("export function g", "function g"), "interface"],
    ["a name that is passed on", `export { a } from "b";\n`, `export { a as c } from "b";\n`, "interface"],
    ["another body", text, `${g("2")}${f("f")}`, "body"],
    ["a throw", text, `${g("fail(); throw 1")}${f("f")}`, "behaviour"],
    ["one that came", text, `${text}function h() {}\n`, "interface"],
    ["one that went", `${text}function h() {}\n`, text, "interface"],
    ["imports alone", text, `import "a";\n${text}`, "interface"],
    ["another order", text, `${f("f")}${g("1")}`, "body"],
  ];
  for (const [title, one, other, drift] of cases) {
    it(`${title}: ${drift}`, async () => {
      const [before, after] = [await read("a.ts", one), await read("a.ts", other)];
      assert.equal(furthestDrift({ before, after }, compareSymbols(symbolFacts(before), symbolFacts(after))), drift);
    });
  }

  it("a function that moved counts where it went and where it was; with another name it is renamed", async () => {
    const rename = (source: string) => source.replaceAll("export ", "");
    const all = async (a: string, b: string) =>
      Promise.all([read("a.ts", rename(a)), read("b.ts", rename(b))] as const);
    const before = await all(text, g("3"));
    const driftsAfter = async (name: string) => {
      const after = await all(g("1"), `${g("3")}${f(name)}`);
      const changes = compareSymbols(before.flatMap(symbolFacts), after.flatMap(symbolFacts));
      return [0, 1].map((at) => furthestDrift({ before: before[at] ?? never(), after: after[at] ?? never() }, changes));
    };
    assert.deepEqual(await driftsAfter("f"), ["moved", "moved"]);
    assert.deepEqual(await driftsAfter("h"), ["renamed", "renamed"]);
  });

  it("the code of a file is not found in another one", async () => {
    const [before, after] = [await read("a.ts", f("f")), await read("b.ts", g("1"))];
    const drifts = compareSymbols(symbolFacts(before), symbolFacts(after)).map(({ kind, drift }) => [kind, drift]);
    assert.deepEqual(drifts, [
      ["function", "new"],
      ["module", "new"],
      ["function", "gone"],
      ["module", "gone"],
    ]);
  });
});

function never(): never {
  throw new Error("no such file");
}

describe("an import that is named once more", () => {
  it("is no other interface, of the file or by its symbols", async () => {
    const [one, two] = [
      await read("a.php", "<?php\nuse X\\Y;\n$a = 1;\n"),
      await read("a.php", "<?php\nuse X\\Y;\n$a = 1;\nuse X\\Y;\n"),
    ];
    assert.equal(compareFingerprints(one, two).drift, "body");
    assert.equal(
      furthestDrift({ before: one, after: two }, compareSymbols(symbolFacts(one), symbolFacts(two))),
      "body",
    );
  });
});

describe("a renamed class in the details of its file", () => {
  const members = Array.from(
    { length: 22 },
    (_, at) => `  m${at}(a: string): number {\n    return this.base + ${at};\n  }`,
  );
  const text = (name: string) => `export class ${name} {\n  base = 1;\n${members.join("\n")}\n}\nexport const x = 1;\n`;

  it("is one line", async () => {
    const { drift, details } = compareFingerprints(await read("a.ts", text("A")), await read("a.ts", text("B")));
    assert.deepEqual([drift, details], ["interface", ["renamed class: A → B (22 members unchanged)"]]);
  });

  it("and what changed in it has its own", async () => {
    const after = text("B")
      .replace("m3(a: string)", "m3(a: string, b: string)")
      .replace("this.base + 4;", "this.base - 4;");
    const { details } = compareFingerprints(await read("a.ts", text("A")), await read("a.ts", after));
    assert.deepEqual(details, ["renamed class: A → B (20 members unchanged)", "params changed: B.m3"]);
  });

  it("two that could have become it: neither did", async () => {
    const after = text("C").replace("base = 1", "base = 2; more = 3");
    const { details } = compareFingerprints(await read("a.ts", text("A") + text("B")), await read("a.ts", after));
    assert.deepEqual(
      details.filter((detail) => detail.startsWith("renamed")),
      [],
    );
  });
});
