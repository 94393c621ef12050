import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { dist } from "./repo.js";

export const root = join(dist, "..");

/** The paths of all files of a folder of this repository, or of one file, from the root. */
export function filesOf(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

export const sourceText = (file: string) => readFileSync(join(root, file), "utf8");

/** A parser with the grammar that the package carries: typescript 7 has no API to parse with. */
export async function typescriptParser() {
  const grammars = join(dist, "grammars");
  const load = createRequire(join(grammars, "tree-sitter.cjs"));
  const treeSitter: typeof import("web-tree-sitter") = load("./tree-sitter.cjs");
  await treeSitter.Parser.init({ wasmBinary: readFileSync(join(grammars, "tree-sitter.wasm")) });
  const parser = new treeSitter.Parser();
  parser.setLanguage(await treeSitter.Language.load(readFileSync(join(grammars, "typescript.wasm"))));
  return parser;
}
