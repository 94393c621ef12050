import { hashOf } from "../fingerprint/hash.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { fileId } from "../graph/ids.js";
import { symbolsOf } from "../graph/symbols.js";
import { type DescriptionKey, FileKeys } from "./description-keys.js";

/** What can be described in a file: the file itself, which stands for its code outside of symbols, a function or a class. */
export type SymbolType = "file" | "function" | "class";

/** A symbol at one content, as far as its drift depends on it. */
export type SymbolState = Omit<DescriptionKey, "type" | "path" | "name"> & {
  /** Of a function, for the rule about its size. */
  lines?: number;
  /** Of a file: what it imports, and what it exports that is no symbol of it. */
  beside?: string;
};

export interface FileSymbolState {
  type: SymbolType;
  /** Empty for the file. */
  name: string;
  id: string;
  lineRange: [number, number] | null;
  state: SymbolState;
}

/** The file first, then its symbols by position. Of a file that was not parsed: only itself, by its blob. */
export function symbolStates(path: string, oid: string, fact: FileFingerprint | undefined): FileSymbolState[] {
  const keys = new FileKeys(path, oid, fact);
  const isParsed = fact?.hasStructuralAnalysis === true;
  const file: FileSymbolState = {
    ...{ type: "file", name: "", id: fileId(path), lineRange: null },
    state: { ...contentOf(keys.ofSymbol("file", "")), ...(isParsed ? { beside: besideSymbols(fact) } : {}) },
  };
  if (!isParsed) return [file];
  const symbols = symbolsOf(path, fact).map(({ kind, name, id, lineRange, shape }): FileSymbolState => {
    const lines = kind === "function" ? { lines: shape.lineCount } : {};
    return { type: kind, name, id, lineRange, state: { ...contentOf(keys.ofSymbol(kind, name)), ...lines } };
  });
  return [file, ...symbols];
}

/** Whether one statement names two things, or two statements name one each, does not matter. */
function besideSymbols({ imports, exports, functions, classes }: FileFingerprint): string {
  const own = new Set([...functions, ...classes].map(({ name }) => name));
  const imported = imports.flatMap(({ source, specifiers }) => [
    source,
    ...specifiers.map((one) => `${source} ${one}`),
  ]);
  const passedOn = exports.filter((name) => !own.has(name)).map((name) => `export ${name}`);
  return hashOf([...new Set([...imported, ...passedOn])].sort().join("\n"));
}

function contentOf({ type: _type, path: _path, name: _name, ...content }: DescriptionKey): SymbolState {
  return content;
}
