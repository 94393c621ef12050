import type { ChildPlaces, CompiledRules } from "./compiled.js";
import type { Span } from "./find-comments.js";
import { Pieces } from "./pieces.js";
import { joinTokens } from "./render.js";

/** What the parser could not make sense of. */
export const ERROR = 0xffff;

/**
 * A syntax tree as flat arrays in preorder, without comments. The tree is read once; everything else is arithmetic on these
 * arrays. Node 0 is the root.
 */
export class Syntax {
  readonly type: Uint16Array;
  readonly field: Uint16Array;
  readonly parent: Int32Array;
  /** The first node after this one's subtree. */
  readonly next: Int32Array;
  /** Where the node stands in the source. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** The node's part of `pieces`. */
  readonly pieceStart: Int32Array;
  readonly pieceEnd: Int32Array;
  readonly pieces: Pieces;
  /** Pieces that are text which no node covers. */
  readonly gaps: number[] = [];
  readonly comments: Span[] = [];
  count = 0;

  constructor(
    readonly source: string,
    readonly rules: CompiledRules,
    capacity: number,
  ) {
    this.type = new Uint16Array(capacity);
    this.field = new Uint16Array(capacity);
    this.parent = new Int32Array(capacity);
    this.next = new Int32Array(capacity);
    this.start = new Int32Array(capacity);
    this.end = new Int32Array(capacity);
    this.pieceStart = new Int32Array(capacity);
    this.pieceEnd = new Int32Array(capacity);
    this.pieces = new Pieces(source, capacity + 16);
  }

  typeOf(node: number): string {
    return this.rules.typeNames[this.type[node] ?? 0] ?? "ERROR";
  }

  fieldOf(node: number): string {
    return this.rules.fieldNames[this.field[node] ?? 0] ?? "";
  }

  isNamed(node: number): boolean {
    return this.rules.named[this.type[node] ?? 0] === 1;
  }

  nextOf(node: number): number {
    return this.next[node] ?? this.count;
  }

  parentOf(node: number): number {
    return this.parent[node] ?? -1;
  }

  /** A subtree as the source has it, comments and layout included. `render` is the text in our one spelling. */
  text(node: number): string {
    return this.source.slice(this.start[node], this.end[node]);
  }

  isLeaf(node: number): boolean {
    return this.nextOf(node) === node + 1;
  }

  children(node: number): number[] {
    const found: number[] = [];
    const end = this.nextOf(node);
    for (let child = node + 1; child < end; child = this.nextOf(child)) found.push(child);
    return found;
  }

  namedChildren(node: number): number[] {
    return this.children(node).filter((child) => this.isNamed(child));
  }

  /** The first child with this field name. */
  child(node: number, field: string): number | undefined {
    const id = this.rules.fieldId(field);
    const end = this.nextOf(node);
    for (let child = node + 1; child < end; child = this.nextOf(child)) if (this.field[child] === id) return child;
    return undefined;
  }

  childrenOf(node: number, field: string): number[] {
    const id = this.rules.fieldId(field);
    return this.children(node).filter((child) => this.field[child] === id);
  }

  /** The first child of one of these types. */
  childOfType(node: number, ...types: string[]): number | undefined {
    const end = this.nextOf(node);
    for (let child = node + 1; child < end; child = this.nextOf(child))
      if (types.includes(this.typeOf(child))) return child;
    return undefined;
  }

  childrenOfType(node: number, type: string): number[] {
    return this.children(node).filter((child) => this.typeOf(child) === type);
  }

  isAt(node: number, { fields, types }: ChildPlaces): boolean {
    return fields[this.field[node] as number] === 1 || types[this.type[node] as number] === 1;
  }

  /**
   * The tokens of a subtree in our one spelling, without the subtrees in `cut` and without defaults' values. Noise words go
   * where they belong to the declaration itself, which holds the cut nodes, not inside its decorators or types.
   */
  render(node: number, cut?: ReadonlySet<number>, noise?: ReadonlySet<string>): string {
    const around = noise === undefined ? undefined : this.ancestors(node, cut);
    const found: string[] = [];
    const end = this.nextOf(node);
    // Text that the parser could not make sense of may be part of a signature, but not after the body.
    const lastCut = cut === undefined || cut.size === 0 ? end : highest(cut);
    for (let at = node; at < end; ) {
      const isBroken = this.type[at] === ERROR && at > lastCut;
      if (at !== node && (isBroken || cut?.has(at) || this.isElided(at) || this.isSilent(at))) {
        at = this.nextOf(at);
        continue;
      }
      if (this.isLeaf(at)) this.pushTokens(at, found, around?.has(this.parentOf(at)) ? noise : undefined);
      at++;
    }
    return joinTokens(found);
  }

  /** A subtree's pieces as one text. */
  stream(node: number): Uint8Array {
    return this.pieces.bytes(this.pieceStart[node] as number, this.pieceEnd[node] as number);
  }

  /** Without noise words, where some are given. */
  pushTokens(leaf: number, into: string[], noise?: ReadonlySet<string>): void {
    const last = this.pieceEnd[leaf] ?? 0;
    for (let piece = this.pieceStart[leaf] ?? 0; piece < last; piece++) {
      if (this.pieces.isMark(piece) || this.pieces.isSilent(piece)) continue;
      const text = this.pieces.text(piece);
      if (!noise?.has(text)) into.push(text);
    }
  }

  private ancestors(top: number, nodes: Iterable<number> = []): Set<number> {
    const found = new Set([top]);
    for (const node of nodes) {
      for (let at = this.parentOf(node); at > top; at = this.parentOf(at)) found.add(at);
    }
    return found;
  }

  isSilent(node: number): boolean {
    return this.rules.silent[this.type[node] ?? 0]?.(this, node) ?? false;
  }

  private isElided(node: number): boolean {
    const parentType = this.type[this.parentOf(node)] ?? 0;
    return this.rules.elided[parentType]?.has(this.field[node] ?? 0) ?? false;
  }
}

/** Not by Math.max: a call has room for some 100,000 arguments. */
function highest(numbers: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const one of numbers) if (one > found) found = one;
  return found;
}
