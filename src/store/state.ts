import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { errnoOf, isUaError, messageOf, UaError, VersionError } from "../errors.js";
import { isText, parseStored } from "./check.js";
import { createDatabase } from "./create.js";
import { isLink, refuseEscape, stateDb } from "./files.js";
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
  if (isLink(file) && !existsSync(file)) throw damagedDatabase(file, "it is a link that leads to no file");
  refuseEscape(file, stateDir);
  try {
    if (!isThere(file)) await createIn(file);
    const isFixed = !existsSync(`${file}-wal`) && !canWrite(stateDir);
    const db = await openDatabase(file, (error) => explained(file, error), { isFixed });
    return prepareOrClose(db, file, { isUpgrade, waitMs });
  } catch (error) {
    if (isUaError(error)) throw error;
    const shown = explained(file, error); // a full disk is no reason to move it away
    throw isUaError(shown) ? shown : damagedDatabase(file, error);
  }
}

/** False on a read-only mount, in a sandbox, or in another user's clone. */
export function canWrite(stateDir: string): boolean {
  try {
    accessSync(stateDir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Throws for a file that no database of ours can be. It is created whole (create.ts), so an empty one has lost everything. */
function isThere(file: string): boolean {
  // Looked for first: a log is made after its database. SQLite would write an old one's pages into a new database.
  const hasLog = existsSync(`${file}-wal`);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined && hasLog) throw damagedDatabase(file, `it is gone, and ${basename(file)}-wal is left`);
  // Checked here, because the drivers report it differently, one of them as missing rights.
  if (found !== undefined && !found.isFile()) throw damagedDatabase(file, "it is not a file");
  if (found?.size === 0) throw damagedDatabase(file, "it is empty");
  return found !== undefined;
}

async function createIn(file: string): Promise<void> {
  const source = await openEmptyState();
  try {
    createDatabase(file, source);
  } finally {
    source.close();
  }
}

/** A temporary state: the content of a new one, and for comparing two commits in a clone without ua-hooks. */
export async function openEmptyState(): Promise<Db> {
  const db = await openDatabase(":memory:");
  db.exec("PRAGMA foreign_keys = ON");
  migrate(db);
  return db;
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
  const isOurs =
    at > 0 && db.get("SELECT 1 AS one FROM sqlite_master WHERE type = 'table' AND name = 'views'") !== undefined;
  if (!isOurs) throw damagedDatabase(file, "it is not a database of ua-hooks");
  if (at > MIGRATIONS.length) {
    throw new VersionError(
      "newer",
      `${file} was written by a newer ua-hooks (state version ${at}, this one knows ${MIGRATIONS.length})`,
      "upgrade ua-hooks in this clone",
    );
  }
  if (at < MIGRATIONS.length && !isUpgrade) {
    const what = `${file} was written by an older ua-hooks (state version ${at}, this one has ${MIGRATIONS.length})`;
    throw new VersionError("older", what, "run `ua-hooks install`: it keeps everything");
  }
  // WAL: readers never wait for the writer. NORMAL: a power cut may lose the last verdict, never the file. libsql's
  // connections are only closed at the end of the process, so the log exists at the next start and is read completely:
  // keep it short.
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 100;");
  db.exec("PRAGMA foreign_keys = ON");
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

const DAMAGE_NEXT =
  "run `ua-hooks doctor --fix`: it keeps the file under another name and rebuilds what git and the graph still have; `ua-hooks record import` reads an export of records";

export function damagedDatabase(file: string, problem: unknown): UaError {
  return new UaError("damaged", `${file} cannot be used: ${messageOf(problem)}`, DAMAGE_NEXT, problem);
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
