import { posix } from "node:path";
import { byText } from "../order.js";
import { lazily } from "./memo.js";

/** The project's files by name, by directory and by the end of a path. */
export interface FileIndex {
  readonly files: readonly string[];
  has(path: string): boolean;
  hasDir(dir: string): boolean;
  /** Direct children of a directory, sorted; "" is the project root. */
  filesIn(dir: string): readonly string[];
  named(basename: string): readonly string[];
  /** Files whose path is `suffix` or ends with `/suffix`, sorted. */
  endingWith(suffix: string): string[];
  /** Directories whose path is `suffix` or ends with `/suffix`, sorted; only those that hold files directly. */
  dirsEndingWith(suffix: string): string[];
}

export function dirOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A path below the project root, or undefined if it leaves the project. */
export function joinInside(dir: string, relative: string): string | undefined {
  const joined = posix.normalize(posix.join(dir === "" ? "." : dir, relative)).replace(/\/$/, "");
  if (joined === "..") return undefined;
  if (joined.startsWith("../") || joined.startsWith("/")) return undefined;
  return joined === "." ? "" : joined;
}

/** From the directory itself up to the root "". */
export function upwards(dir: string): string[] {
  const dirs = [dir];
  for (let at = dir; at !== ""; ) {
    at = dirOf(at);
    dirs.push(at);
  }
  return dirs;
}

/** The candidates that share the longest directory with `from`: the nearer of two equal names is meant. */
export function nearest(from: string, candidates: readonly string[]): string[] {
  let best: string[] = [];
  let depth = -1;
  for (const candidate of candidates) {
    const shared = sharedDepth(from, candidate);
    if (shared > depth) [best, depth] = [[candidate], shared];
  }
  return best;
}

function sharedDepth(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  let depth = 0;
  while (depth < left.length - 1 && depth < right.length - 1 && left[depth] === right[depth]) depth++;
  return depth;
}

export function createFileIndex(paths: Iterable<string>): FileIndex {
  const files = [...new Set(paths)].sort(byText);
  const known = new Set(files);
  const byDir = groupBy(files, dirOf);
  const byBase = lazily(() => groupBy(files, baseOf));
  const dirsByBase = lazily(() => groupBy([...byDir.keys()].sort(byText), baseOf));
  const dirs = lazily(() => new Set([...byDir.keys()].flatMap(upwards)));
  const endsWith = (path: string, suffix: string) => path === suffix || path.endsWith(`/${suffix}`);

  return {
    files,
    has: (path) => known.has(path),
    hasDir: (dir) => dirs().has(dir),
    filesIn: (dir) => byDir.get(dir) ?? [],
    named: (basename) => byBase().get(basename) ?? [],
    endingWith: (suffix) => (byBase().get(baseOf(suffix)) ?? []).filter((path) => endsWith(path, suffix)),
    dirsEndingWith: (suffix) => (dirsByBase().get(baseOf(suffix)) ?? []).filter((dir) => endsWith(dir, suffix)),
  };
}

function groupBy(items: readonly string[], keyOf: (item: string) => string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
