import { hashOf } from "../fingerprint/hash.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { isStructuralNode } from "../graph/ids.js";
import type { GraphNode } from "../graph/types.js";
import { FileKeys } from "./description-keys.js";
import type { NewStatement, StatedType, SymbolContent } from "./statements.js";
import { symbolStates } from "./symbol-states.js";

/** A symbol of a file at one content. */
export interface SymbolAt extends SymbolContent {
  type: StatedType;
  /** Empty for the file itself. */
  name: string;
  /** The id of its node; `beside` has the file's. */
  id: string;
  lineRange: [number, number] | null;
}

export const placeKey = ({ type, name }: { type: string; name: string }): string => `${type} ${name}`;

/** The file first, what it imports and passes on, then its symbols by position. Of a file that was not parsed: itself, by its blob. */
export function symbolsAt(path: string, blob: string, fact: FileFingerprint | undefined): SymbolAt[] {
  return symbolStates(path, blob, fact).flatMap(({ type, name, id, lineRange, state }): SymbolAt[] => {
    const { beside, ...content } = state;
    const symbol = { type, name, id, lineRange, ...content };
    if (beside === undefined) return [symbol];
    return [symbol, { type: "beside", name: "", id, lineRange: null, hash: beside, signature: beside }];
  });
}

/** Digests of a whole content: of all its tokens, and of what is visible of it. */
export function digestsOf(fact: FileFingerprint | undefined): Pick<NewStatement, "tokens" | "shape"> {
  if (fact === undefined) return {};
  const { tokenHash: tokens, hasStructuralAnalysis } = fact;
  if (!hasStructuralAnalysis) return { tokens };
  const symbols = symbolsAt(fact.filePath, "", fact);
  const seen = symbols.map(({ type, name, signature }) => `${type} ${name} ${signature}`);
  return { tokens, shape: hashOf(seen.sort().join("\n")) };
}

/** What the node of a file stands for: one of its symbols, or a node that we do not compute. */
export class NodeSymbols {
  readonly #blob: string;
  readonly #keys: FileKeys;
  readonly #symbols: ReadonlyMap<string, SymbolAt>;

  constructor(path: string, blob: string, fact: FileFingerprint | undefined) {
    this.#blob = blob;
    this.#keys = new FileKeys(path, blob, fact);
    this.#symbols = new Map(symbolsAt(path, blob, fact).map((symbol) => [placeKey(symbol), symbol]));
  }

  of(node: GraphNode): SymbolAt {
    const { type, name } = this.#keys.of(node);
    const found = node.type === "file" ? this.#symbols.get("file ") : this.#symbols.get(placeKey({ type, name }));
    if (found !== undefined && isStructuralNode(node)) return found;
    return { type: "node", name: node.id, id: node.id, lineRange: node.lineRange ?? null, hash: `blob:${this.#blob}` };
  }

  get(type: StatedType, name: string): SymbolAt | undefined {
    return this.#symbols.get(placeKey({ type, name }));
  }

  all(): SymbolAt[] {
    return [...this.#symbols.values()];
  }
}

/** The whole content of a path. */
export function contentStatement(path: string, blob: string, fact: FileFingerprint | undefined): NewStatement {
  return { path, type: "content", name: "", hash: blob, blob, text: null, ...digestsOf(fact) };
}

/** A symbol of a path, at the content that it has there. */
export function symbolStatement(
  path: string,
  blob: string,
  symbol: SymbolAt,
  text: NewStatement["text"],
): NewStatement {
  const { id: _id, lineRange: _lineRange, ...content } = symbol;
  return { path, ...content, blob, text };
}
