/** In the place of a start: the piece is a mark and no token. */
const OPENS = -2;
const CLOSES = -1;
/**
 * This and the mark of a node's type put the tree's shape among the tokens: Python's blocks, JavaScript's statements without
 * semicolons, and `() => ({})` against `() => {}` differ by shape alone.
 */
const CLOSE = 2;
const OPEN = 1;

/**
 * The tokens of a file in order, between marks that hold the tree's shape. Nearly every token is a part of the source, so
 * only its place is kept: a string for each of them took longer than all the rest of the reading.
 */
export class Pieces {
  count = 0;
  private starts: Int32Array;
  /** Of a mark that opens: the node's type. */
  private ends: Int32Array;
  /** Tokens whose text is not what the source has there. */
  private readonly respelled = new Map<number, string>();
  private encoded: { bytes: Buffer; at: Uint32Array } | undefined;

  constructor(
    private readonly source: string,
    capacity: number,
  ) {
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
  }

  token(start: number, end: number): void {
    if (this.count === this.starts.length) this.grow();
    this.starts[this.count] = start;
    this.ends[this.count++] = end;
  }

  /** A token that has a place, but is spelled otherwise. */
  tokenAs(text: string, start: number, end: number): void {
    this.respelled.set(this.count, text);
    this.token(start, end);
  }

  open(typeId: number): void {
    this.token(OPENS, typeId);
  }

  close(): void {
    this.token(CLOSES, 0);
  }

  isMark(piece: number): boolean {
    return (this.starts[piece] as number) < 0;
  }

  /** Where a token stands in the source; negative for a mark. */
  startOf(piece: number): number {
    return this.starts[piece] as number;
  }

  endOf(piece: number): number {
    return this.ends[piece] as number;
  }

  text(piece: number): string {
    const start = this.starts[piece] as number;
    if (start === CLOSES) return String.fromCharCode(CLOSE);
    if (start === OPENS) return String.fromCharCode(OPEN, this.ends[piece] as number);
    return this.respelled.get(piece) ?? this.source.slice(start, this.ends[piece]);
  }

  /** Pieces as one text in UTF-8, a NUL between them: a file with NUL bytes is never parsed, so no token holds one. */
  bytes(from: number, end: number): Uint8Array {
    this.encoded ??= this.encode();
    const { bytes, at } = this.encoded;
    return from < end ? bytes.subarray(at[from], (at[end] as number) - 1) : bytes.subarray(0, 0);
  }

  /** Once for the file: every function and class is a part of it. */
  private encode(): { bytes: Buffer; at: Uint32Array } {
    const { count, ends, respelled, source, starts } = this;
    const bytes = Buffer.allocUnsafeSlow(this.mostBytes());
    const at = new Uint32Array(count + 1);
    let to = 0;
    for (let piece = 0; piece < count; piece++) {
      at[piece] = to;
      const start = starts[piece] as number;
      const end = ends[piece] as number;
      if (start === CLOSES) bytes[to++] = CLOSE;
      else if (start === OPENS || respelled.has(piece)) to += bytes.write(this.text(piece), to);
      else to = copyText(source, start, end, bytes, to);
      bytes[to++] = 0;
    }
    at[count] = to;
    return { bytes, at };
  }

  /** A character is three bytes at most, or two for four; a mark has two characters, and each piece a NUL. */
  private mostBytes(): number {
    const { count, ends, starts } = this;
    let most = 7 * count;
    for (let piece = 0; piece < count; piece++) {
      if (!this.isMark(piece)) most += 3 * ((ends[piece] as number) - (starts[piece] as number));
    }
    for (const text of this.respelled.values()) most += 3 * text.length;
    return most;
  }

  private grow(): void {
    const [starts, ends] = [this.starts, this.ends];
    this.starts = new Int32Array(2 * starts.length + 16);
    this.ends = new Int32Array(2 * starts.length + 16);
    this.starts.set(starts);
    this.ends.set(ends);
  }
}

/** Most of all code is ASCII. Returns where the next text goes. */
function copyText(source: string, start: number, end: number, bytes: Buffer, to: number): number {
  for (let from = start; from < end; from++) {
    const code = source.charCodeAt(from);
    if (code > 127) return to + bytes.write(source.slice(start, end), to);
    bytes[to + from - start] = code;
  }
  return to + end - start;
}
