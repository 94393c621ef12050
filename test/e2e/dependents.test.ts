import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { makeRepo, type Repo } from "../support/repo.js";

interface Case {
  language: string;
  /** A small project in which one file is imported by others, and one file has nothing to do with it. */
  files: Record<string, string>;
  imported: string;
  /** Edits of the imported file: one that callers see, one they do not. */
  seen: [from: string, to: string];
  unseen: [from: string, to: string];
  dependents: string[];
}

const CASES: Case[] = [
  {
    language: "TypeScript, also by tsconfig paths and through a barrel",
    files: {
      "tsconfig.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["src/lib/*"] } } }',
      "src/lib/size.ts": "export function size(text: string): number {\n  return text.length;\n}\n",
      "src/near.ts": 'import { size } from "./lib/size.js";\nexport const near = size("");\n',
      "src/far.ts": 'import { size } from "@lib/size";\nexport const far = size("");\n',
      "src/lib/index.ts": 'export * from "./size.js";\n',
      "src/other.ts": "export const other = 1;\n",
    },
    imported: "src/lib/size.ts",
    seen: ["text: string", "text: string, from = 0"],
    unseen: ["text.length", "[...text].length"],
    dependents: ["src/far.ts", "src/lib/index.ts", "src/near.ts"],
  },
  {
    language: "Python, by package and relatively",
    files: {
      "shop/__init__.py": "",
      "shop/price.py": "def total(items):\n    return sum(items)\n",
      "shop/cart.py": "from .price import total\n\ndef pay(items):\n    return total(items)\n",
      "run.py": "from shop.price import total\n\nprint(total([]))\n",
      "other.py": "import json\n",
    },
    imported: "shop/price.py",
    seen: ["total(items)", "total(items, tax)"],
    unseen: ["sum(items)", "sum(list(items))"],
    dependents: ["run.py", "shop/cart.py"],
  },
  {
    language: "Go, by module path",
    files: {
      "go.mod": "module example.com/shop\n\ngo 1.22\n",
      "price/price.go": "package price\n\nfunc Total(items []int) int {\n\treturn len(items)\n}\n",
      "main.go": 'package main\n\nimport "example.com/shop/price"\n\nfunc main() {\n\tprice.Total(nil)\n}\n',
      "text/text.go": 'package text\n\nimport "strings"\n\nvar Up = strings.ToUpper\n',
    },
    imported: "price/price.go",
    seen: ["items []int", "items []int, tax int"],
    unseen: ["len(items)", "len(items) + 0"],
    dependents: ["main.go"],
  },
  {
    language: "Rust, by mod and use",
    files: {
      "Cargo.toml": '[package]\nname = "shop"\n',
      "src/main.rs": "mod price;\nmod cart;\n\nfn main() {\n    cart::pay();\n}\n",
      "src/price.rs": "pub fn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n",
      "src/cart.rs": "use crate::price::total;\n\npub fn pay() -> u32 {\n    total(&[])\n}\n",
    },
    imported: "src/price.rs",
    seen: ["items: &[u32]", "items: &[u32], tax: u32"],
    unseen: ["items.iter().sum()", "items.iter().copied().sum()"],
    dependents: ["src/cart.rs", "src/main.rs"],
  },
  {
    language: "Java, by package",
    files: {
      "src/shop/Price.java":
        "package shop;\n\npublic class Price {\n  public int total(int[] items) {\n    return items.length;\n  }\n}\n",
      "src/app/Main.java":
        "package app;\n\nimport shop.Price;\n\npublic class Main {\n  int run() {\n    return new Price().total(null);\n  }\n}\n",
      "src/app/Other.java": "package app;\n\npublic class Other {}\n",
    },
    imported: "src/shop/Price.java",
    seen: ["int[] items", "int[] items, int tax"],
    unseen: ["items.length", "items.length + 0"],
    dependents: ["src/app/Main.java"],
  },
  {
    language: "C, by include",
    files: {
      "include/price.h": "#ifndef PRICE_H\n#define PRICE_H\nint total(int count);\n#endif\n",
      "src/price.c": '#include "../include/price.h"\n\nint total(int count) {\n  return count;\n}\n',
      "src/main.c": "#include <price.h>\n\nint main(void) {\n  return total(0);\n}\n",
      "src/other.c": "#include <stdio.h>\n",
    },
    imported: "include/price.h",
    seen: ["int count", "long count"],
    unseen: ["PRICE_H\nint", "PRICE_H\n\n/* the sum */\nint"],
    dependents: ["src/main.c", "src/price.c"],
  },
];

function installed(t: TestContext, files: Record<string, string>): Repo {
  const repo = makeRepo(t);
  repo.commit("start", files);
  const { code, stderr } = repo.ua("install");
  assert.deepEqual([code, stderr], [0, ""]);
  return repo;
}

for (const { language, files, imported, seen, unseen, dependents } of CASES) {
  test(`dependents in ${language}`, (t) => {
    const repo = installed(t, files);
    const text = files[imported] ?? "";
    for (const [from] of [seen, unseen]) assert.ok(text.includes(from), from);
    repo.commit("inside", { [imported]: text.replace(...unseen) });
    assert.equal(repo.marker(), null, "a change inside stops at its file");
    repo.commit("outside", { [imported]: text.replace(...seen) });
    const marker = repo.marker();
    assert.deepEqual([marker?.filesToReanalyze, marker?.dependents], [[imported], dependents]);
  });
}

const TS = {
  "src/a.ts": 'import { f } from "./b.js";\nexport const a = f(1);\n',
  "src/b.ts": "export function f(x: number): number {\n  const y = x;\n  return y;\n}\n",
  "src/c.ts": "export const c = 1;\n",
};

test("a function that grew, or other imports, are structural, but no importer can tell", (t) => {
  const repo = installed(t, TS);
  const b = TS["src/b.ts"];
  repo.commit("grown", { "src/b.ts": b.replace("  return", `${"  y + 1;\n".repeat(8)}  return`) });
  assert.deepEqual([repo.marker()?.filesToReanalyze, repo.marker()?.dependents], [["src/b.ts"], []]);
  repo.commit("imports", { "src/b.ts": `import { c } from "./c.js";\n${b.replace("y = x", "y = x + c")}` });
  assert.deepEqual(repo.marker()?.fileChanges[0]?.details, ["imports changed"]);
  assert.deepEqual([repo.marker()?.filesToReanalyze, repo.marker()?.dependents], [["src/b.ts"], []]);
});

test("who imports a file that went depends on it", (t) => {
  const repo = installed(t, TS);
  repo.git("rm", "-q", "src/b.ts");
  repo.commit("gone");
  assert.deepEqual([repo.marker()?.deletedFiles, repo.marker()?.dependents], [["src/b.ts"], ["src/a.ts"]]);
});

test("an importer that changed itself is listed once, as a file to analyse", (t) => {
  const repo = installed(t, TS);
  repo.commit("both", {
    "src/a.ts": 'import { f } from "./b.js";\nexport const renamed = f(1, 2);\n',
    "src/b.ts": TS["src/b.ts"].replace("x: number", "x: number, z: number"),
  });
  assert.deepEqual([repo.marker()?.filesToReanalyze, repo.marker()?.dependents], [["src/a.ts", "src/b.ts"], []]);
});

test("only files that use a name that changed are dependents, with the names", (t) => {
  const repo = makeRepo(t);
  repo.commit("first", {
    "src/shapes.ts":
      "export function area(w: number): number {\n  return w;\n}\nexport function edge(w: number): number {\n  return w;\n}\n",
    "src/one.ts": 'import { area } from "./shapes.js";\nexport const one = area(1);\n',
    "src/both.ts": 'import { area as a, edge } from "./shapes.js";\nexport const both = a(edge(1));\n',
    "src/other.ts": 'import { edge } from "./shapes.js";\nexport const other = edge(1);\n',
    "src/all.ts": 'import * as shapes from "./shapes.js";\nexport const all = shapes.area(1);\n',
  });
  repo.ua("install", "--yes");
  repo.commit("area", {
    "src/shapes.ts": repo.read("src/shapes.ts").replace("area(w: number)", "area(w: number, h: number)"),
  });
  const marker = repo.marker();
  assert.deepEqual(marker?.dependents, ["src/all.ts", "src/both.ts", "src/one.ts"]);
  const uses = { "src/all.ts": ["*"], "src/both.ts": ["area"], "src/one.ts": ["area"] };
  assert.deepEqual(marker?.dependentUses, uses);
  assert.deepEqual(repo.uaJson("why", "src/shapes.ts").dependentUses, uses);
  repo.commit("and edge", { "src/shapes.ts": repo.read("src/shapes.ts").replace("function edge(", "function side(") });
  assert.deepEqual(repo.marker()?.dependentUses["src/other.ts"], ["edge"]);
});
