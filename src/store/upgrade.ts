import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isVersionError, UaError } from "../errors.js";
import { clock } from "../platform/clock.js";
import { parseJson } from "./check.js";
import { faultPoint } from "./fault.js";
import { readTextIfThere } from "./files.js";
import { BUSY, isLocked, pause } from "./lock.js";
import { MIGRATIONS } from "./schema.js";
import { type Holder, SETTINGS } from "./settings.js";
import type { Db } from "./sqlite.js";
import { migrate, openState } from "./state.js";

/** The copy of the program in the state dir, which hooks and agents start. */
export const runtimeDir = (stateDir: string): string => join(stateDir, "runtime");

export interface RuntimeVersion {
  version: string;
  /** The version of the state database that it works with. */
  schema: number;
}

export const runtimeVersionFile = (stateDir: string): string => join(runtimeDir(stateDir), "version");

/** What install writes beside the copy, after it. */
export function runtimeVersionText(): string {
  return `${UA_HOOKS_VERSION} ${MIGRATIONS.length}\n`;
}

/** null: there is no copy, or one of the first version, which did not say. */
export function runtimeVersion(stateDir: string): RuntimeVersion | null {
  const [, version, schema] = /^(\S+) (\d+)\n$/.exec(readTextIfThere(runtimeVersionFile(stateDir)) ?? "") ?? [];
  return version === undefined || schema === undefined ? null : { version, schema: Number(schema) };
}

/** Whether the copy works with a newer database than this program does: then the copy is what has to run. */
export function isRuntimeNewer(stateDir: string): boolean {
  return (runtimeVersion(stateDir)?.schema ?? 0) > MIGRATIONS.length;
}

/**
 * The database, migrated if necessary. A program that is not the clone's own copy does not migrate here: it would silence the hooks,
 * which run that copy. It throws, and the command that was typed upgrades the clone first (install/upgrade.ts).
 */
export async function openOrUpgrade(stateDir: string, waitMs?: number): Promise<Db> {
  const open = () => openState(stateDir, waitMs === undefined ? {} : { waitMs });
  try {
    return await open();
  } catch (error) {
    if (!isVersionError(error) || error.database !== "older" || isRunningElsewhere(stateDir)) throw error;
    await upgradeDatabase(stateDir);
    return open();
  }
}

function isRunningElsewhere(stateDir: string): boolean {
  const dir = runtimeDir(stateDir);
  return existsSync(join(dir, "hook.cjs")) && realpathSync(dir) !== realpathSync(import.meta.dirname);
}

const WAIT_MS = 10_000;

/**
 * Migrates while no process holds the lock, so that no worker is at work. The lock is taken in a write
 * transaction, so during this one no other process can take it. `first`: what has to be replaced before.
 */
export async function upgradeDatabase(stateDir: string, first: () => void = () => {}): Promise<void> {
  const db = await openState(stateDir, { isUpgrade: true });
  const upgrade = () => {
    if (isLocked(stateDir, holderOf(db))) return false;
    first();
    faultPoint("upgrade.migrate");
    migrate(db);
    return true;
  };
  try {
    const deadline = clock() + WAIT_MS;
    while (!db.write(upgrade)) {
      if (clock() >= deadline) throw new UaError("busy", ...BUSY);
      await pause();
    }
  } finally {
    db.close();
  }
}

/** Read without the table's later columns. */
function holderOf(db: Db): Holder | null {
  const { key, check } = SETTINGS.lockHolder;
  const row = db.get<{ value: string }>("SELECT value FROM settings WHERE key = ?", key);
  return row === undefined ? null : parseJson(row.value, check);
}
