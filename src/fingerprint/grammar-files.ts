import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where the parser and the grammars are. */
export const grammarFile = (name: string): string => join(import.meta.dirname, "grammars", name);

/** A clone's own copy of the program carries only the grammars that were in use when it was made. */
export const hasGrammarFile = (name: string): boolean =>
  existsSync(grammarFile(name)) || existsSync(grammarFile(`${name}.br`));

/** Unpacked in a clone's own copy of the program (install/runtime.ts), compressed in the package: 3 ms for TypeScript's. */
export function readGrammarFile(name: string): Buffer {
  if (existsSync(grammarFile(name))) return readFileSync(grammarFile(name));
  const { brotliDecompressSync } = process.getBuiltinModule("node:zlib"); // which a clone's own copy does without
  return brotliDecompressSync(readFileSync(grammarFile(`${name}.br`)));
}
