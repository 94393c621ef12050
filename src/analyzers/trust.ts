import { isUaError, UaError } from "../errors.js";
import { isOwnAlone } from "../platform/owner.js";
import { MOST_DATA_BYTES, readRegularFile } from "../platform/read-file.js";
import { type Config, type HeadlessName, isHeadlessName } from "../repository/config.js";
import { stateDb } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { type CommandFiles, type CommandPlace, filesOfCommand } from "./command-files.js";

/**
 * A config file is checked out with the code, and a checkout runs no code (invariant "a checkout runs no code"): the command it
 * names runs only after the user of this clone has seen it and trusted it. The trust is for that very command, and for the content
 * of the project's files that it runs, because a pull can change these just as well.
 */
export interface TrustState {
  /** null: the built-in analyzer, which needs no trust. */
  command: readonly string[] | null;
  trusted: boolean;
  /** The project's own files that the command names, relative to its root. */
  scripts: string[];
}

/** Where the command runs, where the config that names it is, and where trust is kept. A linked worktree has scripts of its own. */
export type Where = CommandPlace & { stateDir: string };

/** What to do where the config names no command. */
export const NO_COMMAND_NEXT =
  'put "analyzer": { "command": ["program", "argument"] } into .ua-hooksrc.json, then run `ua-hooks trust`';

export function trustState(db: Db, config: Pick<Config, "analyzer">, where: Where): TrustState {
  const { analyzer } = config;
  if (isHeadlessName(analyzer))
    return { command: [analyzer], trusted: tokensPerDay(db, analyzer, where) !== null, scripts: [] };
  const command = commandOf(config);
  if (command === null) return { command, trusted: true, scripts: [] };
  const scripts = coveredFiles(command, where);
  if (scripts === null) return { command, trusted: false, scripts: [] };
  const trusted = isTrusted(db, SETTINGS.trusted, hashOf(command, scripts), where);
  return { command, trusted, scripts: [...scripts.keys()] };
}

/** Throws for a command that cannot be covered. */
export function trustCommand(db: Db, command: readonly string[], where: Where): void {
  addTrusted(db, SETTINGS.trusted, hashOf(command, filesOfCommand(command, where)), where);
}

/** The keys of a config that decide whether and how long git waits, with their values; null where git does not wait. */
export function waitingKeys(config: Config): Partial<Config> | null {
  const { execution, mode, maxFileBytes, parseBudgetMs } = config;
  return execution === "detached" ? null : { execution, mode, maxFileBytes, parseBudgetMs };
}

/** git waits only in a clone whose user has trusted exactly these values (invariant "git never notices"). */
export function trustedExecution(db: Db, config: Config, where: Pick<Where, "stateDir">): Config["execution"] {
  const keys = waitingKeys(config);
  return keys !== null && isTrusted(db, SETTINGS.trustedWaits, JSON.stringify(keys), where)
    ? config.execution
    : "detached";
}

export function trustWaiting(db: Db, config: Config, where: Pick<Where, "stateDir">): void {
  const keys = waitingKeys(config);
  if (keys !== null) addTrusted(db, SETTINGS.trustedWaits, JSON.stringify(keys), where);
}

/** How many tokens a day the user of this clone lets a coding agent have; null if none. */
export function tokensPerDay(db: Db, analyzer: HeadlessName, where: Pick<Where, "stateDir">): number | null {
  if (!isOwnStore(where)) return null;
  const [, tokens] =
    entriesOf(db, SETTINGS.trustedHeadless)
      .map(partsOf)
      .find(([name]) => name === analyzer) ?? [];
  return tokens === undefined ? null : Number(tokens);
}

export function trustHeadless(db: Db, analyzer: HeadlessName, tokens: number, where: Pick<Where, "stateDir">): void {
  const others = entriesOf(db, SETTINGS.trustedHeadless).filter((entry) => partsOf(entry)[0] !== analyzer);
  writeSetting(db, SETTINGS.trustedHeadless, others);
  addTrusted(db, SETTINGS.trustedHeadless, `${analyzer} ${tokens}`, where);
}

const partsOf = (entry: string) => entry.split(" ");

export function revokeTrust(db: Db): void {
  for (const setting of [SETTINGS.trusted, SETTINGS.trustedWaits, SETTINGS.trustedHeadless])
    writeSetting(db, setting, null);
}

function commandOf({ analyzer }: Pick<Config, "analyzer">): readonly string[] | null {
  return typeof analyzer === "string" ? null : analyzer.command;
}

/** null: `trust` refuses this command, and says why. */
function coveredFiles(command: readonly string[], where: Where): CommandFiles | null {
  try {
    return filesOfCommand(command, where);
  } catch (error) {
    if (isUaError(error)) return null;
    throw error;
  }
}

/** What another user may have written is not the trust of this one (invariant "only a clone that git accepts"). */
const isOwnStore = ({ stateDir }: Pick<Where, "stateDir">) => isOwnAlone(stateDir) && isOwnAlone(stateDb(stateDir));

type TrustSetting = typeof SETTINGS.trusted;

function isTrusted(db: Db, key: TrustSetting, entry: string, where: Pick<Where, "stateDir">): boolean {
  return isOwnStore(where) && entriesOf(db, key).includes(entry);
}

/** Several at once: another branch may name another command, and returning to the first one asks nothing. */
function addTrusted(db: Db, key: TrustSetting, entry: string, where: Pick<Where, "stateDir">): void {
  if (!isOwnStore(where)) {
    throw new UaError(
      "refused",
      `${where.stateDir} can be written by other users, or belongs to one: trust cannot be kept there`,
      "`ua-hooks doctor` names the command that repairs it",
    );
  }
  writeSetting(db, key, [...new Set([...entriesOf(db, key), entry])]);
}

function entriesOf(db: Db, key: TrustSetting): string[] {
  return readSetting(db, key) ?? [];
}

function hashOf(command: readonly string[], scripts: CommandFiles): string {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256").update(JSON.stringify(command));
  for (const [name, { path, outside }] of scripts) {
    const content = outside ?? readRegularFile(path, { most: MOST_DATA_BYTES }) ?? "";
    hash
      .update(`\0${name}\0`)
      .update(process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest());
  }
  return hash.digest("hex");
}
