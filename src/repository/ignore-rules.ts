import { isUaError, UaError } from "../errors.js";
import { printable } from "../printable.js";
import { checkLength, type Glob, MOST_PATH, MOST_PATTERNS, matchesGlob, parseGlob } from "./glob.js";

/** One line of an ignore file, in gitignore syntax (gitignore(5)). */
export interface IgnoreRule {
  pattern: string;
  glob: Glob;
  /** `!` in front: what an earlier line ignores is not ignored after all. */
  negated: boolean;
  /** `/` at the end. */
  onlyFolders: boolean;
  /** No `/` but at the end: the name alone decides, in any folder. */
  anyFolder: boolean;
}

/** Throws where the file has too many lines or one is too long; the error names file and line. Letters of either case match each other. */
export function parseIgnoreRules(text: string, file: string): IgnoreRule[] {
  const rules: IgnoreRule[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    try {
      checkLength(line);
      if (rules.length === MOST_PATTERNS) throw new UaError("damaged", `is beyond the first ${MOST_PATTERNS} patterns`);
    } catch (error) {
      throw refusedPattern(`${file}, line ${at + 1}`, line, error);
    }
    const rule = parseRule(line.replace(/^\uFEFF/, "").replace(/(?<!\\) +$/, ""));
    if (rule !== null) rules.push(rule);
  }
  return rules;
}

/** Which pattern is refused, and why; of its text only the beginning, quoted. */
export function refusedPattern(where: string, pattern: string, error: unknown): UaError {
  const [code, why] = isUaError(error) ? [error.code, error.message] : (["damaged", "cannot be read"] as const);
  const shown = pattern.length > MOST_SHOWN ? `${pattern.slice(0, MOST_SHOWN)}…` : pattern;
  return new UaError(code, `${where}: the pattern "${printable(shown)}" ${why}`, "shorten or remove it");
}

const MOST_SHOWN = 20;

function parseRule(pattern: string): IgnoreRule | null {
  const negated = pattern.startsWith("!");
  const body = pattern.slice(negated ? 1 : 0).toLowerCase();
  const onlyFolders = body.endsWith("/");
  const path = body.replace(/\/+$/, "").replace(/^\//, "");
  if (path === "") return null;
  const anyFolder = !body.replace(/\/+$/, "").includes("/");
  return { pattern, glob: parseGlob(path), negated, onlyFolders, anyFolder };
}

/** The rules of several files, the later ones over the earlier. */
export class PathFilter {
  readonly #rules: readonly IgnoreRule[];
  /** Folders that are known to be ignored or not: siblings ask for the same ones. */
  readonly #folders = new Map<string, boolean>([["", false]]);

  constructor(rules: readonly IgnoreRule[]) {
    this.#rules = rules.toReversed();
  }

  ignores(path: string): boolean {
    if (path.length > MOST_PATH) return true;
    const lower = path.toLowerCase();
    const slash = lower.lastIndexOf("/");
    return this.#isFolderIgnored(lower.slice(0, Math.max(slash, 0))) || this.#decide(lower, false);
  }

  /** What is in an ignored folder stays ignored, whatever is said of it. */
  #isFolderIgnored(folder: string): boolean {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const slash = folder.lastIndexOf("/");
    const found = this.#isFolderIgnored(folder.slice(0, Math.max(slash, 0))) || this.#decide(folder, true);
    this.#folders.set(folder, found);
    return found;
  }

  #decide(path: string, isFolder: boolean): boolean {
    const names = path.split("/");
    const last = [names.at(-1) ?? ""];
    const rule = this.#rules.find(
      (one) => (isFolder || !one.onlyFolders) && matchesGlob(one.glob, one.anyFolder ? last : names),
    );
    return rule !== undefined && !rule.negated;
  }
}

/** Whether one rule, alone and without its `!`, matches a path or a folder above it. */
export function matchesRule(rule: IgnoreRule, path: string): boolean {
  return new PathFilter([{ ...rule, negated: false }]).ignores(path);
}
