import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { readBlobs } from "../git/blobs.js";
import { type EdgeContext, edgeContext } from "../graph/build.js";
import { createResolver, type Resolver } from "../graph/imports.js";
import type { LoadedContext } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import type { BaselineRow } from "./baseline.js";
import { type FactStore, Facts, storedFacts, type WantedFact } from "./facts.js";

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
  { db, project, config }: Pick<LoadedContext, "db" | "project" | "config">,
  rows: LinkRows,
  resolver: Resolver,
  checked: LinkRows = new Map(),
): Promise<EdgeContext> {
  const store = storedFacts(db, { keep: true });
  const wanted = [...rows].flatMap(([path, { oid }]): WantedFact[] =>
    oid === null || checked.get(path)?.oid === oid ? [] : [{ path, oid }],
  );
  const missing = unknownOf(db, wanted);
  if (missing.length > 0) await new Facts(store, project.worktree.path, config).of(missing);
  return edgeContext(lazyFingerprints(store, rows), resolver);
}

/** With more lookups, reading the whole list is cheaper. */
const MANY = 500;

function unknownOf(db: Db, wanted: readonly WantedFact[]): WantedFact[] {
  const keyOf = (oid: string, extractor: string) => `${oid} ${extractor}`;
  if (wanted.length > MANY) {
    const rows = db.all<{ oid: string; extractor: string }>("SELECT oid, extractor FROM fingerprints");
    const known = new Set(rows.map(({ oid, extractor }) => keyOf(oid, extractor)));
    return wanted.filter(({ path, oid }) => !known.has(keyOf(oid, extractorOf(path))));
  }
  const has = "SELECT 1 AS one FROM fingerprints WHERE oid = ? AND extractor = ?";
  return wanted.filter(({ path, oid }) => db.get(has, oid, extractorOf(path)) === undefined);
}

/** A map with the part of the interface that edgeContext uses. */
function lazyFingerprints(store: FactStore, rows: LinkRows): ReadonlyMap<string, FileFingerprint> {
  const read = new Map<string, FileFingerprint | undefined>();
  const get = (path: string): FileFingerprint | undefined => {
    if (read.has(path)) return read.get(path);
    const oid = rows.get(path)?.oid ?? null;
    const fact = oid === null ? null : store.get(oid, extractorOf(path));
    const made = fact === null || oid === null ? undefined : { ...fact, filePath: path, blobOid: oid };
    read.set(path, made);
    return made;
  };
  return { get, keys: () => rows.keys() } as ReadonlyMap<string, FileFingerprint>;
}
