import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { asBlob, plainFile } from "../git/blobs.js";
import { type FactStore, Facts, factKey, type Limits, storedFacts, type WantedFact } from "../knowledge/facts.js";
import { limitsFor, noted } from "../knowledge/parse-notes.js";
import type { Db } from "../store/sqlite.js";

/** Where fingerprints come from, for one clone. `limits`: only loaded if something has to be parsed. */
export interface Sources {
  db: Db;
  cwd: string;
  limits(): Promise<Limits>;
}

/**
 * The fingerprints of blobs, keyed by `factKey`: from the store, else parsed and stored, so that no content is parsed
 * twice (invariant "keyed by content"). An uncommitted blob that git does not have is read from the work tree.
 */
export async function factsOf(
  sources: Sources,
  wanted: readonly WantedFact[],
  workTree: string | null,
): Promise<Map<string, FileFingerprint>> {
  if (wanted.length === 0) return new Map();
  const { db, cwd } = sources;
  const store = storedFacts(db, { keep: true });
  const isMissing = wanted.some(({ path, oid }) => store.get(oid, extractorOf(path)) === null);
  const limits = isMissing ? await sources.limits() : UNUSED;
  const found = await new Facts(store, cwd, limits).of(wanted);
  if (workTree === null) return found;
  for (const one of wanted) {
    if (found.has(factKey(one))) continue;
    const made = await fromWorkTree(workTree, one, limits, store);
    if (made === null) continue;
    found.set(factKey(one), made.fact);
    const { filePath: _path, blobOid: _oid, ...fact } = made.fact;
    if (made.isExact) store.put([[one.oid, fact]]);
  }
  return found;
}

const UNUSED: Limits = { maxFileBytes: 0, parseBudgetMs: 0 };

/**
 * The bytes of the work tree, or with converted line ends, if they are the blob; otherwise (another clean filter) the
 * bytes as they are, used once and not stored for the blob.
 */
async function fromWorkTree(
  workTree: string,
  { path, oid }: WantedFact,
  limits: Limits,
  store: FactStore,
): Promise<{ fact: FileFingerprint; isExact: boolean } | null> {
  const bytes = plainFile(workTree, path);
  if (bytes === null) return null; // it was deleted meanwhile: the next read reports it
  const exact = asBlob(bytes, oid);
  const { fingerprintText } = await import("../fingerprint/extract.js");
  const notes = store.notes();
  const fact = await noted(notes?.open() ?? null, { path, oid }, limitsFor(notes, limits, { path, oid }), (options) =>
    fingerprintText(path, exact ?? bytes, options),
  ).finally(() => notes?.end());
  return { fact: { ...fact, blobOid: oid }, isExact: exact !== null };
}
