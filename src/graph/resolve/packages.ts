import { baseOf, dirOf, type FileIndex, joinInside, upwards } from "./file-index.js";
import { asObject, asString, type JsonObject, parseJsonc } from "./jsonc.js";
import { lazily, memo } from "./memo.js";
import { fillStar, MOST_TARGETS, matchStar, type StarPatterns, starPatterns } from "./patterns.js";

/** Resolves names of this project's own packages through package.json. Returns paths to try, best first. */
export interface Packages {
  /** `#name` in the `imports` of the nearest package.json. */
  internal(fromDir: string, specifier: string): string[];
  /** A workspace package by its name, with or without a path below it. */
  workspace(specifier: string): string[];
}

/** Build output folders that git does not track; the source of the same name is in `src`. */
const builtFolder = /^(?:dist|build|lib|out|es|esm|cjs)(?:\/(?:esm|cjs|es|types))?\//;

export function createPackages(index: FileIndex, readText: (path: string) => string | undefined): Packages {
  const read = memo((path: string) => {
    const text = index.has(path) ? readText(path) : undefined;
    return text === undefined ? undefined : asObject(parseJsonc(text));
  });
  const byName = lazily(() => {
    const dirs = new Map<string, { dir: string; manifest: JsonObject }>();
    for (const path of index.files) {
      if (baseOf(path) !== "package.json") continue;
      const manifest = read(path);
      const name = asString(manifest?.name);
      if (manifest && name && !dirs.has(name)) dirs.set(name, { dir: dirOf(path), manifest });
    }
    return dirs;
  });

  return {
    internal(fromDir, specifier) {
      const dir = upwards(fromDir).find((at) => index.has(at === "" ? "package.json" : `${at}/package.json`));
      if (dir === undefined) return [];
      const imports = asObject(read(dir === "" ? "package.json" : `${dir}/package.json`)?.imports) ?? {};
      return entryTargets(imports, specifier).flatMap((target) => sourceCandidates(dir, target));
    },
    workspace(specifier) {
      const [name, below] = splitPackageName(specifier);
      const found = byName().get(name);
      if (found === undefined) return [];
      return below === ""
        ? mainCandidates(found.dir, found.manifest)
        : pathCandidates(found.dir, found.manifest, below);
    },
  };
}

/** `@scope/pkg/a/b` → [`@scope/pkg`, `a/b`]. */
export function splitPackageName(specifier: string): [name: string, below: string] {
  const parts = specifier.split("/");
  const count = specifier.startsWith("@") ? 2 : 1;
  return [parts.slice(0, count).join("/"), parts.slice(count).join("/")];
}

function mainCandidates(dir: string, manifest: JsonObject): string[] {
  const exported = asObject(manifest.exports);
  const targets = [
    asString(manifest.source),
    ...(exported && !("." in exported) && !hasSubpaths(exported) ? conditionTargets(exported) : []),
    ...(exported ? entryTargets(exported, ".") : conditionTargets(manifest.exports)),
    asString(manifest.module),
    asString(manifest.main),
    asString(manifest.types),
    "./src/index",
    "./index",
    "./lib/index",
  ];
  return targets.filter((target) => target !== undefined).flatMap((target) => sourceCandidates(dir, target));
}

function pathCandidates(dir: string, manifest: JsonObject, below: string): string[] {
  const targets = [...entryTargets(asObject(manifest.exports) ?? {}, `./${below}`), `./${below}`, `./src/${below}`];
  return targets.flatMap((target) => sourceCandidates(dir, target));
}

function hasSubpaths(exported: JsonObject): boolean {
  return Object.keys(exported).some((key) => key.startsWith("."));
}

/** A manifest is read once, and asked for every import. */
const patternsOf = new WeakMap<JsonObject, StarPatterns<unknown>>();

function entryTargets(entries: JsonObject, wanted: string): string[] {
  const patterns = patternsOf.get(entries) ?? starPatterns(Object.entries(entries));
  patternsOf.set(entries, patterns);
  const match = matchStar(patterns, wanted);
  if (match === undefined) return [];
  const targets = conditionTargets(match.value).slice(0, MOST_TARGETS);
  return targets.flatMap((target) => fillStar(target, match.rest));
}

/** Every file that a target names under any condition, in order. */
function conditionTargets(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(conditionTargets);
  return Object.values(asObject(value) ?? {}).flatMap(conditionTargets);
}

/** The target itself, and the source it was built from. */
function sourceCandidates(dir: string, target: string): string[] {
  const plain = target.startsWith("./") ? target.slice(2) : target;
  const variants = [plain, plain.replace(builtFolder, "src/"), plain.replace(builtFolder, "")];
  return [...new Set(variants)].map((variant) => joinInside(dir, variant)).filter((path) => path !== undefined);
}
