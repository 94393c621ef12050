import ignore from "ignore";
import { ENGINE } from "../fingerprint/engine.js";
import { languageOf } from "../fingerprint/languages.js";
import { readTextIfThere } from "../store/files.js";
import type { Config } from "./config.js";
import { ignoreFiles, isOurs } from "./inputs.js";
import { dataDirOf } from "./locate.js";

/**
 * Never analysed: dependencies, build output, lock files, media, generated and editor files.
 *
 * @example DEFAULT_IGNORE_PATTERNS.includes("node_modules/") // true
 */
export const DEFAULT_IGNORE_PATTERNS: readonly string[] = [
  ...["node_modules/", ".git/", "vendor/", "venv/", ".venv/", "__pycache__/"],
  ...["dist/", "build/", "out/", "coverage/", ".next/", ".cache/", ".turbo/", "target/", "obj/"],
  ...["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "*.min.js", "*.min.css", "*.generated.*"],
  ...[".idea/", ".vscode/", "LICENSE", ".gitignore", ".editorconfig", ".prettierrc", ".eslintrc*"],
  ...["*.lock", "*.png", "*.jpg", "*.jpeg", "*.gif", "*.svg", "*.ico", "*.woff", "*.woff2", "*.ttf", "*.eot"],
  ...["*.mp3", "*.mp4", "*.pdf", "*.zip", "*.tar", "*.gz", "*.map", "*.log"],
];

/** A text that every matching path contains. */
const needle = (pattern: string) => pattern.replace(/[*/]/g, "").toLowerCase();

/**
 * The built-in patterns that can match this path; for most paths none. Each is a regular expression to compile, which
 * would dominate the cost of a hook that compares one file. Patterns that cannot match do not change the result.
 */
function defaultsFor(path: string): string[] {
  const lower = path.toLowerCase();
  return DEFAULT_IGNORE_PATTERNS.filter((pattern) => lower.includes(needle(pattern)));
}

export interface Rules {
  /** Two equal ids select the same files; with another id every path is compared again. */
  id: string;
  /** Whether this path is analysed. inGraph: it has nodes, so it counts even without a grammar. */
  covers(path: string, inGraph: boolean): boolean;
}

export async function loadRules(
  root: string | null,
  dataDir: string,
  config: Pick<Config, "include" | "exclude">,
): Promise<Rules> {
  const texts = ignoreFiles(root, dataDir).map((file) => readTextIfThere(file) ?? "");
  const filters = new Map<string, ReturnType<typeof ignore>>();
  const filterFor = (path: string) => {
    const patterns = defaultsFor(path);
    const key = patterns.join("\n");
    const made = filters.get(key) ?? texts.reduce((filter, text) => filter.add(text), ignore().add(patterns));
    filters.set(key, made);
    return made;
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

/** Loaded only if the config has globs; most have none. */
async function globs(patterns: string | string[]): Promise<(path: string) => boolean> {
  const { default: picomatch } = await import("picomatch");
  return picomatch(patterns, { dot: true });
}

export interface Explanation {
  language: string | null;
  /** The rule that decides for this path, and where it is from. */
  rule: { from: string; pattern: string; ignores: boolean } | null;
}

/** Explains why a path is source or not. */
export async function explainRules(
  path: string,
  root: string | null,
  dataDir: string,
  config: Pick<Config, "include" | "exclude">,
): Promise<Explanation> {
  const sources: [string, string][] = [["built-in", DEFAULT_IGNORE_PATTERNS.join("\n")]];
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

/** Rules that ignore files cannot override: our own artefacts, and the config's globs. */
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
 * The same function as in Understand-Anything: built-in patterns, then the data dir's file, then the root's, then the
 * caller's own.
 *
 * @example createIgnoreFilter(process.cwd(), ["docs/"]).isIgnored("dist/index.js") // true
 */
export function createIgnoreFilter(projectRoot: string, extraPatterns: readonly string[] = []): IgnoreFilter {
  const filter = ignore().add(DEFAULT_IGNORE_PATTERNS);
  for (const file of ignoreFiles(projectRoot, dataDirOf(projectRoot))) {
    filter.add(readTextIfThere(file) ?? "");
  }
  filter.add(extraPatterns);
  return { isIgnored: (relativePath) => filter.ignores(relativePath) };
}
