import { dirOf, type FileIndex, joinInside } from "./file-index.js";
import { asObject, asString, asStrings, type JsonObject, parseJsonc } from "./jsonc.js";
import { memo } from "./memo.js";
import { MOST_TARGETS, type StarPatterns, starPatterns } from "./patterns.js";

/** The part of a tsconfig that maps names to paths, relative to the project root. */
export interface PathMapping {
  baseUrl: string | undefined;
  paths: StarPatterns<string[]> | undefined;
}

type ReadConfig = (path: string) => JsonObject | undefined;

const configNames = ["tsconfig.json", "jsconfig.json"];
/** Ends configs that extend each other in a circle. */
const maxDepth = 8;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of tsconfig, as it is written in the file
const configDirVariable = "${configDir}";

/** Finds the mappings for a directory: its own config first, then those of the referenced projects. */
export function createTsconfigs(
  index: FileIndex,
  readText: (path: string) => string | undefined,
): (dir: string) => PathMapping[] {
  const read = memo((path: string) => {
    const text = index.has(path) ? readText(path) : undefined;
    return text === undefined ? undefined : asObject(parseJsonc(text));
  });
  const mapping = memo((path: string) => readMapping(path, dirOf(path), read, index, 0));

  return memo((dir: string): PathMapping[] => {
    const own = configNames.map((name) => (dir === "" ? name : `${dir}/${name}`)).find((path) => index.has(path));
    if (own === undefined) return [];
    const references = read(own)?.references;
    const referenced = (Array.isArray(references) ? references : []).flatMap((entry) =>
      configAt(dir, asString(asObject(entry)?.path), ["", "/tsconfig.json"], index),
    );
    return [...new Set([own, ...referenced])].map(mapping).filter((found) => found !== undefined);
  });
}

function configAt(dir: string, path: string | undefined, endings: string[], index: FileIndex): string[] {
  const at = path === undefined ? undefined : joinInside(dir, path);
  if (at === undefined) return [];
  return endings
    .map((ending) => at + ending)
    .filter((candidate) => index.has(candidate))
    .slice(0, 1);
}

function readMapping(
  path: string,
  leafDir: string,
  read: ReadConfig,
  index: FileIndex,
  depth: number,
): PathMapping | undefined {
  const config = read(path);
  if (config === undefined || depth > maxDepth) return undefined;
  const dir = dirOf(path);
  // With several bases the later one wins. Bases in npm packages are outside the project.
  const inherited = asStrings(config.extends)
    .filter((base) => base.startsWith("."))
    .flatMap((base) => configAt(dir, base, ["", ".json", "/tsconfig.json"], index))
    .map((base) => readMapping(base, leafDir, read, index, depth + 1))
    .findLast((found) => found !== undefined && (found.baseUrl !== undefined || found.paths !== undefined));
  const place = (from: string, target: string) =>
    target.startsWith(configDirVariable)
      ? joinInside(leafDir, `./${target.slice(configDirVariable.length)}`)
      : joinInside(from, target);

  const options = asObject(config.compilerOptions) ?? {};
  const ownBase = asString(options.baseUrl);
  const baseUrl = ownBase === undefined ? inherited?.baseUrl : place(dir, ownBase);
  const ownPaths = asObject(options.paths);
  if (ownPaths === undefined) return { baseUrl, paths: inherited?.paths };
  const targetsOf = (targets: unknown) =>
    asStrings(targets)
      .slice(0, MOST_TARGETS)
      .map((target) => place(baseUrl ?? dir, target))
      .filter((target) => target !== undefined);
  const entries = Object.entries(ownPaths).map(([key, targets]) => [key, targetsOf(targets)] as const);
  return { baseUrl, paths: entries.length > 0 ? starPatterns(entries) : undefined };
}
