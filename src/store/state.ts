import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf, isUaError, messageOf, UaError, VersionError } from "../errors.js";
import { isText, parseStored } from "./check.js";
import { refuseEscape, stateDb } from "./files.js";
import { MIGRATIONS } from "./schema.js";
import { type Db, openDatabase } from "./sqlite.js";
import { toUserError } from "./user-error.js";

/** In one place of the process, as the counter of parses is (fingerprint/count.ts), and for the same reason. */
const counter = globalThis as { uaHooksOpens?: number };

/** How many times this process opened a state database. */
export const openCount = (): number => counter.uaHooksOpens ?? 0;

/**
 * Opens the state database of a clone. A Context does it once (repository/context.ts). One of an older version is an error, unless
 * `isUpgrade` is set: store/upgrade.ts migrates it, under the lock.
 */
export async function openState(stateDir: string, { isUpgrade = false, waitMs = WAIT_MS } = {}): Promise<Db> {
  counter.uaHooksOpens = openCount() + 1;
  const file = stateDb(stateDir);
  refuseEscape(stateDir, dirname(stateDir));
  makeStateDir(stateDir);
  refuseEscape(file, stateDir);
  const there = statSync(file, { throwIfNoEntry: false });
  // Checked here, because the drivers report it differently, one of them as missing rights.
  if (there !== undefined && !there.isFile()) throw damagedDatabase(file, new Error("it is not a file"));
  const fresh = there === undefined;
  // SQLite would create the file with the umask's mode; its content is private.
  if (fresh) writeFileSync(file, "", { mode: 0o600, flag: "a" });
  try {
    const db = await openDatabase(file, (error) => explained(file, error));
    return prepareOrClose(db, file, { isUpgrade, waitMs });
  } catch (error) {
    if (isUaError(error)) throw error;
    const shown = explained(file, error); // a full disk is no reason to move it away
    throw isUaError(shown) ? shown : damagedDatabase(file, error);
  }
}

/** A temporary state: for comparing two commits in a clone without ua-hooks. */
export async function openEmptyState(): Promise<Db> {
  return prepare(await openDatabase(":memory:"), ":memory:", { isUpgrade: false, waitMs: WAIT_MS });
}

/** SQLite finds a damaged page only when it reads it, and reports `malformed` or `not a database` in both drivers. */
function explained(file: string, error: unknown): unknown {
  const message = messageOf(error);
  if (/malformed|not a database|corrupt/i.test(message)) return damagedDatabase(file, error);
  if (/database is (locked|busy)/i.test(message)) {
    return new UaError("busy", `${file} is in use by another process`, "try again in a moment", error);
  }
  return toUserError(error, file) ?? error;
}

export function makeStateDir(stateDir: string): void {
  if (existsSync(stateDir)) return;
  try {
    mkdirSync(stateDir, { mode: 0o700 }); // not recursive: that reports ENOENT on a read-only file system
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return; // another process created it
    throw error;
  }
  chmodSync(stateDir, 0o700); // independent of the umask
}

/** A server opens it again and again: close it after an error. */
function prepareOrClose(db: Db, file: string, options: { isUpgrade: boolean; waitMs: number }): Db {
  try {
    return prepare(db, file, options);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** How long a statement waits for another process that writes. The wait blocks all else in this one, deadlines too. */
const WAIT_MS = 10_000;

function prepare(db: Db, file: string, { isUpgrade, waitMs }: { isUpgrade: boolean; waitMs: number }): Db {
  db.exec(`PRAGMA busy_timeout = ${waitMs}`);
  // First of all: in a newer database not even the journal mode may be changed.
  const at = db.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
  if (at > MIGRATIONS.length) {
    throw new VersionError(
      "newer",
      `${file} was written by a newer ua-hooks (state version ${at}, this one knows ${MIGRATIONS.length})`,
      "upgrade ua-hooks in this clone",
    );
  }
  if (at > 0 && at < MIGRATIONS.length && !isUpgrade) {
    const what = `${file} was written by an older ua-hooks (state version ${at}, this one has ${MIGRATIONS.length})`;
    throw new VersionError("older", what, "run `ua-hooks install`: it keeps everything");
  }
  // WAL: readers never wait for the writer. NORMAL: a power cut may lose the last verdict, never the file. libsql's
  // connections are only closed at the end of the process, so the log exists at the next start and is read completely:
  // keep it short.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 100;");
  db.exec("PRAGMA foreign_keys = ON");
  if (at === 0) migrate(db);
  return db;
}

export function migrate(db: Db): void {
  db.write(() => {
    // Another process may have migrated before we got the lock.
    const at = db.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
    for (const sql of MIGRATIONS.slice(at).flat()) db.exec(sql);
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

/** SQLite's own check: slow on large files, so for doctor and after an error only. */
export function integrityProblems(db: Db): string[] {
  const rows = db.all<{ integrity_check: string }>("PRAGMA integrity_check");
  return rows.map((row) => row.integrity_check).filter((line) => line !== "ok");
}

export function damagedDatabase(file: string, error: unknown): UaError {
  return new UaError(
    "damaged",
    `${file} cannot be used: ${messageOf(error)}`,
    `move it away (mv ${file} ${file}.damaged) and run \`ua-hooks install\`: everything is rebuilt from git except records; \`ua-hooks record import\` reads an export of them`,
    error,
  );
}

/**
 * SQLite's text is UTF-8, which cannot store a path with other bytes (git/paths.ts). Such a path, and one that starts
 * with a quote, is stored as its JSON string: no other key starts with a quote, so it can be decoded.
 */
export function pathKey(path: string): string {
  return path.startsWith('"') || !path.isWellFormed() ? JSON.stringify(path) : path;
}

export function keyPath(key: string): string {
  return key.startsWith('"') ? parseStored(key, isText, `the path ${key}`) : key;
}
