import type { PlainFingerprint } from "../fingerprint/plain.js";
import { isStoredEntry } from "../fingerprint/stored.js";
import { digestOf } from "./driver-sides.js";
import { GraphError } from "./errors.js";
import type { ByteSource } from "./source.js";
import { splitObject } from "./split.js";

/** A fingerprints.json of any size, in any of its shapes (fingerprint/stored.ts). */
export class FingerprintSide {
  readonly #source: ByteSource;
  readonly #header = new Map<string, unknown>();
  readonly #places = new Map<string, { start: number; end: number }>();
  readonly #beside = new Map<string, PlainFingerprint>();

  constructor(source: ByteSource) {
    this.#source = source;
    let isAny = false;
    splitObject(source.chunks(), {
      isSplit: (key) => key === "files",
      value: (key, value) => {
        if (HEADER.has(key)) this.#header.set(key, value);
        else isAny = true;
        if (!HEADER.has(key) && isStoredEntry(value)) this.#beside.set(key, value);
      },
      element: (_key, { value, start, end }, name) => {
        isAny = true;
        if (name !== null && isStoredEntry(value)) this.#places.set(name, { start, end });
      },
    });
    if (!isAny || this.paths.length > 0) return;
    throw new GraphError("wrong-shape", "It is not empty, but none of its entries can be used.");
  }

  get paths(): string[] {
    return [...this.#places.keys(), ...this.#beside.keys()];
  }

  get version(): unknown {
    return this.#header.get("version");
  }

  get stamp() {
    const [at, commit] = [this.#header.get("generatedAt"), String(this.#header.get("gitCommitHash") ?? "")];
    return { at, commit, text: () => digestOf(this.#source) };
  }

  entry(path: string): PlainFingerprint | undefined {
    const beside = this.#beside.get(path);
    if (beside !== undefined) return { ...beside, filePath: path };
    const place = this.#places.get(path);
    if (place === undefined) return undefined;
    const text = this.#source.read(place.start, place.end).toString("utf8");
    return { ...(JSON.parse(text) as PlainFingerprint), filePath: path };
  }
}

const HEADER = new Set(["version", "gitCommitHash", "generatedAt", "files"]);
