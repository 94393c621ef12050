/** The bytes of an artefact: in order, and again by place. A file of any size is read, and not held. */
export interface ByteSource {
  chunks(): Iterable<Buffer>;
  read(start: number, end: number): Buffer;
}

export function sourceOfBytes(bytes: Buffer): ByteSource {
  return { chunks: () => [bytes], read: (start, end) => bytes.subarray(start, end) };
}

interface Place {
  start: number;
  end: number;
}

/** Where the elements of one list stand in a source, by the file that they belong to. */
export class Places {
  readonly #source: ByteSource;
  /** Pairs of start and end. */
  readonly #byPath = new Map<string, number[]>();
  #last: string | null = null;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** In the order of the list: between two that follow each other there is only a comma, so they are one place. */
  add(path: string, { start, end }: Place): void {
    const places = this.#byPath.get(path);
    if (places === undefined) this.#byPath.set(path, [start, end]);
    else if (this.#last === path) places[places.length - 1] = end;
    else places.push(start, end);
    this.#last = path;
  }

  paths(): Iterable<string> {
    return this.#byPath.keys();
  }

  /** The elements of a file, with commas between them; empty for none. */
  bytes(path: string): Buffer {
    const places = this.#byPath.get(path) ?? [];
    const parts: Buffer[] = [];
    for (let at = 0; at < places.length; at += 2) {
      if (at > 0) parts.push(COMMA);
      parts.push(this.#source.read(places[at] ?? 0, places[at + 1] ?? 0));
    }
    return parts.length === 1 ? (parts[0] ?? COMMA) : Buffer.concat(parts);
  }
}

const COMMA = Buffer.from(",");
