import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import type { LoadedContext } from "../repository/context.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { storedFacts, type WantedFact } from "./facts.js";
import { parseInBatches, startParser } from "./parse-batches.js";
import { ParseNotes } from "./parse-notes.js";
import { type PreparedFile, prepareFile } from "./prepared.js";
import { saveUsedNames } from "./used-names.js";

export interface StoredFiles {
  /** The few fingerprints that are not stored, by path. */
  others: Map<string, FileFingerprint>;
  /** What was made of the files that were parsed now, by path. */
  ready: Map<string, Pick<PreparedFile, "entry" | "nodes">>;
}

export interface StoreOptions {
  /** Each stored fingerprint is read, and one that does not pass is made again. */
  isChecked?: boolean;
  /** Of the program that threads run. */
  folder?: string;
  onFile?: (done: number) => void;
}

/** Parses and stores the fingerprints that are missing. In memory is little of each file. */
export async function storeFacts(
  { db, project, config }: Pick<LoadedContext, "db" | "project" | "config">,
  wanted: readonly WantedFact[],
  { isChecked = false, folder, onFile }: StoreOptions = {},
): Promise<StoredFiles> {
  const missing = isChecked ? unreadOf(db, wanted) : unknownOf(db, wanted);
  const found: StoredFiles = { others: new Map(), ready: new Map() };
  const known = wanted.length - missing.length;
  onFile?.(known);
  if (missing.length === 0) return found;
  const notes = new ParseNotes(db, { keep: true });
  await parseInBatches<PreparedFile, Awaited<ReturnType<typeof startParser>>>({
    missing,
    cwd: project.worktree.path,
    parser: startParser(missing, config, notes, folder),
    make: async ({ fingerprint, prepare }, file, blob) =>
      prepare === null ? prepareFile({ ...(await fingerprint(file, blob)), blobOid: file.oid }) : prepare(file, blob),
    keep: (made) => {
      save(db, made);
      for (const { path, passing, entry, nodes } of made) {
        if (passing !== null) found.others.set(path, passing);
        found.ready.set(path, { entry, nodes });
      }
    },
    onFile: (done) => onFile?.(known + done),
  });
  return found;
}

function save(db: Db, made: readonly PreparedFile[]): void {
  if (made.length === 0) return;
  const sql = "INSERT OR REPLACE INTO fingerprints(oid, extractor, data) VALUES(?, ?, ?)";
  db.write(() => {
    for (const { oid, row } of made) {
      if (row === null) continue;
      db.run(sql, oid, row.extractor, row.data);
      saveUsedNames(db, oid, row);
    }
  });
  faultPoint("facts.stored");
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
  return wanted.filter(({ path, oid }) => !isStored(db, path, oid));
}

function unreadOf(db: Db, wanted: readonly WantedFact[]): WantedFact[] {
  const isEmpty = db.get("SELECT 1 AS one FROM fingerprints LIMIT 1") === undefined;
  const store = storedFacts(db, { keep: false });
  return wanted.filter(({ path, oid }) => isEmpty || store.get(oid, extractorOf(path)) === null);
}

/** Whether the fingerprint of a content is stored. */
export function isStored(db: Db, path: string, oid: string | null): boolean {
  const sql = "SELECT 1 AS one FROM fingerprints WHERE oid = ? AND extractor = ?";
  return oid !== null && db.get(sql, oid, extractorOf(path)) !== undefined;
}
