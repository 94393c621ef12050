import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readTextIfThere } from "./files.js";

/** The shim's last line; without it the writer is not through yet, or was killed. */
export function isWhole(text: string): boolean {
  return text.endsWith("end\n");
}

export function parseRewrites(text: string): [string, string][] {
  return text.split("\n").flatMap((line) => {
    const match = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64})( |$)/.exec(line);
    return match?.[1] !== undefined && match[2] !== undefined ? [[match[1], match[2]] as [string, string]] : [];
  });
}

/** What post-rewrite told and no runner has taken in yet: a reader that follows commits must not miss it. */
export function waitingRewrites(stateDir: string): Map<string, string> {
  const dir = join(stateDir, "rewrites");
  const texts = (existsSync(dir) ? readdirSync(dir) : []).map((name) => readTextIfThere(join(dir, name)) ?? "");
  return new Map(texts.filter(isWhole).flatMap(parseRewrites));
}
