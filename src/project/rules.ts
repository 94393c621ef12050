import ignore from "ignore";
import { ENGINE } from "../fingerprint/engine.js";
import { languageOf } from "../fingerprint/languages.js";
import { readTextIfThere } from "../store/files.js";
import type { Config } from "./config.js";
import { ignoreFiles } from "./inputs.js";
import { dataDirOf } from "./locate.js";

/** What is never worth knowing: dependencies, build output, lock files, generated and editor files. */
const SLIM_PATTERNS = [
  ...["node_modules/", ".git/", "vendor/", "venv/", ".venv/", "__pycache__/"],
  ...["dist/", "build/", "out/", "coverage/", ".next/", ".cache/", ".turbo/", "target/", "obj/"],
  ...["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "*.min.js", "*.min.css", "*.generated.*"],
  ...[".idea/", ".vscode/", "LICENSE", ".gitignore", ".editorconfig", ".prettierrc", ".eslintrc*"],
];

/** Nor by these endings. Apart, because each pattern is a regular expression to compile, and few paths need them. */
const DULL_ENDINGS = new Set([
  ...["lock", "png", "jpg", "jpeg", "gif", "svg", "ico", "woff", "woff2", "ttf", "eot"],
  ...["mp3", "mp4", "pdf", "zip", "tar", "gz", "map", "log"],
]);
const DEFAULT_PATTERNS = [...SLIM_PATTERNS, ...Array.from(DULL_ENDINGS, (ending) => `*.${ending}`)];

/** Whether any part of a path, a folder's name included, has such an ending. */
function hasDullEnding(path: string): boolean {
  return path.split("/").some((part) => DULL_ENDINGS.has(part.slice(part.lastIndexOf(".") + 1).toLowerCase()));
}

export interface Rules {
  /** Two equal ids select the same files; another id makes every path a candidate again. */
  id: string;
  /** Whether knowledge of this path is kept. inGraph: it has nodes, so it counts even where there is no grammar. */
  covers(path: string, inGraph: boolean): boolean;
}

export async function loadRules(
  root: string | null,
  dataDir: string,
  config: Pick<Config, "include" | "exclude">,
): Promise<Rules> {
  const texts = ignoreFiles(root, dataDir).map((file) => readTextIfThere(file) ?? "");
  const filter = (patterns: string[]) => texts.reduce((made, text) => made.add(text), ignore().add(patterns));
  const slim = filter(SLIM_PATTERNS);
  let whole: ReturnType<typeof filter> | undefined;
  const filterFor = (path: string) => {
    if (!hasDullEnding(path)) return slim;
    whole ??= filter(DEFAULT_PATTERNS);
    return whole;
  };
  const included = config.include.length === 0 ? () => true : await globs(config.include);
  const excluded = config.exclude.length === 0 ? () => false : await globs(config.exclude);
  return {
    id: JSON.stringify([ENGINE, ...texts, config.include, config.exclude]),
    covers: (path, inGraph) =>
      (inGraph || languageOf(path) !== undefined) &&
      !isOurs(path) &&
      !filterFor(path).ignores(path) &&
      included(path) &&
      !excluded(path),
  };
}

/** Loaded where a config has globs; most have none. */
async function globs(patterns: string | string[]): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import("picomatch");
  return picomatch(patterns, { dot: true });
}

/** Committing our own artefacts is no change (law 12). */
export function isOurs(path: string): boolean {
  return path.startsWith(".understand-anything/") || path.startsWith(".ua/");
}

export interface Explanation {
  language: string | null;
  /** The rule that has the last word on this path, and where it stands. */
  rule: { from: string; pattern: string; ignores: boolean } | null;
}

/** Why a path is source, or is not: for people who ask. */
export async function explainRules(
  path: string,
  root: string | null,
  dataDir: string,
  config: Pick<Config, "include" | "exclude">,
): Promise<Explanation> {
  const sources: [string, string][] = [["built-in", DEFAULT_PATTERNS.join("\n")]];
  for (const file of ignoreFiles(root, dataDir)) sources.push([file, readTextIfThere(file) ?? ""]);
  let rule: Explanation["rule"] = null;
  for (const [from, text] of sources) {
    for (const pattern of text.split(/\r?\n/)) {
      const { ignored, unignored } = ignore().add(pattern.replace(/^!/, "")).test(path);
      if (ignored && !unignored) rule = { from, pattern, ignores: !pattern.startsWith("!") };
    }
  }
  return { language: languageOf(path)?.name ?? null, rule: (await strictest(path, config)) ?? rule };
}

/** What no ignore file can overrule: our own artefacts, and the config's globs. */
async function strictest(
  path: string,
  { include, exclude }: Pick<Config, "include" | "exclude">,
): Promise<Explanation["rule"]> {
  if (isOurs(path)) return { from: "built-in", pattern: `${path.slice(0, path.indexOf("/"))}/`, ignores: true };
  for (const pattern of exclude) {
    if ((await globs(pattern))(path)) return { from: "config: exclude", pattern, ignores: true };
  }
  if (include.length === 0 || (await globs(include))(path)) return null;
  return { from: "config: include", pattern: include.join(", "), ignores: true };
}

export interface IgnoreFilter {
  isIgnored(relativePath: string): boolean;
}

/**
 * Understand-Anything's filter, by the same name: built-in patterns, then the data dir's file, then the root's.
 *
 * @example createIgnoreFilter(process.cwd()).isIgnored("dist/index.js") // true
 */
export function createIgnoreFilter(projectRoot: string): IgnoreFilter {
  const filter = ignore().add(DEFAULT_PATTERNS);
  for (const file of ignoreFiles(projectRoot, dataDirOf(projectRoot))) {
    filter.add(readTextIfThere(file) ?? "");
  }
  return { isIgnored: (relativePath) => filter.ignores(relativePath) };
}
