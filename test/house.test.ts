import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { test } from "node:test";
import type { Node } from "web-tree-sitter";
import { dist } from "./support/repo.js";

const root = join(dist, "..");
const [FILE_LINES, FUNCTION_LINES] = [300, 50];
const FUNCTIONS = new Set([
  ...["function_declaration", "generator_function_declaration", "method_definition"],
  ...["arrow_function", "function_expression", "generator_function"],
]);

/** The grammar that the package carries: typescript 7 has no API to parse with. */
async function typescriptParser() {
  const grammars = join(dist, "grammars");
  const load = createRequire(join(grammars, "tree-sitter.cjs"));
  const treeSitter: typeof import("web-tree-sitter") = load("./tree-sitter.cjs");
  await treeSitter.Parser.init({ wasmBinary: readFileSync(join(grammars, "tree-sitter.wasm")) });
  const parser = new treeSitter.Parser();
  parser.setLanguage(await treeSitter.Language.load(readFileSync(join(grammars, "typescript.wasm"))));
  return parser;
}

function* functionsIn(node: Node): Generator<Node> {
  if (FUNCTIONS.has(node.type)) yield node;
  for (const child of node.namedChildren) if (child !== null) yield* functionsIn(child);
}

const nameOf = (node: Node) =>
  node.childForFieldName("name")?.text ?? node.parent?.childForFieldName("name")?.text ?? "a function without a name";

/** A reason is a comment that begins with "Long:", in the function or at the top of the file. */
const hasReason = (text: string) => /(?:\/\/|\*) Long: \w/.test(text);

test("no file is over 300 lines and no function over 50 without a reason in it", async () => {
  const parser = await typescriptParser();
  const long: string[] = [];
  for (const folder of ["src", "bench", "scripts"]) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.(ts|mjs)$/.test(name)) continue;
      const file = join(root, folder, name);
      const text = readFileSync(file, "utf8");
      const lines = text.split("\n").length - 1;
      if (lines > FILE_LINES && !hasReason(text.slice(0, 1000))) long.push(`${relative(root, file)}: ${lines} lines`);
      const tree = parser.parse(text);
      assert.ok(tree, file);
      for (const each of functionsIn(tree.rootNode)) {
        const length = each.endPosition.row - each.startPosition.row + 1;
        if (length > FUNCTION_LINES && !hasReason(each.text))
          long.push(`${relative(root, file)}:${each.startPosition.row + 1} ${nameOf(each)}: ${length} lines`);
      }
      tree.delete();
    }
  }
  assert.deepEqual(long, []);
});
