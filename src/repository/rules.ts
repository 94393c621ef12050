import { ENGINE } from "../fingerprint/engine.js";
import { isSource, languageOf } from "../fingerprint/languages.js";
import { readProjectFile } from "../store/files.js";
import type { Config } from "./config.js";
import { withinTime } from "./glob.js";
import { type IgnoreRule, matchesRule, PathFilter, parseIgnoreRules } from "./ignore-rules.js";
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

/** Built-in patterns, then the data dir's file, then the root's: the later rule wins. */
function readIgnoreRules(root: string | null, dataDir: string): { from: string; text: string; rules: IgnoreRule[] }[] {
  const builtIn = {
    from: "built-in",
    text: "",
    rules: parseIgnoreRules(DEFAULT_IGNORE_PATTERNS.join("\n"), "built-in"),
  };
  const files = ignoreFiles(root, dataDir).map((file) => {
    const text = readProjectFile(file, root ?? dataDir) ?? "";
    return { from: file, text, rules: parseIgnoreRules(text, file) };
  });
  return [builtIn, ...files];
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
  const sources = readIgnoreRules(root, dataDir);
  const filter = new PathFilter(sources.flatMap(({ rules }) => rules));
  const [included, excluded] = [await globsOf(config.include, "include"), await globsOf(config.exclude, "exclude")];
  return {
    id: JSON.stringify([ENGINE, ...sources.slice(1).map(({ text }) => text), config.include, config.exclude]),
    covers: withinTime(
      (path, inGraph) =>
        (inGraph || isSource(path)) &&
        !isOurs(path) &&
        !filter.ignores(path) &&
        (included.length === 0 || included.some((matches) => matches(path))) &&
        !excluded.some((matches) => matches(path)),
    ),
  };
}

/** The globs of a config, which was checked when it was loaded. */
async function globsOf(patterns: readonly string[], key: string): Promise<((path: string) => boolean)[]> {
  return patterns.length === 0 ? [] : (await import("./config-globs.js")).parseGlobs(patterns, `"${key}"`);
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
  let rule: Explanation["rule"] = null;
  for (const { from, rules } of readIgnoreRules(root, dataDir)) {
    for (const one of rules) if (matchesRule(one, path)) rule = { from, pattern: one.pattern, ignores: !one.negated };
  }
  return { language: languageOf(path)?.name ?? null, rule: (await strictest(path, config)) ?? rule };
}

/** Rules that ignore files cannot override: our own artefacts, and the config's globs. */
async function strictest(
  path: string,
  { include, exclude }: Pick<Config, "include" | "exclude">,
): Promise<Explanation["rule"]> {
  if (isOurs(path)) return { from: "built-in", pattern: `${path.slice(0, path.indexOf("/"))}/`, ignores: true };
  const [included, excluded] = [await globsOf(include, "include"), await globsOf(exclude, "exclude")];
  const excluding = exclude[excluded.findIndex((matches) => matches(path))];
  if (excluding !== undefined) return { from: "config: exclude", pattern: excluding, ignores: true };
  if (include.length === 0 || included.some((matches) => matches(path))) return null;
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
  const sources = readIgnoreRules(projectRoot, dataDirOf(projectRoot)).flatMap(({ rules }) => rules);
  const filter = new PathFilter([...sources, ...parseIgnoreRules(extraPatterns.join("\n"), "extra patterns")]);
  return { isIgnored: (relativePath) => filter.ignores(relativePath) };
}
