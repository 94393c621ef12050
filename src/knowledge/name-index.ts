import { extractorOf } from "../fingerprint/languages.js";
import type { ImportFingerprint } from "../fingerprint/types.js";
import type { Resolver } from "../graph/imports.js";
import type { NameIndex } from "../graph/relink.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import { storedFacts } from "./facts.js";
import { hashOfIdentifier, saveUsedNames, type UsedNames, usedNamesOf } from "./used-names.js";

interface UsedRow {
  path: string;
  oid: string;
  identifiers: Uint8Array | null;
  imports: string | null;
}

/** Which files of a scope's graph use a name, and where their imports lead, without reading their fingerprints. */
export function nameIndex(
  db: Db,
  scope: string,
  resolvers: { before: Resolver; after: Resolver },
  rows: KnownContents = BASELINE,
): NameIndex {
  return {
    mentioning: (identifiers) => {
      const hashes = [...identifiers].map(hashOfIdentifier);
      return pathsWhere(db, { scope, rows }, (row) => hashes.some((hash) => includes(row.identifiers, hash)));
    },
    withOtherTargets: () => {
      const leads = ({ resolve }: Resolver, path: string, { source, specifiers }: ImportFingerprint) =>
        resolve(path, source, specifiers).join("\n");
      return pathsWhere(db, { scope, rows }, ({ path, imports }) =>
        (JSON.parse(imports) as ImportFingerprint[]).some(
          (one) => leads(resolvers.before, path, one) !== leads(resolvers.after, path, one),
        ),
      );
    },
  };
}

const PAGE = 500;

type KnownRow = UsedNames & { path: string };

/** A table of paths and contents. */
export interface KnownContents {
  table: "baseline" | "graph_pieces";
  blob: "analysed_oid" | "blob";
}

const BASELINE: KnownContents = { table: "baseline", blob: "analysed_oid" };
export const PIECES: KnownContents = { table: "graph_pieces", blob: "blob" };

function pathsWhere(
  db: Db,
  { scope, rows: { table, blob } }: { scope: string; rows: KnownContents },
  isMatch: (row: KnownRow) => boolean,
): string[] {
  const found: string[] = [];
  const inGraph = table === "baseline" ? "AND b.in_graph = 1" : "";
  const sql = `SELECT b.path AS path, b.${blob} AS oid, u.identifiers AS identifiers, u.imports AS imports
    FROM ${table} b LEFT JOIN used_names u ON u.oid = b.${blob}
    WHERE b.scope = ? AND b.path > ? ${inGraph} AND b.${blob} IS NOT NULL ORDER BY b.path LIMIT ${PAGE}`;
  for (let after = ""; ; ) {
    const rows = db.all<UsedRow>(sql, scope, after);
    for (const row of rows) {
      const path = keyPath(row.path);
      const { identifiers, imports } = row;
      const known = identifiers === null || imports === null ? entered(db, path, row.oid) : { identifiers, imports };
      if (known !== null && isMatch({ path, ...known })) found.push(path);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return found;
    after = last.path;
  }
}

/** A content that was fingerprinted before there was an index. */
function entered(db: Db, path: string, oid: string): UsedNames | null {
  const fact = storedFacts(db, { keep: false }).get(oid, extractorOf(path));
  if (fact === null) return null;
  const used = usedNamesOf(fact);
  saveUsedNames(db, oid, used);
  return used;
}

/** By halves. The bytes may begin anywhere, so they are not aligned for a typed array. */
function includes(identifiers: Uint8Array, hash: number): boolean {
  const numbers = new DataView(identifiers.buffer, identifiers.byteOffset, identifiers.byteLength);
  let low = 0;
  let high = identifiers.byteLength / 4;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = numbers.getUint32(middle * 4, true);
    if (value === hash) return true;
    if (value < hash) low = middle + 1;
    else high = middle;
  }
  return false;
}
