import { join } from "node:path";
import { GRAPH_FILE, summaries } from "./agent.js";
import type { Repo } from "./repo.js";

/** The clones of random lives, what was written in each, and what one has to show of it. */

export const DATA = ".understand-anything";
export const PATHS = ["src/one.ts", "src/two.ts"];

/** Contents with different interfaces: each is described for itself. */
export const content = (version: number) =>
  `export function f(${Array.from({ length: version + 1 }, (_, at) => `p${at}: number`).join(", ")}): number {\n  return p0;\n}\n`;

/** By node: the texts that may be shown. More than one, where which of two is the newer is not known to the test. */
type Shown = Map<string, readonly string[]>;

export interface Clone {
  name: string;
  repo: Repo;
  /** By path and content: what was delivered, edited or imported last. */
  written: Map<string, Shown>;
  /** What may be there and need not: it was lost with the database, and may be in a copy of its graph; or its delivery was killed. */
  lost: Map<string, Shown>;
  backups: string[];
  /** The program of the version before, in the clone that it installed. */
  old?: string;
}

export interface World {
  clones: readonly Clone[];
  /** By path and content: every text that any clone ever had. */
  all: Map<string, Map<string, Set<string>>>;
}

export interface Turn {
  world: World;
  clone: Clone;
  other: Clone;
  roll: number;
  turn: number;
}

export const keyOf = (repo: Repo, path: string) => `${path}\n${repo.has(path) ? repo.read(path) : ""}`;
export const graphFile = ({ repo }: Clone) => join(repo.dir, GRAPH_FILE);
export const isClean = ({ repo }: Clone) => repo.git("status", "--porcelain") === "";
export const commits = ({ repo }: Clone) => Number(repo.git("rev-list", "--count", "HEAD"));
export const isTracking = (name: string) => name.startsWith("tracks-");

export function write({ all }: World, clone: Clone, key: string, texts: Iterable<[id: string, text: string]>): void {
  const shown: Shown = new Map();
  const known = all.get(key) ?? new Map<string, Set<string>>();
  all.set(key, known);
  for (const [id, text] of texts) {
    shown.set(id, [text]);
    known.set(id, (known.get(id) ?? new Set()).add(text));
  }
  clone.written.set(key, shown);
}

/** What another clone has may be shown as well; `isNew`: also where this one has nothing. */
export function mayShow(clone: Clone, other: Clone, { isNew }: { isNew: boolean }): void {
  for (const [key, texts] of [...other.written, ...other.lost]) {
    const own = clone.written.get(key);
    if (own === undefined && (!isNew || !other.written.has(key))) continue;
    const mine = own ?? clone.lost.get(key);
    const ids = own === undefined ? texts.keys() : own.keys();
    clone.written.set(
      key,
      new Map([...ids].map((id) => [id, [...new Set([...(mine?.get(id) ?? []), ...(texts.get(id) ?? [])])]])),
    );
  }
}

/** A clone whose state the version before wrote; its first command here is the upgrade. */
export const OLD = "old";

/** What a clone does not show of what was written for the contents that it has. */
export function missingIn(clone: Clone): string[] {
  clone.repo.uaJson("status");
  return missing(clone, (key) => clone.written.get(key));
}

/** `mayBe`: the texts that may be shown, by path and content. */
export function missing(
  { name, repo, written }: Clone,
  mayBe: (key: string) => ReadonlyMap<string, Iterable<string>> | undefined,
): string[] {
  const shown = summaries(repo);
  return [...PATHS, "src/b.ts"].flatMap((path) => {
    const key = keyOf(repo, path);
    return [...(written.get(key)?.keys() ?? [])].flatMap((id) => {
      const texts = [...(mayBe(key)?.get(id) ?? [])];
      const text = shown.get(id) ?? "nothing";
      return texts.includes(text) ? [] : [`${name}: ${id} should be "${texts.join('" or "')}", and is "${text}"`];
    });
  });
}
