import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "../errors.js";

/**
 * Creates a folder below `home`, which must exist: a repository or state dir that was moved or removed meanwhile is not created again in
 * its old place, which a recursive mkdir would do.
 */
export function makeFolder(path: string, home: string, mode = 0o700): void {
  const missing: string[] = [];
  for (let dir = path; dir !== home && dir !== dirname(dir) && !existsSync(dir); dir = dirname(dir)) missing.push(dir);
  for (const dir of missing.reverse()) {
    try {
      mkdirSync(dir, { mode });
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error; // another process created it
    }
  }
}
