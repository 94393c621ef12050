import type { Syntax } from "./syntax.js";

/** Counts the lines that hold tokens: comments, blank lines and documentation make no function longer. */
export class Lines {
  /** Where each line begins. */
  private readonly starts: number[] = [0];

  constructor(private readonly syntax: Syntax) {
    const { source } = syntax;
    for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) this.starts.push(at + 1);
  }

  count(nodes: readonly number[]): number {
    let lines = 0;
    let last = -1;
    for (const node of nodes) {
      const { end, start } = this.piecesOf(node);
      if (start >= end) continue;
      const { pieces } = this.syntax;
      let row = this.rowAt(pieces.startOf(start));
      for (let piece = start; piece < end; piece++) {
        if (pieces.isMark(piece) || pieces.isSilent(piece)) continue;
        row = this.rowFrom(row, pieces.startOf(piece));
        const until = pieces.isDocumentation(piece) ? row : this.rowFrom(row, pieces.endOf(piece) - 1);
        // Tokens come in order, so a line is new if it is below the last one.
        lines += Math.max(0, until - Math.max(row, last + 1) + 1);
        last = Math.max(last, until);
      }
    }
    return lines;
  }

  /** First and last line, counted from 1. */
  range(nodes: readonly number[]): [number, number] {
    let from = Number.POSITIVE_INFINITY;
    let to = 0;
    const { pieces } = this.syntax;
    for (const node of nodes) {
      const { end, start } = this.piecesOf(node);
      if (start >= end) continue;
      from = Math.min(from, this.rowAt(pieces.startOf(start)) + 1);
      to = Math.max(to, this.rowAt(pieces.endOf(end - 1) - 1) + 1);
    }
    return [Math.min(from, Math.max(to, 1)), Math.max(to, 1)];
  }

  /** The same for each of several declarations, in order; undefined where they stand right below each other. */
  parts(declarations: readonly { nodes: readonly number[] }[]): [number, number][] | undefined {
    if (declarations.length < 2) return undefined;
    const found: [number, number][] = [];
    for (const [first, last] of declarations.map(({ nodes }) => this.range(nodes)).sort((a, b) => a[0] - b[0])) {
      const before = found.at(-1);
      if (before === undefined || first > before[1] + 1) found.push([first, last]);
      else before[1] = Math.max(before[1], last);
    }
    return found.length < 2 ? undefined : found;
  }

  /** A node's pieces without the marks at both ends. */
  private piecesOf(node: number): { start: number; end: number } {
    const { pieceStart, pieceEnd, pieces } = this.syntax;
    let start = pieceStart[node] ?? 0;
    let end = pieceEnd[node] ?? 0;
    while (start < end && pieces.isMark(start)) start++;
    while (start < end && pieces.isMark(end - 1)) end--;
    return { start, end };
  }

  private rowAt(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private rowFrom(row: number, offset: number): number {
    let at = row;
    while (at + 1 < this.starts.length && (this.starts[at + 1] ?? 0) <= offset) at++;
    return at;
  }
}
