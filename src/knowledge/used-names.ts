import type { FileFingerprint } from "../fingerprint/types.js";
import { usedIdentifiers } from "../graph/names.js";
import type { Db } from "../store/sqlite.js";

/** The identifiers that a content uses, as sorted numbers of four bytes, and what it imports, as JSON. */
export interface UsedNames {
  identifiers: Uint8Array;
  imports: string;
}

/** Of a fingerprint. */
export function usedNamesOf(fact: Pick<FileFingerprint, "functions" | "classes" | "imports">): UsedNames {
  // Never empty: one driver gives an empty value back as something else than bytes.
  const hashes = Uint32Array.from(["", ...usedIdentifiers(fact as FileFingerprint)], hashOfIdentifier).sort();
  return { identifiers: new Uint8Array(hashes.buffer), imports: JSON.stringify(fact.imports) };
}

/** To be called with every new fingerprint. A blob that two extractors read has the identifiers of the last one. */
export function saveUsedNames(db: Db, oid: string, { identifiers, imports }: UsedNames): void {
  db.run("INSERT OR REPLACE INTO used_names(oid, identifiers, imports) VALUES(?, ?, ?)", oid, identifiers, imports);
}

/** FNV-1a, of UTF-16 code units. Two of them with one number only mean that a file is looked at. */
export function hashOfIdentifier(identifier: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < identifier.length; at++) hash = Math.imul(hash ^ identifier.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
