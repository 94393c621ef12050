import type { PieceRange } from "./own-tokens.js";
import type { Syntax } from "./syntax.js";
import type { Behaviour } from "./types.js";

/** What a node does, as bits: it branches or loops, it throws, it compares. */
export const BRANCHES = 1;
export const THROWS = 2;
export const COMPARES = 4;

/** All that says how the code of a file behaves, by the piece where it stands: found in one pass, in order. */
export class BehaviourEvents {
  readonly #pieces: number[] = [];
  readonly #bits: number[] = [];
  /** Sums up to each event; of a set of names the sum of their hashes says which names, each how often, in any order. */
  readonly #first: number[] = [];
  readonly #second: number[] = [];
  readonly #calls: number[] = [];

  constructor(private readonly syntax: Syntax) {}

  add(node: number, bits: number): void {
    this.#push(node, bits, 0, 0);
  }

  addCall(call: number): void {
    const { syntax } = this;
    const name = calleeOf(syntax, call);
    const doesThrow = name !== undefined && isThrowing(syntax, name);
    const [first, second] = name === undefined ? [0, 0] : hashesOf(syntax, name);
    this.#push(call, doesThrow ? THROWS : 0, first, second);
  }

  /** Undefined where there is nothing to count. */
  of(areas: readonly PieceRange[]): Behaviour | undefined {
    let [branches, throws, compares, calls, first, second] = [0, 0, 0, 0, 0, 0];
    for (const [from, end] of areas) {
      const last = this.#firstFrom(end);
      for (let at = this.#firstFrom(from); at < last; at++) {
        const bits = this.#bits[at] as number;
        if ((bits & BRANCHES) !== 0) branches++;
        if ((bits & THROWS) !== 0) throws++;
        if ((bits & COMPARES) !== 0) compares++;
        calls += this.#calls[at] as number;
        first = (first + (this.#first[at] as number)) >>> 0;
        second = (second + (this.#second[at] as number)) >>> 0;
      }
    }
    if (branches + throws + compares + calls === 0) return undefined;
    return [branches, throws, compares, calls === 0 ? "" : `${calls}.${first.toString(36)}.${second.toString(36)}`];
  }

  #push(node: number, bits: number, first: number, second: number): void {
    this.#pieces.push(this.syntax.pieceStart[node] as number);
    this.#bits.push(bits);
    this.#first.push(first);
    this.#second.push(second);
    this.#calls.push(first === 0 && second === 0 ? 0 : 1);
  }

  #firstFrom(piece: number): number {
    let low = 0;
    let high = this.#pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pieces[middle] as number) < piece) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The piece that names what is called: the last word before the arguments. */
function calleeOf(syntax: Syntax, call: number): number | undefined {
  const { pieces, pieceStart, pieceEnd, rules, type } = syntax;
  const places = rules.calls[type[call] as number];
  const isBehind = places === undefined || places.isNone;
  let end = (isBehind ? pieceStart[call] : pieceEnd[call]) as number;
  const last = syntax.nextOf(call);
  for (let child = call + 1; child < last && !isBehind; child = syntax.nextOf(child)) {
    const isEnd = rules.typeArguments[type[child] as number] === 1 || syntax.isAt(child, places);
    if (!isEnd) continue;
    end = pieceStart[child] as number;
    break;
  }
  const first = Math.max(isBehind ? 0 : (pieceStart[call] as number), end - FAR);
  for (let piece = end - 1; piece >= first; piece--) {
    if (!pieces.isMark(piece) && isWord(syntax.source.charCodeAt(pieces.startOf(piece)))) return piece;
  }
  return undefined;
}

/** Between a callee and its arguments stand `!`, `?.`, `::` and marks, if anything. */
const FAR = 4;

/** A letter, `_` or `$`. */
function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36 || code > 127;
}

/** By its own name, or by that and the one before it: `errors.New`. */
function isThrowing({ pieces, rules: { throwing, throwingNames } }: Syntax, name: number): boolean {
  if (throwing.size === 0) return false;
  const text = pieces.text(name);
  return (
    throwingNames?.test(text) === true ||
    throwing.has(text) ||
    (name > 1 && throwing.has(`${pieces.text(name - 2)}.${text}`))
  );
}

/** Two hashes of a token, by FNV-1a and another multiplier: together they do not meet by chance. */
function hashesOf({ pieces, source }: Syntax, piece: number): [number, number] {
  let [first, second] = [0x811c9dc5, 0x9747b28c];
  const end = pieces.endOf(piece);
  for (let at = pieces.startOf(piece); at < end; at++) {
    const code = source.charCodeAt(at);
    first = Math.imul(first ^ code, 0x01000193);
    second = Math.imul(second ^ code, 0x5bd1e995);
  }
  return [first >>> 0, second >>> 0];
}
