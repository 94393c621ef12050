import ignore from "ignore";
import picomatch from "picomatch";
import { ENGINE } from "../fingerprint/engine.js";
import { languageOf } from "../fingerprint/languages.js";
import { readTextIfThere } from "../store/files.js";
import type { Config } from "./config.js";
import { ignoreFiles } from "./inputs.js";
import { dataDirOf } from "./locate.js";

/** What is never worth knowing: dependencies, build output, lock files, assets, generated and editor files. */
const DEFAULT_PATTERNS = [
  ...["node_modules/", ".git/", "vendor/", "venv/", ".venv/", "__pycache__/"],
  ...["dist/", "build/", "out/", "coverage/", ".next/", ".cache/", ".turbo/", "target/", "obj/"],
  ...["*.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml"],
  ...["*.png", "*.jpg", "*.jpeg", "*.gif", "*.svg", "*.ico", "*.woff", "*.woff2", "*.ttf", "*.eot"],
  ...["*.mp3", "*.mp4", "*.pdf", "*.zip", "*.tar", "*.gz"],
  ...["*.min.js", "*.min.css", "*.map", "*.generated.*"],
  ...[".idea/", ".vscode/", "LICENSE", ".gitignore", ".editorconfig", ".prettierrc", ".eslintrc*", "*.log"],
];

export interface Rules {
  /** Two equal ids select the same files; another id makes every path a candidate again. */
  id: string;
  /** Whether knowledge of this path is kept. inGraph: it has nodes, so it counts even where there is no grammar. */
  covers(path: string, inGraph: boolean): boolean;
}

export function loadRules(root: string | null, dataDir: string, config: Pick<Config, "include" | "exclude">): Rules {
  const texts = ignoreFiles(root, dataDir).map((file) => readTextIfThere(file) ?? "");
  const filter = ignore().add(DEFAULT_PATTERNS);
  for (const text of texts) filter.add(text);
  const options = { dot: true };
  const included = config.include.length === 0 ? () => true : picomatch(config.include, options);
  const excluded = config.exclude.length === 0 ? () => false : picomatch(config.exclude, options);
  return {
    id: JSON.stringify([ENGINE, ...texts, config.include, config.exclude]),
    covers: (path, inGraph) =>
      (inGraph || languageOf(path) !== undefined) &&
      !isOurs(path) &&
      !filter.ignores(path) &&
      included(path) &&
      !excluded(path),
  };
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
export function explainRules(
  path: string,
  root: string | null,
  dataDir: string,
  config: Pick<Config, "include" | "exclude">,
): Explanation {
  const sources: [string, string][] = [["built-in", DEFAULT_PATTERNS.join("\n")]];
  for (const file of ignoreFiles(root, dataDir)) sources.push([file, readTextIfThere(file) ?? ""]);
  let rule: Explanation["rule"] = null;
  for (const [from, text] of sources) {
    for (const pattern of text.split(/\r?\n/)) {
      const { ignored, unignored } = ignore().add(pattern.replace(/^!/, "")).test(path);
      if (ignored && !unignored) rule = { from, pattern, ignores: !pattern.startsWith("!") };
    }
  }
  return { language: languageOf(path)?.name ?? null, rule: strictest(path, config) ?? rule };
}

/** What no ignore file can overrule: our own artefacts, and the config's globs. */
function strictest(path: string, { include, exclude }: Pick<Config, "include" | "exclude">): Explanation["rule"] {
  const matches = (pattern: string) => picomatch(pattern, { dot: true })(path);
  if (isOurs(path)) return { from: "built-in", pattern: `${path.slice(0, path.indexOf("/"))}/`, ignores: true };
  const excluded = exclude.find(matches);
  if (excluded !== undefined) return { from: "config: exclude", pattern: excluded, ignores: true };
  if (include.length === 0 || include.some(matches)) return null;
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
