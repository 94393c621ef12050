import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf, UaError } from "../errors.js";
import { withoutMark } from "../json.js";
import { printable } from "../printable.js";
import { readProjectFile } from "../store/files.js";
import { MOST_PATTERNS } from "./glob.js";
import { CONFIG_FILES, PACKAGE_FILE } from "./inputs.js";

/** What is asked of a model: structural changes, also changed behaviour, or every changed token. */
export const REFRESH = ["structural", "behaviour", "every"] as const;
export type RefreshPolicy = (typeof REFRESH)[number];

/** Coding agents that describe without a session (analyzers/headless.ts). */
export const HEADLESS_NAMES = ["claude", "copilot", "gemini", "opencode"] as const;
export type HeadlessName = (typeof HEADLESS_NAMES)[number];

export const isHeadlessName = (value: unknown): value is HeadlessName => HEADLESS_NAMES.some((name) => name === value);

const quotedNames = HEADLESS_NAMES.map((name) => `"${name}"`).join(", ");

/** docs/config.md has every key. All keys have defaults, so no file is needed. */
export interface Config {
  mode: "marker" | "inline";
  analyzer: "structural" | HeadlessName | { command: string[] };
  analyzerTimeoutMs: number;
  execution: "detached" | "foreground";
  refresh: RefreshPolicy;
  include: string[];
  exclude: string[];
  thresholds: { architecture: number; full: number; fullShare: number };
  maxFileBytes: number;
  parseBudgetMs: number;
  leaseMinutes: number;
  selfRepair: boolean;
  records: { autoApprove: string[] };
  context: { every: number };
  share: { exclude: string[] };
  docs: { include: string[] };
}

export const DEFAULTS: Config = {
  mode: "marker",
  analyzer: "structural",
  analyzerTimeoutMs: 600_000,
  execution: "detached",
  refresh: "structural",
  include: [],
  exclude: [],
  thresholds: { architecture: 10, full: 30, fullShare: 0.5 },
  maxFileBytes: 1_048_576,
  parseBudgetMs: 2_000,
  leaseMinutes: 30,
  selfRepair: false,
  records: { autoApprove: [] },
  context: { every: 2 },
  share: { exclude: [] },
  docs: { include: [] },
};

/** The first config file that exists. */
export async function loadConfig(root: string | null): Promise<Config> {
  if (root === null || !mayBeConfigured(root)) return DEFAULTS;
  for (const name of [...CONFIG_FILES, PACKAGE_FILE]) {
    const file = join(root, name);
    const config = await configIn(name, file, readProjectFile(file, root) ?? "");
    if (config !== null) return config;
  }
  return DEFAULTS;
}

/** The config that a file's text has; null for none. `file`: what messages call it. */
export async function configIn(name: string, file: string, text: string): Promise<Config | null> {
  const found = text.trim() === "" ? undefined : await parseConfig(name, file, text);
  if (found === undefined || found === null) return null;
  const config = checkConfig(found, file);
  await checkGlobs(config, file);
  return config;
}

/**
 * Uses cosmiconfig's loaders for JSON and YAML, without its search: that would run a `.config/config.js` of the current
 * folder, and import what `$import` names. A config file is checked out with the code (invariant "a checkout runs no
 * code"). Imported only here: loading it takes longer than Phase 0.
 */
async function parseConfig(name: string, file: string, text: string): Promise<unknown> {
  const { defaultLoaders } = (await import("cosmiconfig")).default;
  try {
    const load = defaultLoaders[name.endsWith(".json") ? ".json" : ".yaml"];
    const value: unknown = await load(file, withoutMark(text));
    return name === PACKAGE_FILE ? (value as Record<string, unknown> | null)?.["ua-hooks"] : value;
  } catch (error) {
    throw new UaError(
      "damaged",
      `${file}: the config cannot be read: it is not ${name.endsWith(".json") ? "JSON" : "YAML"}${placeOf(error)}`,
      NEXT,
    );
  }
}

const NEXT = "correct the file; `ua-hooks status` then shows whether it is read";

/** Where the parser stopped. Not in its own words: those repeat lines of the file, which a link may have put there. */
function placeOf(error: unknown): string {
  const [, line, column] = /\((\d+):(\d+)\)|line (\d+)/.exec(messageOf(error)) ?? [];
  return line === undefined ? "" : ` (line ${line}, column ${column})`;
}

function mayBeConfigured(root: string): boolean {
  if (CONFIG_FILES.some((name) => existsSync(join(root, name)))) return true;
  return readProjectFile(join(root, PACKAGE_FILE), root)?.includes('"ua-hooks"') === true;
}

type ConfigCheck = (value: unknown) => boolean;

const isStrings: ConfigCheck = (v) =>
  Array.isArray(v) && v.length <= MOST_ITEMS && v.every((i) => typeof i === "string");
const oneOf =
  (...allowed: string[]): ConfigCheck =>
  (v) =>
    typeof v === "string" && allowed.includes(v);

const MOST_ITEMS = MOST_PATTERNS;
const DAY_MS = 86_400_000;

/** A whole number within bounds: one beyond them is a mistake, and would be a date or a time-out that no system has. */
function countTo(most: number): [ConfigCheck, string] {
  return [
    (v) => Number.isInteger(v) && (v as number) >= 1 && (v as number) <= most,
    `a whole number from 1 to ${most}`,
  ];
}

const KEYS: Record<string, [check: ConfigCheck, allowed: string]> = {
  mode: [oneOf("marker", "inline"), '"marker" or "inline"'],
  analyzer: [isAnalyzer, `"structural", ${quotedNames} or { "command": ["program", "argument", …] }`],
  analyzerTimeoutMs: countTo(DAY_MS),
  execution: [oneOf("detached", "foreground"), '"detached" or "foreground"'],
  refresh: [oneOf(...REFRESH), REFRESH.map((one) => `"${one}"`).join(", ")],
  include: [isStrings, `a list of globs (at most ${MOST_ITEMS})`],
  exclude: [isStrings, `a list of globs (at most ${MOST_ITEMS})`],
  "thresholds.architecture": countTo(1_000_000_000),
  "thresholds.full": countTo(1_000_000_000),
  "thresholds.fullShare": [(v) => typeof v === "number" && v > 0 && v <= 1, "a number above 0, at most 1"],
  maxFileBytes: countTo(512 * 1024 * 1024),
  parseBudgetMs: countTo(4_000),
  leaseMinutes: countTo(5_256_000),
  selfRepair: [(v) => typeof v === "boolean", "true or false"],
  "records.autoApprove": [isStrings, "a list of origins"],
  "context.every": countTo(1_000_000),
  "share.exclude": [isStrings, `a list of globs (at most ${MOST_ITEMS})`],
  "docs.include": [isStrings, `a list of globs (at most ${MOST_ITEMS})`],
};

function isAnalyzer(value: unknown): boolean {
  if (value === "structural" || isHeadlessName(value)) return true;
  if (typeof value !== "object" || value === null || !("command" in value)) return false;
  return Object.keys(value).length === 1 && isStrings(value.command) && (value.command as string[]).length > 0;
}

/** Reports every invalid key and value with file, key and what is allowed. */
export function checkConfig(raw: unknown, file: string): Config {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new UaError("damaged", `${file}: the config must be an object`, NEXT);
  }
  const config: Record<string, unknown> = structuredClone({ ...DEFAULTS });
  const wrong: string[] = [];
  for (const [key, value] of Object.entries(raw)) {
    const group = Object.hasOwn(config, key) ? config[key] : undefined;
    if (key === "$schema" || RETIRED.has(key)) continue;
    if (!Object.hasOwn(KEYS, key) && isGroup(group) && isGroup(value)) {
      for (const [inner, v] of Object.entries(value)) {
        if (fits(`${key}.${inner}`, v, wrong)) group[inner] = v;
      }
    } else if (fits(key, value, wrong)) config[key] = value;
  }
  const named =
    wrong.length > MOST_NAMED ? [...wrong.slice(0, MOST_NAMED), `and ${wrong.length - MOST_NAMED} more`] : wrong;
  if (wrong.length > 0)
    throw new UaError(
      "damaged",
      `${file}: ${named.join("; ")}`,
      "correct these keys; `ua-hooks status` then shows whether the config is read",
    );
  return config as unknown as Config;
}

/** Keys of earlier versions, which have no effect. A config that has one stays valid. */
const RETIRED = new Set(["graphWorktree", "tokensPerFile"]);

/** Of many wrong keys the first ones are named. */
const MOST_NAMED = 8;

/** Imported only here: most configs have no globs, and hooks wait for what is loaded. */
async function checkGlobs({ include, exclude, share, docs }: Config, file: string): Promise<void> {
  const all = { include, exclude, "share.exclude": share.exclude, "docs.include": docs.include };
  for (const [key, globs] of Object.entries(all))
    if (globs.length > 0) (await import("./config-globs.js")).parseGlobs(globs, `${file}, "${key}"`);
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits(key: string, value: unknown, wrong: string[]): boolean {
  const rule = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined; // "constructor" may be a key in the file, too
  if (rule === undefined) wrong.push(`unknown key "${shown(key)}" (known: ${Object.keys(KEYS).join(", ")})`);
  else if (!rule[0](value)) wrong.push(`"${key}" must be ${rule[1]}`);
  else return true;
  return false;
}

/** A key that is none of ours is anyone's text: its beginning is enough to find it. */
function shown(key: string): string {
  return printable(key.length > MOST_KEY ? `${key.slice(0, MOST_KEY)}…` : key);
}

const MOST_KEY = 24;
