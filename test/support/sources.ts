import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { dist } from "./repo.js";

export const root = join(dist, "..");

/** The paths of all files of a folder of this repository, or of one file, from the root. */
export function filesOf(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

export const sourceText = (file: string) => readFileSync(join(root, file), "utf8");
