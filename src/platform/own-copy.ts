import { existsSync } from "node:fs";
import { join } from "node:path";

/** Whether this program is a clone's own copy (install/runtime.ts), which lies in the project's folder. */
export function isOwnCopy(): boolean {
  return import.meta.dirname.endsWith(join("ua-hooks", "runtime"));
}

/**
 * Whether a package may be loaded by its name. Node looks for it in every node_modules above; above a clone's own copy that is the
 * project's, where a branch decides what is in it (invariant "a checkout runs no code").
 */
export function mayLoadPackage(name: string): boolean {
  return !isOwnCopy() || existsSync(join(import.meta.dirname, "node_modules", name));
}
