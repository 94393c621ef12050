import type { PlainFingerprint } from "../fingerprint/plain.js";
import { isStoredEntry, renderedEntry } from "../fingerprint/stored.js";
import { GraphError, isGraphError } from "../graph/errors.js";
import { entryText, renderFingerprints } from "../graph/render.js";
import { splitObject } from "../graph/split.js";
import type { Project } from "../repository/locate.js";
import { damaged, isThere, readJsonObject } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { artefactPath, FINGERPRINTS, homeOf, readArtefactChunks } from "./artefacts.js";
import { pack, packedTexts, unpack, unpacked } from "./packed.js";

/** What fingerprints.json says about each file. */
export interface FingerprintFile {
  gitCommitHash: string | null;
  files: Map<string, Pick<PlainFingerprint, "contentHash" | "blobOid">>;
  /** The text of each entry, packed. */
  entries: Map<string, Buffer>;
}

/**
 * Reads a fingerprints.json of any size. Three shapes exist: `{ files: { path: … } }`, a flat `{ path: … }`, and both at once, where the one
 * beside `files` is the newer. One that is not empty but has no valid entry is damaged: overwriting it would make every file new again.
 */
export function readFingerprintFile(
  project: Project,
  path = artefactPath(project, FINGERPRINTS),
): FingerprintFile | null {
  const home = homeOf(project, path);
  if (!isThere(path, home)) return null;
  try {
    return fingerprintFileOf(readArtefactChunks(project, path));
  } catch (error) {
    if (!isGraphError(error)) throw error;
    readJsonObject(path, home); // says where
    throw damaged(path, error.message);
  }
}

/** The same from bytes; throws a GraphError. */
export function fingerprintFileOf(chunks: Iterable<Buffer>): FingerprintFile {
  const found: FingerprintFile = { gitCommitHash: null, files: new Map(), entries: new Map() };
  const beside = new Map<string, unknown>();
  let isAny = false;
  const add = (name: string, value: unknown) => {
    isAny = true;
    if (!isStoredEntry(value)) return;
    const { contentHash, blobOid } = value;
    found.files.set(name, { contentHash, ...(blobOid === undefined ? {} : { blobOid }) });
    found.entries.set(name, pack(entryText(name, renderedEntry({ ...value, filePath: name }))));
  };
  splitObject(chunks, {
    isSplit: (key) => key === "files",
    value: (key, value) => {
      if (key === "gitCommitHash" && typeof value === "string") found.gitCommitHash = value;
      else if (!HEADER.has(key)) beside.set(key, value);
    },
    element: (_key, { value }, name) => add(name ?? "", value),
  });
  for (const [name, value] of beside) add(name, value);
  if (isAny && found.files.size === 0)
    throw new GraphError("wrong-shape", "it is not empty, but none of its entries can be used");
  return found;
}

const HEADER = new Set(["version", "gitCommitHash", "generatedAt", "files"]);

export function packedEntry(entry: PlainFingerprint): Buffer {
  return pack(entryText(entry.filePath, renderedEntry(entry)));
}

/** Changes of entries that are not stored yet; null removes one. */
export type EntryChanges = ReadonlyMap<string, Uint8Array | null>;

/** The entries that differ from what is stored. What another tool wrote about the same content stays. */
export function changedEntries(db: Db, scope: string, wanted: EntryChanges): Map<string, Uint8Array | null> {
  const changes = new Map<string, Uint8Array | null>();
  for (const [path, data] of wanted) {
    const sql = "SELECT data FROM fingerprint_entries WHERE scope = ? AND path = ?";
    const stored = db.get<{ data: Uint8Array }>(sql, scope, pathKey(path))?.data;
    const isThere = data === null ? stored === undefined : stored !== undefined && isSameContent(stored, data);
    if (!isThere) changes.set(path, data);
  }
  return changes;
}

function isSameContent(stored: Uint8Array, wanted: Uint8Array): boolean {
  if (unpack(stored) === unpack(wanted)) return true;
  const [before, after] = [entryIn(stored), entryIn(wanted)];
  return before.extractor === undefined && before.contentHash === after.contentHash;
}

function entryIn(data: Uint8Array): PlainFingerprint {
  const [entry] = Object.values(JSON.parse(`{${unpack(data)}}`) as Record<string, PlainFingerprint>);
  if (entry === undefined) throw new Error("a stored fingerprint entry is empty");
  return entry;
}

export function saveEntries(db: Db, scope: string, changes: EntryChanges): void {
  for (const [path, data] of changes) {
    if (data === null) db.run("DELETE FROM fingerprint_entries WHERE scope = ? AND path = ?", scope, pathKey(path));
    else {
      const sql = "INSERT OR REPLACE INTO fingerprint_entries(scope, path, data) VALUES(?, ?, ?)";
      db.run(sql, scope, pathKey(path), data);
    }
  }
}

/** Stores exactly these entries. */
export function replaceEntries(db: Db, scope: string, entries: ReadonlyMap<string, Uint8Array>): void {
  const keys = new Set([...entries.keys()].map(pathKey));
  for (const { path } of db.all<{ path: string }>("SELECT path FROM fingerprint_entries WHERE scope = ?", scope)) {
    if (!keys.has(path)) db.run("DELETE FROM fingerprint_entries WHERE scope = ? AND path = ?", scope, path);
  }
  saveEntries(db, scope, entries);
}

export function hasEntries(db: Db, scope: string): boolean {
  return db.get("SELECT 1 AS one FROM fingerprint_entries WHERE scope = ? LIMIT 1", scope) !== undefined;
}

/** What each stored entry is about. */
export function storedEntryHashes(db: Db, scope: string): FingerprintFile["files"] {
  const files: FingerprintFile["files"] = new Map();
  for (const data of packedTexts(db, scope, "fingerprint_entries.data", new Map())) {
    const [[path, { contentHash, blobOid }] = ["", { contentHash: "" }]] = Object.entries(
      JSON.parse(`{${unpack(data)}}`) as Record<string, PlainFingerprint>,
    );
    files.set(path, { contentHash, ...(blobOid === undefined ? {} : { blobOid }) });
  }
  return files;
}

/** The whole file, as a stream: what is stored, with these changes. */
export function fingerprintText(
  db: Db,
  scope: string,
  { commit, at, changes }: { commit: string; at: string; changes: EntryChanges },
): Iterable<Buffer> {
  const entries = unpacked(packedTexts(db, scope, "fingerprint_entries.data", changes));
  return renderFingerprints({ version: "1.0.0", commit, at }, entries);
}
