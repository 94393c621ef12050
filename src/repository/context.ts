import { type Lock, lock } from "../store/lock.js";
import type { Db } from "../store/sqlite.js";
import { openOrUpgrade } from "../store/upgrade.js";
import { type Config, loadConfig } from "./config.js";
import type { Project } from "./locate.js";
import type { Rules } from "./rules.js";

/**
 * What a process works with in one worktree. A command, a hook, the worker and each call of the MCP server create it once and
 * hand it down. The database, the config and the ignore rules are loaded at their first use, and only once: a caller that
 * needs none of them (a freshness stamp that matches) opens nothing.
 */
export interface Context {
  project: Project;
  /** Aborted by the caller: work that waits for the lock does not start. */
  signal: AbortSignal | undefined;
  database(): Promise<Db>;
  /** Throws if the config cannot be read. A verification continues with the last valid one instead (verification/config.ts). */
  config(): Promise<Config>;
  rules(): Promise<Rules>;
  load(): Promise<LoadedContext>;
  /** The context of another worktree of this clone, with the same database. */
  forWorktree(project: Project): Context;
}

/** A context with everything loaded. */
export interface LoadedContext {
  db: Db;
  project: Project;
  config: Config;
  rules: Rules;
}

/** A context whose process holds the lock of the clone. */
export interface LockedContext extends Context {
  db: Db;
  lock: Lock;
}

export interface ContextOptions {
  signal?: AbortSignal;
  /** How long a statement of the database waits at most for another process; the wait blocks every timer of this one. */
  statementWaitMs?: number;
  /** Opens the database; by default the one in the state dir. */
  open?: () => Promise<Db>;
}

/** Opens a context for `work`, and closes its database afterwards if it was opened. */
export async function withContext<T>(
  project: Project,
  work: (context: Context) => Promise<T>,
  { signal, statementWaitMs, open = () => openOrUpgrade(project.stateDir, statementWaitMs) }: ContextOptions = {},
): Promise<T> {
  let opened: Promise<Db> | undefined;
  const database = () => {
    opened ??= open();
    return opened;
  };
  try {
    return await work(createContext(project, database, signal));
  } finally {
    const db = await opened?.catch(() => undefined); // reported where it was opened
    db?.close();
  }
}

function createContext(project: Project, database: () => Promise<Db>, signal: AbortSignal | undefined): Context {
  let loadedConfig: Promise<Config> | undefined;
  let loadedRules: Promise<Rules> | undefined;
  const config = () => {
    loadedConfig ??= loadConfig(project.root);
    return loadedConfig;
  };
  const rules = () => {
    loadedRules ??= rulesOf(project, config());
    return loadedRules;
  };
  return {
    ...{ project, signal, database, config, rules },
    load: async () => ({ project, config: await config(), rules: await rules(), db: await database() }),
    forWorktree: (other) => createContext(other, database, signal),
  };
}

async function rulesOf({ root, dataDir }: Project, config: Promise<Config>): Promise<Rules> {
  const { loadRules } = await import("./rules.js");
  return loadRules(root, dataDir, await config);
}

/** A context that is opened only for work under the lock. */
export async function withLockedContext<T>(
  project: Project,
  work: (locked: LockedContext) => Promise<T>,
  options: ContextOptions = {},
): Promise<T> {
  return withContext(project, (context) => withLock(context, work), options);
}

/** How long a hook in the foreground, or a reader, waits for a worker that holds the lock. */
const WAIT_MS = 10_000;

/** Runs `work` with the lock of the clone held. An abort during the wait leaves everything as it was; `work` itself is not aborted. */
export async function withLock<T>(
  context: Context,
  work: (locked: LockedContext) => Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  const db = await context.database();
  const held = await lock(db, context.project.stateDir, waitMs);
  try {
    context.signal?.throwIfAborted();
    return await work({ ...context, db, lock: held });
  } finally {
    held.release();
  }
}
