import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dist } from "./repo.js";

/** Only the loop of statements comes by their points, and it is switched off by default. */
const BEHIND_THE_SWITCH = new Set(["sync", "graph-pieces.ts"]);

/** Every fault point in the source, so that a new one is tried without a word here. */
export function allPoints(): string[] {
  return [...new Set(pointsIn(join(dist, "../src")))].sort();
}

function pointsIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (BEHIND_THE_SWITCH.has(entry.name)) return [];
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return pointsIn(path);
    return [...readFileSync(path, "utf8").matchAll(/faultPoint\("([^"]+)"\)/g)].map((match) => match[1] ?? "");
  });
}
