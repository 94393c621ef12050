/** In the place of a start: the piece is a mark and no token. Its byte among the tokens is the number without the sign. */
const OPENS = -1;
const CLOSES = -2;
const SEPARATES = -3;

/**
 * The tokens of a file in order. Nearly every token is a part of the source, so only its place is kept: a string for each
 * of them took longer than all the rest of the reading. Marks among them say where a block or a statement begins, where no
 * token does: Python's blocks, JavaScript's statements without semicolons. The whole shape of the tree is kept apart.
 */
export class Pieces {
  count = 0;
  /** Of the text of all pieces, as the source has it. */
  private textSize = 0;
  private starts: Int32Array;
  private ends: Int32Array;
  /** Of every node that has children: how many pieces were before its begin and its end, and its type; 0 for an end. */
  private shape: Int32Array;
  private shapeSize = 0;
  /** Tokens whose text is not what the source has there. */
  private readonly respelled = new Map<number, string>();
  /** Pieces of statements that only document; true for those that leave no trace. */
  private readonly documentation = new Map<number, boolean>();
  /** How many of those there are. */
  private silent = 0;
  private encoded: { bytes: Buffer; at: Uint32Array } | undefined;

  constructor(
    private readonly source: string,
    capacity: number,
  ) {
    this.starts = new Int32Array(capacity);
    this.ends = new Int32Array(capacity);
    this.shape = new Int32Array(2 * capacity);
  }

  token(start: number, end: number): void {
    if (this.count === this.starts.length) this.growTokens();
    this.starts[this.count] = start;
    this.ends[this.count++] = end;
    this.textSize += end - start;
  }

  /** A token that has a place, but is spelled otherwise. */
  tokenAs(text: string, start: number, end: number): void {
    this.respelled.set(this.count, text);
    this.token(start, end);
  }

  /** A node with children begins; `isFrame`: also among the tokens. */
  open(typeId: number, isFrame: boolean): void {
    this.addShape(typeId + 1);
    if (isFrame) this.token(OPENS, 0);
  }

  close(isFrame: boolean): void {
    this.addShape(0);
    if (isFrame) this.token(CLOSES, 0);
  }

  /** A statement begins. */
  separate(): void {
    this.token(SEPARATES, 0);
  }

  /** Takes the place of `close`: the node that is open, whose first piece this is, is a string that only documents. */
  silence(from: number): void {
    for (let piece = from; piece < this.count; piece++) this.documentation.set(piece, true);
    this.silent += this.count - from;
    this.shapeSize -= 2; // where it began
  }

  /** What was silenced last, and nothing followed, is all that its block has: another statement stands for it. */
  replaceSilenced(from: number, typeId: number, token: string): void {
    for (let piece = from; piece < this.count; piece++) this.documentation.set(piece, false);
    this.silent -= this.count - from;
    this.respelled.set(this.count - 1, token);
    this.addShape(typeId + 1, this.count - 1);
    this.addShape(0);
  }

  /** True for a piece of a statement that only documents. */
  isDocumentation(piece: number): boolean {
    return this.documentation.size > 0 && this.documentation.has(piece);
  }

  /** True for a piece that is a part of no symbol. */
  isSilent(piece: number): boolean {
    return this.silent > 0 && this.documentation.get(piece) === true;
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
    if (start < 0) return String.fromCharCode(-start);
    return this.respelled.get(piece) ?? this.source.slice(start, this.ends[piece]);
  }

  /** Pieces as one text in UTF-8, a NUL behind each that is not silent: a file with NUL bytes is never parsed, so no token holds one. */
  bytes(from: number, end: number): Buffer {
    this.encoded ??= this.encode();
    const { bytes, at } = this.encoded;
    return bytes.subarray(at[from], at[end]);
  }

  /** The same with the NUL before it: every token has one on both sides. */
  bytesFromNul(from: number, end: number): Buffer {
    this.encoded ??= this.encode();
    const { bytes, at } = this.encoded;
    return bytes.subarray((at[from] as number) - 1, at[end]);
  }

  /** The tree's shape around the tokens: `() => ({})` and `() => {}` differ by it alone. */
  shapeBytes(): Uint8Array {
    return new Uint8Array(this.shape.buffer, 0, 4 * this.shapeSize);
  }

  /** Once for the file: every function and class is a part of it. */
  private encode(): { bytes: Buffer; at: Uint32Array } {
    const { count, ends, respelled, source, starts } = this;
    const bytes = Buffer.allocUnsafeSlow(this.mostBytes());
    const at = new Uint32Array(count + 1);
    bytes[0] = 0;
    let to = 1;
    for (let piece = 0; piece < count; piece++) {
      at[piece] = to;
      if (this.isSilent(piece)) continue;
      const start = starts[piece] as number;
      const end = ends[piece] as number;
      if (start < 0) bytes[to++] = -start;
      else if (respelled.size > 0 && respelled.has(piece)) to += bytes.write(this.text(piece), to);
      else to = copyText(source, start, end, bytes, to);
      bytes[to++] = 0;
    }
    at[count] = to;
    return { bytes, at };
  }

  /** A character is three bytes at most, or two for four; a mark has one, and each piece a NUL. */
  private mostBytes(): number {
    let most = 1 + 2 * this.count + 3 * this.textSize;
    for (const text of this.respelled.values()) most += 3 * text.length;
    return most;
  }

  private addShape(type: number, count = this.count): void {
    if (this.shapeSize + 2 > this.shape.length) this.shape = grown(this.shape);
    this.shape[this.shapeSize++] = count - this.silent;
    this.shape[this.shapeSize++] = type;
  }

  private growTokens(): void {
    this.starts = grown(this.starts);
    this.ends = grown(this.ends);
  }
}

function grown(array: Int32Array): Int32Array {
  const larger = new Int32Array(2 * array.length + 16);
  larger.set(array);
  return larger;
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
