import { findSymbol } from "../fingerprint/compare.js";
import { estimate, type Likelihood } from "../fingerprint/likelihood.js";
import { isAside } from "../fingerprint/symbols.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { commentWords } from "../fingerprint/words.js";
import { type Facts, factKey } from "../knowledge/facts.js";
import type { SymbolVerdict } from "./symbol-changes.js";
import type { PathVerdict } from "./verdicts.js";

/** A symbol that is another one at HEAD than at the base. */
export interface ChangedSymbol {
  id: string;
  path: string;
  change: SymbolVerdict["change"];
  /** Of a changed body: how likely its author's comment became false, and why. Absent without a comment. */
  likelihood?: Likelihood;
  reasons?: string[];
  /** The first sentence of that comment. */
  sentence?: string;
}

/** Of files that both sides have. */
export async function listChangedSymbols(changes: readonly PathVerdict[], facts: Facts): Promise<ChangedSymbol[]> {
  const compared = changes.filter(({ symbols, oid, analysedOid }) => symbols && oid !== null && analysedOid !== null);
  const known = await facts.of(
    compared.flatMap(({ filePath: path, oid, analysedOid }) => [
      { path, oid: oid ?? "" },
      { path, oid: analysedOid ?? "" },
    ]),
  );
  return compared.flatMap(({ filePath: path, oid, analysedOid, symbols = [] }) => {
    const before = known.get(factKey({ path, oid: analysedOid ?? "" }));
    const after = known.get(factKey({ path, oid: oid ?? "" }));
    return symbols.map((symbol): ChangedSymbol => {
      const { id, change } = symbol;
      const about = before && after ? commentAbout(symbol, before, after) : null;
      return about === null ? { id, path, change } : { id, path, change, ...about };
    });
  });
}

/** Null where no comment can have become false: none was there, or the body did not change. */
function commentAbout(
  { type, name, change }: SymbolVerdict,
  before: FileFingerprint,
  after: FileFingerprint,
): Pick<ChangedSymbol, "likelihood" | "reasons" | "sentence"> | null {
  if (type === "file" || (change !== "body" && change !== "behaviour")) return null;
  const [was, is] = [findSymbol(before, name), findSymbol(after, name)];
  const sentences = new Map(Object.entries((type === "class" ? before.docs?.classes : before.docs?.functions) ?? {}));
  const sentence = sentences.get(name);
  if (was === undefined || is === undefined || sentence === undefined) return null;
  const aside = isAside(before) || isAside(after);
  const { likelihood, reasons } = estimate({ ...was, isAside: aside }, { ...is, isAside: aside }, name, (overload) =>
    commentWords(before, type, name, overload),
  );
  return { likelihood, reasons, sentence };
}
