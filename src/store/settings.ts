import type { ProcessId } from "../platform/process.js";
import {
  type Check,
  damagedValue,
  isNumber,
  isText,
  listOf,
  objectOf,
  oneOf,
  orNull,
  pairOf,
  parseJson,
} from "./check.js";
import type { Db } from "./sqlite.js";

/**
 * A single value of a clone, in the table `settings`: the key, JSON, and the version of its shape. It is checked whenever it
 * is read. A shape that changes gets another version, and a migration (schema.ts) if what is stored has to be kept.
 */
export interface Setting<T> {
  /** A key that ends with `:` has one value for each scope. */
  key: string;
  version: number;
  check: Check<T>;
  /** What a value means that is of another version or does not pass the check: it is not there, or the database is damaged. */
  invalid: "absent" | "damaged";
}

const setting = <T>(key: string, check: Check<T>, invalid: Setting<T>["invalid"]): Setting<T> => ({
  ...{ key, version: 1, check, invalid },
});

/** Which process holds the lock (lock.ts). */
export interface Holder extends ProcessId {
  /** A worker looks at all worktrees once more after it has released the lock; no other holder does. */
  role: "runner" | "other";
  /** Names one taking of the lock. It is compared before every write, so that a holder that slept too long stops. */
  token: string;
}

/** The sizes at the last pruning (growth.ts). */
export interface Pruned {
  written: number;
  left: number;
}

/** What coding agents without a session were sent and answered on one day (UTC). */
export interface HeadlessUse {
  day: string;
  bytes: number;
}

const isHolder = objectOf<Holder>({
  pid: isNumber,
  born: isText,
  host: isText,
  space: isText,
  ...{ role: oneOf("runner", "other"), token: isText },
});

/**
 * Values that are computed anew when they are absent are `absent` if they cannot be read. Values that nothing else knows are
 * `damaged`. Two more settings stand next to their types: the last valid config (verification/config.ts) and the plan
 * (knowledge/plan.ts).
 */
export const SETTINGS = {
  lockHolder: setting("lock.holder", isHolder, "damaged"),
  lockWaiter: setting("lock.wanted", isNumber, "absent"),
  pruned: setting("pruned", objectOf<Pruned>({ written: isNumber, left: isNumber }), "absent"),
  /** Hashes of analyzer commands that the user trusts. */
  trusted: setting("trusted", listOf(isText), "absent"),
  /** What makes git wait, as the user trusted it: the values of a config, as JSON. */
  trustedWaits: setting("trusted.waits", listOf(isText), "absent"),
  /** Coding agents that may describe without a session, each with its tokens per day: `claude 50000`. */
  trustedHeadless: setting("trusted.headless", listOf(isText), "absent"),
  /** How many bytes they got and sent on a day. */
  headlessUse: setting("headless.use", objectOf<HeadlessUse>({ day: isText, bytes: isNumber }), "absent"),
  /** The worktree that the graph describes, in a bare repository. */
  graphWorktree: setting("graphView", isText, "damaged"),
  configError: setting("config.error", isText, "absent"),
  /** Folders, relative to the git common dir: with hook files of ours, and created by install. */
  hookFolders: setting("hooks:folders", listOf(isText), "damaged"),
  createdFolders: setting("made:folders", listOf(isText), "damaged"),
  /** Whether HEAD has the graph: then what came with it counts (knowledge/choose.ts). */
  graphOrigin: setting("graphOrigin:", oneOf("here", "tracked"), "absent"),
  /** The text of an untracked config.json. */
  configFile: setting("configFile:", isText, "absent"),
  /** When the analyses of versions before were stored as descriptions, too. */
  descriptionsStored: setting("descriptions.stored", isText, "absent"),
  /** Artefacts that install created. */
  createdArtefacts: setting("made:", listOf(isText), "damaged"),
  /** The mode of this clone, where \`install --mode\` set another one than the config. */
  mode: setting("mode", oneOf("marker", "inline"), "absent"),
  /** Artefacts that git was ever seen to track: a hook never writes them. */
  trackedArtefacts: setting("tracked:", listOf(isText), "damaged"),
  /** Where install put the team's part. */
  team: setting("team:", oneOf("shared", "clone", "found"), "damaged"),
  /** The commit that the baseline was taken at. */
  baseCommit: setting("baseCommit:", isText, "damaged"),
  /** Files that say where imports lead, with their blobs, as the graph was built with them. */
  configs: setting("configs:", listOf(pairOf(isText, isText)), "damaged"),
  /** Manifests and READMEs with their blobs, as the graph's texts were made from them. */
  textFiles: setting("textFiles:", listOf(pairOf(isText, isText)), "absent"),
  /** Stamps of graph and fingerprints as the baseline was taken from them. */
  adopted: setting("adopted:", listOf(orNull(isText)), "absent"),
  /** Tracked artefacts that are behind what is stored: no hook writes them. */
  unrendered: setting("unrendered:", listOf(isText), "absent"),
  /** What meta.json says, as we know it. */
  meta: setting("meta:", listOf(isText), "absent"),
  /** How many times a file came back to a content that was analysed before, for the report. */
  filesPutBack: setting("putBack:", isNumber, "absent"),
  /** How many files the graph describes. */
  graphFiles: setting("graphFiles:", isNumber, "absent"),
  /** The last record anchor that was hashed anew, for each scheme of symbol hashes. */
  rehashedAnchor: setting("rehashed:", isNumber, "absent"),
  /** Which list of languages a worktree was last verified with (fingerprint/languages.ts). */
  languageList: setting("languages:", isNumber, "absent"),
  /** Where an untracked data dir went beside a tracked one, until `status` has said so. */
  dataDirMoved: setting("dataDirMoved:", isText, "absent"),
  /** When the restoring of a deleted data dir began, until it is done. */
  reviving: setting("reviving:", isText, "absent"),
};

const keyOf = ({ key }: { key: string }, scope: string | null) => (scope === null ? key : `${key}${scope}`);

/** null: there is no such value. */
export function readSetting<T>(db: Db, setting: Setting<T>, scope: string | null = null): T | null {
  const key = keyOf(setting, scope);
  const row = db.get<{ value: string; version: number }>("SELECT value, version FROM settings WHERE key = ?", key);
  if (row === undefined) return null;
  const value = row.version === setting.version ? parseJson(row.value, setting.check) : null;
  if (value === null && setting.invalid === "damaged") throw damagedValue(`the setting ${key}`);
  return value;
}

/** Writes only what differs, so that a reader of the file system sees no change where there is none. */
export function writeSetting<T>(
  db: Db,
  setting: Setting<T>,
  value: NonNullable<T> | null,
  scope: string | null = null,
): void {
  const key = keyOf(setting, scope);
  if (value === null) {
    db.run("DELETE FROM settings WHERE key = ?", key);
    return;
  }
  const text = JSON.stringify(value);
  const row = db.get<{ value: string; version: number }>("SELECT value, version FROM settings WHERE key = ?", key);
  if (row?.value === text && row.version === setting.version) return;
  db.run("INSERT OR REPLACE INTO settings(key, value, version) VALUES(?, ?, ?)", ...[key, text, setting.version]);
}
