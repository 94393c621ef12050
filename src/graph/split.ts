import { GraphError } from "./errors.js";

/** What a large JSON object is made of, in the order of the file. */
export interface Entries {
  /** Whether the elements of this key's list, or the entries of its object, are handed out one by one. */
  isSplit(key: string): boolean;
  /** A value of the object itself. */
  value(key: string, value: unknown): void;
  /** An element of a split list, or an entry of a split object, which has a name. */
  element(key: string, element: Element, name: string | null): void;
}

export interface Element {
  value: unknown;
  /** As it stands in the file. */
  text: string;
  /** Where it stands, in bytes. */
  start: number;
  end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d;
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** A single element is one node, one edge, or the list of all layers: a larger one is no graph that a tool wrote. */
const MOST_ELEMENT_BYTES = 128 * 1024 * 1024;

/**
 * Reads a JSON object of any size in bounded memory: finds where elements begin and end, and leaves what is in them to JSON.parse. Throws a GraphError if
 * it is not a JSON object.
 */
export function splitObject(chunks: Iterable<Buffer>, entries: Entries): void {
  const text = new Bytes(chunks);
  text.skipMark();
  if (text.peek() === -1) throw new GraphError("not-json", "The graph's file is empty.");
  if (text.next() !== 0x7b) throw new GraphError("wrong-shape", "The graph is not an object.");
  readMembers(text, (key) => {
    const opening = text.peek();
    if (!entries.isSplit(key) || !isOpening(opening)) {
      entries.value(key, text.element().value);
      return;
    }
    text.next();
    if (opening === 0x7b) readMembers(text, (name) => entries.element(key, text.element(), name));
    else readElements(text, () => entries.element(key, text.element(), null));
  });
  if (text.peek() !== -1) throw notJson(text);
}

/** The opening brace has been read. */
function readMembers(text: Bytes, read: (key: string) => void): void {
  if (text.peek() === 0x7d) {
    text.next();
    return;
  }
  for (;;) {
    const key = text.element().value;
    if (typeof key !== "string" || text.next() !== COLON) throw notJson(text);
    read(key);
    const after = text.next();
    if (after === 0x7d) return;
    if (after !== COMMA) throw notJson(text);
  }
}

/** The opening bracket has been read. */
function readElements(text: Bytes, read: () => void): void {
  if (text.peek() === 0x5d) {
    text.next();
    return;
  }
  for (;;) {
    read();
    const after = text.next();
    if (after === 0x5d) return;
    if (after !== COMMA) throw notJson(text);
  }
}

function notJson(text: Bytes, cause?: unknown): GraphError {
  return new GraphError("not-json", `The graph's file is not JSON (near byte ${text.position}).`, { cause });
}

/** The bytes of a file, of which only those of the current value are in memory. */
class Bytes {
  readonly #chunks: Iterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;
  /** How many bytes were there before those in memory. */
  #before = 0;

  constructor(chunks: Iterable<Buffer>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  get position(): number {
    return this.#before + this.#at;
  }

  skipMark(): void {
    if (this.peek() === 0xef && this.#has(2) && this.#buffer[this.#at + 1] === 0xbb) this.#at += 3;
  }

  /** The next byte that is not blank, without reading it; -1 at the end. */
  peek(): number {
    while (this.#has(0)) {
      const byte = this.#buffer[this.#at] ?? -1;
      if (!isBlank(byte)) return byte;
      this.#at++;
    }
    return -1;
  }

  next(): number {
    const byte = this.peek();
    this.#at++;
    return byte;
  }

  element(): Element {
    this.peek();
    this.#release();
    const end = this.#endOfValue();
    const text = this.#buffer.toString("utf8", this.#at, end);
    try {
      const value: unknown = JSON.parse(text);
      const start = this.position;
      this.#at = end;
      return { value, text, start, end: this.position };
    } catch (error) {
      throw notJson(this, error);
    }
  }

  #endOfValue(): number {
    let depth = 0;
    let from = this.#at;
    for (;;) {
      if (!this.#has(from - this.#at)) {
        if (depth > 0) throw notJson(this);
        return from;
      }
      const byte = this.#buffer[from] ?? 0;
      if (byte === QUOTE) {
        from = this.#endOfString(from);
        if (depth === 0) return from;
      } else if (isOpening(byte)) {
        depth++;
        from++;
      } else if (isClosing(byte)) {
        if (depth === 0) return from;
        depth--;
        from++;
        if (depth === 0) return from;
      } else if (depth === 0 && (byte === COMMA || byte === COLON || isBlank(byte))) return from;
      else from++;
    }
  }

  /** The place after a string that begins here. */
  #endOfString(start: number): number {
    let from = start + 1;
    for (;;) {
      const quote = this.#buffer.indexOf(QUOTE, from);
      if (quote < 0) {
        from = this.#buffer.length;
        if (!this.#more()) throw notJson(this);
        continue;
      }
      let escapes = 0;
      while (quote - 1 - escapes > start && this.#buffer[quote - 1 - escapes] === BACKSLASH) escapes++;
      from = quote + 1;
      if (escapes % 2 === 0) return from;
    }
  }

  #has(offset: number): boolean {
    while (this.#at + offset >= this.#buffer.length) if (!this.#more()) return false;
    return true;
  }

  /** Adds the next part; what was read stays, until it is released. */
  #more(): boolean {
    const { value, done } = this.#chunks.next();
    if (done === true) return false;
    if (this.#buffer.length - this.#at > MOST_ELEMENT_BYTES) throw notJson(this);
    if (this.#at === this.#buffer.length) {
      this.#before += this.#at;
      this.#buffer = value;
      this.#at = 0;
    } else this.#buffer = Buffer.concat([this.#buffer, value]);
    return true;
  }

  #release(): void {
    if (this.#at === 0) return;
    this.#before += this.#at;
    this.#buffer = this.#buffer.subarray(this.#at);
    this.#at = 0;
  }
}
