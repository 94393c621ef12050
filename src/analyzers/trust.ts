import { createHash } from "node:crypto";
import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { Config } from "../repository/config.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";

/**
 * A config file is checked out with the code, and a checkout runs no code (invariant "a checkout runs no code"): the command it names runs only after
 * the user of this clone has seen it and said so. What was trusted is that very command; a script of the project that
 * it names counts with its content, because a pull can change that just as well.
 */
export interface TrustState {
  /** null: the analyzer is the built-in one, and there is nothing to trust. */
  command: readonly string[] | null;
  trusted: boolean;
  /** The project's own files that the command names, relative to its root. */
  scripts: string[];
}

/** Where the command runs, and where the config that names it is. A linked worktree has scripts of its own. */
export type Where = { root: string | null; worktree: { path: string } };

export function trustState(db: Db, config: Pick<Config, "analyzer">, where: Where): TrustState {
  const command = commandOf(config);
  if (command === null) return { command, trusted: true, scripts: [] };
  const scripts = scriptsOf(command, where);
  const trusted = trustedHashes(db).includes(hashOf(command, scripts));
  return { command, trusted, scripts: [...scripts.keys()] };
}

export function trustCommand(db: Db, command: readonly string[], where: Where): void {
  const hash = hashOf(command, scriptsOf(command, where));
  // Several at once: another branch may name another command, and coming back to it is no new question.
  writeSetting(db, SETTINGS.trusted, [...new Set([...trustedHashes(db), hash])]);
}

export function revokeTrust(db: Db): void {
  writeSetting(db, SETTINGS.trusted, null);
}

function commandOf({ analyzer }: Pick<Config, "analyzer">): readonly string[] | null {
  return analyzer === "structural" ? null : analyzer.command;
}

function trustedHashes(db: Db): string[] {
  return readSetting(db, SETTINGS.trusted) ?? [];
}

/** The project's own files that the command names, as it will find them: by their name in the project. */
function scriptsOf(command: readonly string[], { root, worktree }: Where): Map<string, string> {
  const tops = [worktree.path, ...(root === null ? [] : [root])];
  const named = command.flatMap((part) => {
    const file = resolve(worktree.path, part);
    const top = tops.find((one) => file.startsWith(one + sep));
    return top === undefined || !isFile(file) ? [] : [[relative(top, file), file] as const];
  });
  return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isFile(path: string): boolean {
  try {
    return lstatSync(realpathSync(path)).isFile();
  } catch {
    return false; // most arguments are no files at all
  }
}

function hashOf(command: readonly string[], scripts: ReadonlyMap<string, string>): string {
  const hash = createHash("sha256").update(JSON.stringify(command));
  for (const [name, file] of scripts) {
    hash.update(`\0${name}\0`).update(createHash("sha256").update(readFileSync(file)).digest());
  }
  return hash.digest("hex");
}
