import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cleanEnv, git, type Place } from "./repos.js";

const nameOf = (at: number) => `m${String(at).padStart(6, "0")}`;
export const pathOf = (at: number) => `pkg${at % 40}/part${Math.floor(at / 40) % 25}/${nameOf(at)}.ts`;

/** The function that every file uses. */
export const USED_BY_ALL = `${nameOf(0)}f0`;

/** Documented functions that call each other and those of four other files; every file uses the first one. */
function textOf(at: number, files: number, functions: number): string {
  const others = [...new Set([0, (at * 7 + 1) % files, (at * 13 + 5) % files, (at * 31 + 11) % files])];
  const used = others.filter((other) => other !== at);
  const imports = used.map((other) => {
    const name = nameOf(other);
    return `import { ${name}f0, ${name}f1 } from "../../${pathOf(other).replace(/ts$/, "js")}";`;
  });
  const bodies = Array.from({ length: functions }, (_, f) => {
    const other = nameOf(used[f % used.length] ?? 0);
    const before = f === 0 ? "first" : `first + ${nameOf(at)}f${f - 1}(other)`;
    return `/** Computes value ${f} of module ${at} from its input. */
export function ${nameOf(at)}f${f}(input: number, other = ${f}): number {
  const first = ${other}f${f % 2}(input + other);
  return ${before};
}
`;
  });
  return [...imports, ...bodies].join("\n");
}

export function makeLarge(base: string, files: number, functions = 20): Place {
  const place = { dir: join(base, "large"), env: cleanEnv(base) };
  for (let at = 0; at < files; at++) {
    const file = join(place.dir, pathOf(at));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(at, files, functions));
  }
  git(place, "init", "-q", "-b", "main");
  commitUnseen(place, "start");
  return place;
}

/** A commit that no hook sees. */
export function commitUnseen(place: Place, message: string): void {
  const unseen = { ...place, env: { ...place.env, UA_HOOKS: "0" } };
  git(unseen, "add", "-A");
  git(unseen, "commit", "-q", "-m", message);
}
