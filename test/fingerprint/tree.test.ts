import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, test } from "node:test";
import type { Language, Tree, TreeCursor } from "web-tree-sitter";
import { languageOf } from "../../src/fingerprint/languages.js";
import { Productions, type TreeSitterModule, type Visitor, visitTree } from "../../src/fingerprint/tree.js";
import { TreeWalk, visitByCursor } from "../../src/fingerprint/tree-walk.js";
import { dist } from "../support/repo.js";

const grammars = join(dist, "grammars");
const samples = join(dist, "..", "test", "fingerprint", "samples");
const treeSitter: typeof import("web-tree-sitter") = createRequire(join(grammars, "x"))("./tree-sitter.cjs");
const module = { wasmBinary: readFileSync(join(grammars, "tree-sitter.wasm")) };
const memory = module as unknown as TreeSitterModule; // once it is loaded

before(() => treeSitter.Parser.init(module));

/** Every node as web-tree-sitter tells it: depth, type, field, place. */
function told(tree: Tree): string[] {
  const cursor: TreeCursor = tree.walk();
  const found: string[] = [];
  for (let depth = 0; ; ) {
    const place = [depth, cursor.nodeTypeId, cursor.currentFieldId, cursor.startIndex, cursor.endIndex];
    found.push(`${place.join(" ")}${cursor.nodeIsMissing ? " missing" : ""}`);
    if (cursor.gotoFirstChild()) {
      depth++;
      continue;
    }
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return found;
      depth--;
    }
  }
}

/** The same as a visitor gets it. */
function visited(visit: (visitor: Visitor) => void): string[] {
  const found: string[] = [];
  let depth = 0;
  let isMissing = false;
  visit({
    enter(typeId, fieldId, start, end, isParent) {
      found.push(`${[depth, typeId, fieldId, start, end].join(" ")}${isMissing ? " missing" : ""}`);
      isMissing = false;
      if (isParent) depth++;
      return isParent;
    },
    leave: () => depth--,
    missing() {
      isMissing = true;
    },
  });
  assert.equal(depth, 0);
  return found;
}

/** Whole, and broken in ways that make errors, missing tokens and text that no node covers. */
function variants(text: string): string[] {
  const cuts = Array.from({ length: 7 }, (_, at) => Math.floor((text.length * (at + 1)) / 8));
  return [
    ...["", " \n", text, `\ufeff${text}`, "(".repeat(3000), text.replaceAll("(", "((")],
    ...cuts.flatMap((cut) => [
      text.slice(0, cut),
      text.slice(cut),
      `${text.slice(0, cut)} )};ü\r\n ${text.slice(cut)}`,
    ]),
  ];
}

for (const name of readdirSync(samples)) {
  const language = languageOf(name.replace(/\.txt$/, ""));
  if (language === undefined) continue;
  test(`${name}: the tree in memory is the one that tree-sitter's cursor walks`, async () => {
    const grammar = await treeSitter.Language.load(readFileSync(join(grammars, `${language.grammar}.wasm`)));
    const parser = new treeSitter.Parser();
    parser.setLanguage(grammar);
    const productions = Productions.of(memory, grammar);
    assert.ok(productions, "its tables are where this program expects them");
    let nodes = 0;
    for (const text of variants(readFileSync(join(samples, name), "utf8"))) {
      const tree = parser.parse(text);
      assert.ok(tree);
      const found = visited((visitor) => visitTree(memory, tree, productions, visitor));
      assert.deepEqual(found, told(tree), JSON.stringify(text.slice(0, 60)));
      nodes += found.length;
      tree.delete();
    }
    assert.ok(nodes > 1000, `${nodes} nodes`);
    parser.delete();
  });
}

test("a tree that leads back into itself is an error, not a walk without end", async () => {
  const grammar = await treeSitter.Language.load(readFileSync(join(grammars, "javascript.wasm")));
  const parser = new treeSitter.Parser();
  parser.setLanguage(grammar);
  const productions = Productions.of(memory, grammar);
  assert.ok(productions);
  const tree = parser.parse("f(g(1));");
  assert.ok(tree);
  const words = memory.HEAPU32.slice();
  const root = words[((tree as unknown as number[])[0] as number) >> 2] as number;
  words[(root >> 2) - 2] = root; // its first child is itself
  const damaged = { HEAPU32: words, HEAPU16: new Uint16Array(words.buffer) };
  const visitor = { enter: (..._node: unknown[]) => true, leave() {}, missing() {} };
  assert.throws(() => visitTree(damaged, tree, productions, visitor), /damaged/);
  tree.delete();
});

/** The module's memory where every struct, or every subtree on the heap, has other words than this program knows. */
const otherLayouts: Record<string, (tree: Tree, grammar: Language) => TreeSitterModule> = {
  "a TSLanguage with another field first": (_tree, grammar) => {
    const words = memory.HEAPU32.slice();
    const at = ((grammar as unknown as number[])[0] as number) >> 2;
    words.copyWithin(at + 1, at, at + 40);
    return { HEAPU32: words, HEAPU16: new Uint16Array(words.buffer) };
  },
  "a subtree with its size elsewhere": (tree) => {
    const words = memory.HEAPU32.slice();
    const root = (words[((tree as unknown as number[])[0] as number) >> 2] as number) >> 2;
    words.copyWithin(root + 4, root + 3, root + 30);
    return { HEAPU32: words, HEAPU16: new Uint16Array(words.buffer) };
  },
  "memory that ends early": () => ({ HEAPU32: new Uint32Array(10), HEAPU16: new Uint16Array(20) }),
};

for (const [what, made] of Object.entries(otherLayouts)) {
  test(`${what}: seen before it is read, and the cursor walks`, async () => {
    const grammar = await treeSitter.Language.load(readFileSync(join(grammars, "javascript.wasm")));
    const parser = new treeSitter.Parser();
    parser.setLanguage(grammar);
    const tree = parser.parse("export function twice(x) {\n  // two\n  return f(g(x), [1, 2], x + 3);\n}\n".repeat(5));
    assert.ok(tree);
    const walk = new TreeWalk(made(tree, grammar), grammar);
    assert.deepEqual(
      visited((visitor) => walk.visit(tree, visitor)),
      told(tree),
    );
    assert.deepEqual(
      visited((visitor) => walk.visit(tree, visitor)),
      told(tree),
      "once more, when nothing is compared any more",
    );
    tree.delete();
  });
}

test("the cursor's walk: the same nodes", async () => {
  const grammar = await treeSitter.Language.load(readFileSync(join(grammars, "python.wasm")));
  const parser = new treeSitter.Parser();
  parser.setLanguage(grammar);
  for (const text of ["", "\n", "def f(x):\n    return g(x)\n", "def f(:\n  )"]) {
    const tree = parser.parse(text);
    assert.ok(tree);
    assert.deepEqual(
      visited((visitor) => visitByCursor(tree, visitor)),
      told(tree),
    );
    tree.delete();
  }
});
