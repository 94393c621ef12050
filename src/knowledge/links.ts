import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { readBlobs } from "../git/blobs.js";
import { type EdgeContext, edgeContext } from "../graph/build.js";
import { createResolver, type Resolver } from "../graph/imports.js";
import type { LoadedContext } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import type { BaselineRow } from "./baseline.js";
import { storedFacts, type WantedFact } from "./facts.js";
import { isStored, storeFacts } from "./store-facts.js";

export type Configs = readonly (readonly [path: string, oid: string])[];

/**
 * The import resolver for these files. It depends only on paths and configs, so that a rebuild gives the same result.
 */
export async function resolverFor(cwd: string, paths: Iterable<string>, configs: Configs): Promise<Resolver> {
  const blobs = await readBlobs(
    cwd,
    configs.map(([, oid]) => oid),
  );
  const texts = new Map(configs.map(([path, oid]) => [path, blobs.get(oid)?.toString("utf8")]));
  return createResolver(new Set([...paths, ...texts.keys()]), { readText: (path) => texts.get(path) });
}

type LinkRows = ReadonlyMap<string, Pick<BaselineRow, "oid">>;

/**
 * Everything that the edges of a file are computed from, for one state of the knowledge. Every content is parsed at
 * most once; what is not needed is not read. `checked`: rows that were just checked.
 */
export async function linksOf(
  context: Pick<LoadedContext, "db" | "project" | "config">,
  rows: LinkRows,
  resolver: Resolver,
  checked: LinkRows = new Map(),
): Promise<EdgeContext> {
  const wanted = [...rows].flatMap(([path, { oid }]): WantedFact[] =>
    oid === null || checked.get(path)?.oid === oid ? [] : [{ path, oid }],
  );
  const { others } = await storeFacts(context, wanted);
  return edgeContext(lazyFingerprints(context.db, rows, others), resolver);
}

/** So many functions and classes are in memory at a time: one file can have a thousand. */
const MOST_HELD = 15_000;

/**
 * A map with the part of the interface that edgeContext uses. Fingerprints are read when they are asked for, and the ones that were asked for
 * last stay. `others`: such as are not stored.
 */
export function lazyFingerprints(
  db: Db,
  rows: LinkRows,
  others: ReadonlyMap<string, FileFingerprint> = new Map(),
): ReadonlyMap<string, FileFingerprint> {
  const store = storedFacts(db, { keep: false });
  const held = new Map<string, FileFingerprint>();
  const isKnown = new Map<string, boolean>();
  const weightOf = ({ functions, classes }: FileFingerprint) => 5 + functions.length + classes.length;
  let weight = 0;
  const get = (path: string): FileFingerprint | undefined => {
    const known = held.get(path) ?? others.get(path);
    const oid = rows.get(path)?.oid ?? null;
    if (known !== undefined || oid === null || isKnown.get(path) === false) return known;
    const fact = store.get(oid, extractorOf(path));
    isKnown.set(path, fact !== null);
    if (fact === null) return undefined;
    const made = { ...fact, filePath: path, blobOid: oid };
    held.set(path, made);
    weight += weightOf(made);
    for (const [first, one] of held) {
      if (weight <= MOST_HELD) break;
      held.delete(first);
      weight -= weightOf(one);
    }
    return made;
  };
  const has = (path: string): boolean => {
    const known = isKnown.get(path) ?? (others.has(path) ? true : isStored(db, path, rows.get(path)?.oid ?? null));
    isKnown.set(path, known);
    return known;
  };
  return { get, has, keys: () => rows.keys() } as ReadonlyMap<string, FileFingerprint>;
}
