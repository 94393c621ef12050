import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dist } from "./repo.js";

/** Every fault point in the source, so that a new one is tried without a word here. */
export function allPoints(): string[] {
  return [...new Set(pointsIn(join(dist, "../src")))].sort();
}

function pointsIn(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return pointsIn(path);
    return [...readFileSync(path, "utf8").matchAll(/faultPoint\("([^"]+)"\)/g)].map((match) => match[1] ?? "");
  });
}
