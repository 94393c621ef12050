import { SYMBOL_SCHEME } from "../fingerprint/engine.js";
import { hashOf } from "../fingerprint/hash.js";
import { type SymbolFacts, symbolFacts } from "../fingerprint/symbols.js";
import type { Behaviour, FileFingerprint } from "../fingerprint/types.js";
import { kindsOf, placeOf } from "../graph/ids.js";
import { symbolsOf } from "../graph/symbols.js";
import type { GraphNode } from "../graph/types.js";

/** What a description is about: a place, the hash of its content, and what tells how far another content is from it. */
export interface DescriptionKey {
  /** What is described: our kind of symbol, whatever type its node has; the node's type for one that we do not compute. */
  type: string;
  /** Empty for a node without a file. */
  path: string;
  /** Qualified; empty for the file itself; the node's id for a node that we do not compute. */
  name: string;
  hash: string;
  bareHash?: string;
  signature?: string;
  behaviour?: Behaviour;
  /** True in a test or a generated file. */
  isAside?: boolean;
}

/** The keys of a file's nodes at one content; without a fact, or where a node is no symbol of it, by the whole blob. */
export class FileKeys {
  readonly #path: string;
  readonly #oid: string;
  readonly #fact: FileFingerprint | undefined;
  readonly #symbols: ReadonlyMap<string, SymbolFacts>;

  constructor(path: string, oid: string, fact: FileFingerprint | undefined) {
    this.#path = path;
    this.#oid = oid;
    this.#fact = fact?.hasStructuralAnalysis === true ? fact : undefined;
    const symbols = this.#fact === undefined ? [] : symbolFacts({ ...this.#fact, filePath: path });
    this.#symbols = new Map(symbols.map((symbol) => [`${symbol.kind} ${symbol.name}`, symbol]));
  }

  of(node: GraphNode): DescriptionKey {
    if (node.type === "file" && this.#fact !== undefined) return this.#file();
    const kinds = kindsOf(node);
    for (const kind of kinds) {
      const name = this.#nameOf(kind, node);
      const symbol = name === undefined ? undefined : this.#symbols.get(`${kind} ${name}`);
      if (symbol !== undefined) return { type: kind, path: this.#path, name: symbol.name, ...parts(symbol) };
    }
    return { type: kinds[0] ?? node.type, path: this.#path, name: node.id, hash: `blob:${this.#oid}` };
  }

  /** Of the file itself (an empty name), or of a function or class that it has. */
  ofSymbol(type: string, name: string): DescriptionKey {
    return this.of({ ...NODE, id: `${type}:${this.#path}${name === "" ? "" : `:${name}`}`, type, name });
  }

  /** Of the file and of all its functions and classes. */
  all(): DescriptionKey[] {
    const symbols = [...this.#symbols.values()].filter(({ kind }) => kind !== "module");
    return [this.ofSymbol("file", ""), ...symbols.map(({ kind, name }) => this.ofSymbol(kind, name))];
  }

  has(type: string, name: string): boolean {
    return type === "file" ? name === "" : this.#symbols.has(`${type} ${name}`);
  }

  /** Module-level tokens, and what is visible of each symbol. */
  #file(): DescriptionKey {
    const own = this.#symbols.get("module ");
    const seen = [...this.#symbols.values()].map(({ kind, name, signature }) => `${kind} ${name} ${signature}`).sort();
    const signature = hashOf(seen.join("\n"));
    return {
      ...{ type: "file", path: this.#path, name: "" },
      ...{ hash: `${SYMBOL_SCHEME}:${hashOf(`${own?.hash ?? ""}\n${signature}`)}`, signature },
      ...(own?.behaviour === undefined ? {} : { behaviour: own.behaviour }),
      ...(own?.isAside === true ? { isAside: true } : {}),
    };
  }

  /** By our own id; a graph of another tool may name a method without its class: then by name and overlapping lines. */
  #nameOf(kind: string, node: GraphNode): string | undefined {
    const { path, name } = placeOf(node.id);
    if (path === this.#path && this.#symbols.has(`${kind} ${name}`)) return name;
    if (this.#fact === undefined) return undefined;
    const last = (text: string) => text.slice(text.lastIndexOf(".") + 1);
    const found = symbolsOf(this.#path, this.#fact).filter(
      (symbol) =>
        symbol.kind === kind && last(symbol.name) === last(node.name) && overlaps(symbol.lineRange, node.lineRange),
    );
    return found.length === 1 ? found[0]?.name : undefined;
  }
}

const NODE = { summary: "", tags: [], complexity: "simple" as const };

function parts({
  hash,
  bareHash,
  signature,
  behaviour,
  isAside,
}: SymbolFacts): Omit<DescriptionKey, "type" | "path" | "name"> {
  return {
    ...{ hash, signature },
    ...(bareHash === undefined ? {} : { bareHash }),
    ...(behaviour === undefined ? {} : { behaviour }),
    ...(isAside ? { isAside } : {}),
  };
}

function overlaps([start, end]: readonly [number, number], other: readonly [number, number] | undefined): boolean {
  return other === undefined || (start <= other[1] && other[0] <= end);
}
