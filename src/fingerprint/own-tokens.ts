import { SYMBOL_SCHEME } from "./engine.js";
import { hashOf } from "./hash.js";
import type { Syntax } from "./syntax.js";
import type { ClassDraft, Walk } from "./walk.js";

/** Pieces from one up to another. */
export type PieceRange = readonly [from: number, end: number];

/** With fewer tokens than these, two symbols are alike by chance. */
const LEAST_TOKENS = 20;
const NUL = /* @__PURE__ */ Buffer.from("\u0000");
/** In the place of a symbol's own name. */
const NAMELESS = /* @__PURE__ */ Buffer.from("\u001a\u0000");

/** Which tokens belong to which symbol: a class has those outside of its members' bodies, the file those outside of all. */
export class OwnTokens {
  readonly #syntax: Syntax;
  /** The bodies of functions and classes with whose they are, in order. */
  readonly #bodies: readonly { area: PieceRange; owner: string }[];

  constructor({ syntax, functions, classes }: Walk) {
    this.#syntax = syntax;
    const bodies = [
      ...functions.map(({ body }) => ({ body, owner: "" })),
      ...classes.map(({ body, name }) => ({ body, owner: name })),
    ];
    this.#bodies = bodies
      .flatMap(({ body, owner }) => (body === undefined ? [] : [{ area: this.#areaOf(body), owner }]))
      .sort((a, b) => a.area[0] - b.area[0]);
  }

  ofFunction(nodes: readonly number[]): PieceRange[] {
    return nodes.map((node) => this.#areaOf(node));
  }

  /** Without the bodies of what is declared inside. */
  ofClass(drafts: readonly ClassDraft[]): PieceRange[] {
    return drafts.flatMap(({ name, nodes }) =>
      nodes.flatMap((node) => {
        const area = this.#areaOf(node);
        const inside = insideOf(this.#bodies, area);
        return without(
          area,
          inside.flatMap(({ area: body, owner }) => (owner === name ? [] : [body])),
        );
      }),
    );
  }

  /** Outside of all these nodes. */
  ofModule(nodes: readonly number[]): PieceRange[] {
    const taken = nodes.map((node) => this.#areaOf(node)).sort((a, b) => a[0] - b[0]);
    return without(this.#areaOf(0), taken);
  }

  hash(areas: readonly PieceRange[]): string {
    const [only] = areas;
    const bytes =
      only !== undefined && areas.length === 1
        ? this.#bytes(only)
        : Buffer.concat(areas.map((area) => this.#bytes(area)));
    return `${SYMBOL_SCHEME}:${hashOf(bytes)}`;
  }

  /** The same without the symbol's name, or undefined for a symbol of a few tokens. */
  bareHash(areas: readonly PieceRange[], name: string): string | undefined {
    if (!this.#hasTokens(areas, LEAST_TOKENS)) return undefined;
    const [only] = areas;
    let bytes =
      only !== undefined && areas.length === 1
        ? this.#syntax.pieces.bytesFromNul(...only)
        : Buffer.concat([NUL, ...areas.map((area) => this.#bytes(area))]);
    for (const part of new Set(name.split("."))) bytes = replaceToken(bytes, part);
    return `${SYMBOL_SCHEME}:${hashOf(bytes)}`;
  }

  /** Of the text itself, comments included: short, because it only tells what is equal already from what is. */
  textHash(ranges: readonly PieceRange[]): string {
    const { pieces, source } = this.#syntax;
    const texts = ranges.map(([from, end]) => {
      let [first, last] = [from, end - 1];
      while (first < last && pieces.isMark(first)) first++;
      while (last > first && pieces.isMark(last)) last--;
      return first > last ? "" : source.slice(pieces.startOf(first), pieces.endOf(last));
    });
    return hashOf(texts.join("\u0000")).slice(0, 8);
  }

  #hasTokens(areas: readonly PieceRange[], least: number): boolean {
    const { pieces } = this.#syntax;
    let count = 0;
    for (const [from, end] of areas) {
      for (let piece = from; piece < end && count < least; piece++)
        if (!pieces.isMark(piece) && !pieces.isSilent(piece)) count++;
    }
    return count >= least;
  }

  #areaOf(node: number): PieceRange {
    return [this.#syntax.pieceStart[node] as number, this.#syntax.pieceEnd[node] as number];
  }

  #bytes([from, end]: PieceRange): Buffer {
    return this.#syntax.pieces.bytes(from, end);
  }
}

/** Those that begin inside of an area, of a list in order. */
function insideOf<T extends { area: PieceRange }>(sorted: readonly T[], [from, end]: PieceRange): readonly T[] {
  return sorted.slice(firstAt(sorted, from), firstAt(sorted, end));
}

function firstAt(sorted: readonly { area: PieceRange }[], piece: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.area[0] ?? 0) < piece) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What is left of an area; the others are in order, and may hold each other. */
function without([from, end]: PieceRange, others: readonly PieceRange[]): PieceRange[] {
  const left: PieceRange[] = [];
  let at = from;
  for (const [start, until] of others) {
    if (start >= end) break;
    if (until <= at) continue;
    if (start > at) left.push([at, start]);
    at = Math.max(at, until);
  }
  if (at < end) left.push([at, end]);
  return left;
}

/** Tokens have a NUL on both sides; two of them side by side share one. */
function replaceToken(bytes: Buffer, token: string): Buffer {
  const wanted = Buffer.from(`\u0000${token}\u0000`);
  const parts: Buffer[] = [];
  let done = 0;
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, done - 1)) {
    parts.push(bytes.subarray(done, at + 1), NAMELESS);
    done = at + wanted.length;
  }
  return done === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(done)]);
}
