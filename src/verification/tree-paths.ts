import { isRegularFile, listTree } from "../git/trees.js";
import type { Rules } from "../repository/rules.js";
import { topDirectory } from "./decide.js";

/** The covered paths of a commit's tree. */
export async function coveredPaths(cwd: string, commit: string, rules: Rules): Promise<string[]> {
  const entries = await listTree(cwd, commit);
  return entries.filter(({ path, mode }) => isRegularFile(mode) && rules.covers(path, false)).map(({ path }) => path);
}

/** The source files at one point of the walk. On side branches it is what the walk has seen so far. */
export class TreePaths {
  readonly #paths: Set<string>;
  readonly #directories = new Map<string, number>();

  constructor(paths: Iterable<string>) {
    this.#paths = new Set();
    for (const path of paths) this.add(path);
  }

  get size(): number {
    return this.#paths.size;
  }

  readonly hasDirectory = (directory: string, except: ReadonlySet<string>): boolean => {
    let count = this.#directories.get(directory) ?? 0;
    for (const path of except) if (topDirectory(path) === directory && this.#paths.has(path)) count--;
    return count > 0;
  };

  add(path: string): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    this.#count(path, 1);
  }

  remove(path: string): void {
    if (this.#paths.delete(path)) this.#count(path, -1);
  }

  #count(path: string, by: number): void {
    const directory = topDirectory(path);
    if (directory !== null) this.#directories.set(directory, (this.#directories.get(directory) ?? 0) + by);
  }
}
