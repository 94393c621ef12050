import type { EdgeContext } from "./edge-context.js";
import { byText } from "./order.js";

/** The files that import one of these, sorted, without these files themselves. */
export function dependentsOf(paths: Iterable<string>, context: EdgeContext): string[] {
  const wanted = new Set(paths);
  if (wanted.size === 0) return [];
  const found: string[] = [];
  for (const path of context.paths()) {
    const fp = wanted.has(path) ? undefined : context.fingerprintOf(path);
    if (
      fp !== undefined &&
      context.targetsOf(path, fp).some((targets) => targets.some((target) => wanted.has(target)))
    ) {
      found.push(path);
    }
  }
  return found.sort(byText);
}
