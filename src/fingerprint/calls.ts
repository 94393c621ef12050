import { startsUpperCase, tester } from "../characters.js";
import type { Syntax } from "./syntax.js";
import type { ImportFingerprint } from "./types.js";
import type { FunctionDraft, Walk } from "./walk.js";

/** A longer chain of names is a chain of objects, and leads to nothing that we could tell. */
const MAX_TOKENS = 11;
const isWord = /* @__PURE__ */ tester(/^[a-zA-Z_$][\w$]*[?!]?$/, () => /^[\p{L}_$][\p{L}\p{N}_$]*[?!]?$/u);
const SEPARATORS = new Set([".", "?.", "->", "?->", "::", "\\", ":"]);
const STATIC = new Set(["::", "\\"]);
/** What a method calls its own object, its class, or the module around it. */
const OWN = new Set(["this", "self", "Self", "static", "crate", "super"]);

/** Nodes that call something and nodes that bind a name, in order: found in the one pass over all nodes. */
export interface CallSites {
  calls: number[];
  binders: number[];
}

/**
 * The names that a function calls, as far as they can lead to something that the file declares, imports, or sees
 * without an import: not `items.push`, and not what the function itself binds.
 */
export class Calls {
  readonly #syntax: Syntax;
  readonly #sites: CallSites;
  readonly #known: ReadonlySet<string>;
  readonly #isOpen: boolean;

  constructor({ syntax, functions, classes }: Walk, sites: CallSites, imports: readonly ImportFingerprint[]) {
    this.#syntax = syntax;
    this.#sites = sites;
    this.#known = sites.calls.length === 0 ? new Set() : knownNames([...functions, ...classes], imports);
    const everything = imports.some(({ specifiers }) => specifiers.includes("*"));
    this.#isOpen = everything || syntax.rules.language.calls?.everyName === true;
  }

  /** Each once, in the order of first use. */
  of(drafts: readonly FunctionDraft[]): string[] {
    const found = new Set<string>();
    for (const node of drafts.flatMap(({ nodes }) => nodes)) {
      const calls = within(this.#sites.calls, node, this.#syntax.nextOf(node));
      const bound = calls.length === 0 ? undefined : this.#boundIn(node);
      for (const call of calls) {
        const name = this.#calleeOf(call);
        if (name !== "" && bound?.has(rootOf(name)) !== true) found.add(name);
      }
    }
    return [...found];
  }

  #boundIn(node: number): Set<string> {
    const syntax = this.#syntax;
    const names = new Set<string>();
    for (const binder of within(this.#sites.binders, node, syntax.nextOf(node))) {
      const places = syntax.rules.binders[syntax.type[binder] ?? 0];
      if (places === undefined) continue;
      for (const child of syntax.children(binder)) {
        if (!syntax.isAt(child, places) || !bindsNames(syntax, child)) continue;
        for (const token of tokensOf(syntax, child, syntax.nextOf(child))) if (isWord(token)) names.add(token);
      }
    }
    return names;
  }

  /** What stands before the arguments, where it is a name: its parts, joined with dots. */
  #calleeOf(call: number): string {
    const syntax = this.#syntax;
    const places = syntax.rules.calls[syntax.type[call] ?? 0];
    if (places === undefined || places.isNone) return this.#ifKept(nameBefore(syntax, call));
    const last = syntax.nextOf(call);
    let end = call + 1;
    while (end < last && !syntax.isAt(end, places)) end = syntax.nextOf(end);
    const tokens = tokensOf(syntax, call + 1, end);
    if (syntax.rules.language.calls?.oneWord === true) return tokens.length === 1 ? (tokens[0] ?? "") : "";
    // `new K`, PHP's `$this` and `\a\b`, Rust's `f::<T>`
    while (tokens[0] === "new" || tokens[0] === "\\" || (tokens[0] === "$" && tokens[1] === "this")) tokens.shift();
    if (tokens.at(-1) === "::") tokens.pop();
    const isName = tokens.every((token, at) => (at % 2 === 0 ? isWord(token) : SEPARATORS.has(token)));
    return isName && tokens.length % 2 === 1 && tokens.length <= MAX_TOKENS ? this.#ifKept(tokens) : "";
  }

  #ifKept(tokens: readonly string[]): string {
    const [root = "", separator = ""] = tokens;
    if (root === "") return "";
    const isStatic = STATIC.has(separator);
    const name = tokens.filter((_, at) => at % 2 === 0);
    if (name.length === 2 && OWN.has(root) && !isStatic) return root === "super" ? "" : `this.${name[1]}`;
    const isKept =
      this.#known.has(root) ||
      (isStatic && OWN.has(root)) ||
      (this.#isOpen && (name.length === 1 || isStatic || startsUpperCase(root)));
    return isKept ? name.join(".") : "";
  }
}

function knownNames(declared: readonly { name: string }[], imports: readonly ImportFingerprint[]): Set<string> {
  const names = new Set(imports.flatMap(broughtBy));
  for (const { name } of declared) {
    for (const part of name.split(".")) names.add(part);
  }
  return names;
}

const rootOf = (name: string) => name.split(".", 1)[0] ?? "";

/** The names that an import can be used by: those it lists; else the first or the last part of what it names. */
function broughtBy({ source, specifiers }: ImportFingerprint): string[] {
  if (specifiers.length > 0) return specifiers.map((name) => name.replace(/^.*\sas\s+/, ""));
  const parts = source.split(/[./\\]|::/).filter((part) => part !== "");
  return [...parts.slice(0, 1), ...parts.slice(-1)];
}

/** `a.b = 1` binds nothing; a leaf, a pattern and a list do. */
function bindsNames(syntax: Syntax, node: number): boolean {
  return syntax.isLeaf(node) || /pattern|list|pointer|function_declarator/.test(syntax.typeOf(node));
}

/** The tokens between two nodes, type arguments left out. */
function tokensOf(syntax: Syntax, from: number, end: number): string[] {
  const { typeArguments } = syntax.rules;
  const found: string[] = [];
  for (let at = from; at < end && found.length <= MAX_TOKENS + 1; ) {
    if (typeArguments[syntax.type[at] ?? 0] === 1) {
      at = syntax.nextOf(at);
      continue;
    }
    if (syntax.isLeaf(at)) syntax.pushTokens(at, found);
    at++;
  }
  return found;
}

/** The name that ends before a node: `a.b`; empty where something else does: `a().b`, `..b`. */
function nameBefore({ pieces, pieceStart }: Syntax, node: number): string[] {
  const found: string[] = [];
  for (let piece = (pieceStart[node] ?? 0) - 1; piece >= 0; piece--) {
    const text = pieces.text(piece);
    const isPart = found.length % 2 === 0 ? isWord(text) : text === "." || text === "?.";
    if (!isPart) return text === ".." || text === "?.." || found.length % 2 === 0 ? [] : found.reverse();
    if (found.push(text) > MAX_TOKENS) return [];
  }
  return found.length % 2 === 1 ? found.reverse() : [];
}

/** The part of a sorted list that lies in a range. */
function within(sorted: readonly number[], from: number, end: number): readonly number[] {
  return sorted.slice(firstFrom(sorted, from), firstFrom(sorted, end));
}

function firstFrom(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
