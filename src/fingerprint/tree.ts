import type { Language, Tree } from "web-tree-sitter";
import { ERROR } from "./syntax.js";

/** What is needed of web-tree-sitter's WASM module: its memory. Emscripten puts it on the object that init is given. */
export interface TreeSitterModule {
  readonly HEAPU32: Uint32Array;
  readonly HEAPU16: Uint16Array;
}

/** Objects of web-tree-sitter hold their address in the module's memory. */
const addressOf = (object: Tree | Language) => (object as unknown as { readonly 0: number })[0];

/** Where a TSLanguage has what, in words of four bytes (tree-sitter's parser.h, for 32 bits). */
const LANGUAGE = { version: 0, symbols: 1, aliases: 2, states: 5, productions: 7, fields: 8, longest: 9 };
const TABLES = { fieldSlices: 16, fieldEntries: 17, publicSymbols: 19, aliasSequences: 21 };

/** A grammar's names and fields, by production and by the place among the production's children. */
export class Productions {
  /** The number that a symbol has outside of the grammar. */
  readonly publicSymbol: Uint16Array;
  /** The name that a child has in this production only; 0: its own. */
  readonly alias: Uint16Array;
  readonly field: Uint16Array;
  /** How many places each production has in the two. */
  readonly places: number;

  /** null: a TSLanguage of this module is something else. */
  static of(module: TreeSitterModule, grammar: Language): Productions | null {
    const at = addressOf(grammar) >> 2;
    const word = (offset: number) => module.HEAPU32[at + offset] as number;
    const isKnown =
      word(LANGUAGE.version) === grammar.abiVersion &&
      word(LANGUAGE.symbols) + word(LANGUAGE.aliases) === grammar.nodeTypeCount &&
      word(LANGUAGE.states) === grammar.stateCount &&
      word(LANGUAGE.fields) === grammar.fieldCount;
    return isKnown ? new Productions(module, grammar) : null;
  }

  private constructor({ HEAPU32: words, HEAPU16: halves }: TreeSitterModule, grammar: Language) {
    const at = addressOf(grammar) >> 2;
    const word = (offset: number) => words[at + offset] as number;
    const half = (address: number) => halves[address >> 1] as number;
    const halvesFrom = (address: number, count: number) => halves.slice(address >> 1, (address >> 1) + count);
    const productions = word(LANGUAGE.productions);
    this.places = word(LANGUAGE.longest) & 0xffff;
    this.publicSymbol = halvesFrom(word(TABLES.publicSymbols), word(LANGUAGE.symbols) + word(LANGUAGE.aliases));
    this.alias = halvesFrom(word(TABLES.aliasSequences), productions * this.places);
    this.alias.fill(0, 0, this.places); // production 0 is all of those without an alias
    this.field = new Uint16Array(productions * this.places);
    for (let production = 0; word(LANGUAGE.fields) > 0 && production < productions; production++) {
      const slice = word(TABLES.fieldSlices) + production * 4;
      const first = word(TABLES.fieldEntries) + half(slice) * 4;
      // Backwards: of several entries for a place the first counts.
      for (let entry = first + (half(slice + 2) - 1) * 4; entry >= first; entry -= 4) {
        const place = half(entry + 2);
        if (place < this.places) this.field[production * this.places + place] = half(entry); // above: inherited
      }
    }
  }
}

/** What receives a tree's nodes, in the order of the text. Places are in UTF-16 units, as JavaScript counts. */
export interface Visitor {
  /** True: the node's children are wanted. */
  enter(typeId: number, fieldId: number, start: number, end: number, isParent: boolean): boolean;
  /** Before `enter` of a leaf that is not in the text: the parser went on as if it were there. */
  missing(typeId: number): void;
  /** After the last child of a node whose children were wanted. */
  leave(): void;
}

/** A subtree's words on the heap (tree-sitter's subtree.h, for 32 bits). Its children lie before it, two words each. */
const PADDING = 1;
const SIZE = 4;
const CHILDREN = 9;
const SYMBOL = 10;
const FLAGS = 11;
const VISIBLE_CHILDREN = 12;
const PRODUCTION = 16;
/** Bits of the flags: in a small leaf, and on the heap. */
const INLINE_MISSING = 1 << 4;
const MISSING = 1 << 9;
/** What is kept of each node that the walk is inside of. */
const FRAME = 6;

/**
 * Walks a parsed tree where it lies in the module's memory, as tree-sitter's own cursor does. A call into WASM for every step
 * took three times as long. Nothing is written, and the visitor may call nothing of tree-sitter: memory that grows is
 * another array. Iterative: nesting can be as deep as the file is long. Whether trees of this version look like this is checked
 * in tree-walk.ts.
 */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: what is read of a node is read once; a call for each of it took twice as long
export function visitTree(module: TreeSitterModule, tree: Tree, productions: Productions, visitor: Visitor): void {
  const words = module.HEAPU32;
  const { alias, field, places, publicSymbol } = productions;
  const open: number[] = [];
  // The root is the one child of nothing.
  let slot = addressOf(tree) >> 2;
  let heap = 0;
  let count = 1;
  let production = 0;
  let child = 0;
  let place = 0;
  let position = 0;
  let inherited = 0;
  let isVisible = false;
  // Every subtree has two words at least. A grammar's scanner that wrote where it should not have can make a circle.
  let left = words.length;
  for (;;) {
    if (--left < 0) throw new Error("the tree in memory is damaged");
    if (child === count) {
      if (isVisible) visitor.leave();
      if (open.length <= FRAME) return;
      isVisible = open.pop() === 1;
      inherited = open.pop() as number;
      position = open.pop() as number;
      place = open.pop() as number;
      child = open.pop() as number;
      heap = open.pop() as number;
      count = words[heap + CHILDREN] as number;
      production = (words[heap + PRODUCTION] as number) >>> 16;
      continue;
    }
    if (open.length > 0) slot = heap - 2 * (count - child);
    const word = words[slot] as number;
    const isInline = (word & 1) === 1;
    const at = word >>> 2;
    const second = words[slot + 1] as number;
    // A small leaf is the two words themselves, anything else is where the first one says.
    const flags = isInline ? word >>> 1 : (words[at + FLAGS] as number);
    const padding = isInline ? (second >>> 16) & 0xff : (words[at + PADDING] as number);
    const children = isInline ? 0 : (words[at + CHILDREN] as number);
    // The white space before a first child is the parent's, too.
    const start = position + (child === 0 && open.length > 0 ? 0 : padding);
    position = start + (isInline ? second >>> 24 : (words[at + SIZE] as number));
    child++;
    let name = 0;
    let fieldId = 0;
    // Comments and the like may stand anywhere, and so have no place in a production.
    if ((flags & 4) === 0) {
      if (place < places) {
        name = alias[production * places + place] as number;
        fieldId = field[production * places + place] as number;
      }
      if (fieldId === 0) fieldId = inherited;
      place++;
    }
    const isParent = children > 0 && (words[at + VISIBLE_CHILDREN] as number) > 0;
    const isSeen = (flags & 1) === 1 || name !== 0 || open.length === 0;
    if (isSeen) {
      const symbol = name !== 0 ? name : isInline ? (word >>> 8) & 0xff : (words[at + SYMBOL] as number) & 0xffff;
      const typeId = symbol === ERROR ? ERROR : (publicSymbol[symbol] as number);
      if (children === 0 && (flags & (isInline ? INLINE_MISSING : MISSING)) !== 0) visitor.missing(typeId);
      if (!visitor.enter(typeId, fieldId, start >> 1, position >> 1, isParent)) continue;
    }
    if (!isParent) continue;
    // What a hidden node is for its parent, its children are.
    open.push(heap, child, place, position, inherited, isVisible ? 1 : 0);
    heap = at;
    count = children;
    production = (words[at + PRODUCTION] as number) >>> 16;
    child = 0;
    place = 0;
    position = start;
    inherited = isSeen ? 0 : fieldId;
    isVisible = isSeen;
  }
}
