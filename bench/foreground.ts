import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import { interleave, row, time } from "./measure.js";
import { cleanEnv, git, installOurs, makeRepo, type Place } from "./repos.js";

/** What a foreground run costs over starting Node at all. */
export const foregroundRows: Part = async ({ base, quick, rounds }) => {
  const small = makeRepo(base, "small", 500);
  const large = makeRepo(base, "large", quick ? 10_000 : 50_000);
  installOurs(small);
  installOurs(large);
  const samples = await interleave(rounds(41), {
    node: () => time(process.execPath, ["-e", "0"], { cwd: base, env: cleanEnv(base) }),
    nothing: () => hook(small),
    small: () => changed(small),
    large: () => changed(large),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [
    row("nothing changed, foreground ÷ node -e 0", of("nothing"), of("node"), 2),
    row("one changed TypeScript file, Phase 0+1, foreground ÷ node -e 0", of("small"), of("node"), 4),
    row(`one changed file in ${quick ? "10,000" : "50,000"} files ÷ in 500`, of("large"), of("small"), 1.5),
  ];
};

/** As git runs it, with git waiting: the hook file, the shim, Node. */
function hook({ dir, env }: Place): number {
  return time("sh", [".git/hooks/post-commit"], { cwd: dir, env: { ...env, UA_HOOKS_FOREGROUND: "1" } });
}

let edits = 0;

function changed(place: Place): number {
  const { dir, env } = place;
  const path = join(dir, "src/d1/f107.ts");
  const text = readFileSync(path, "utf8").replace(/^export const added.*\n/m, "");
  writeFileSync(path, `${text}export const added${edits++} = () => ${edits};\n`);
  git({ dir, env: { ...env, UA_HOOKS: "0" } }, "commit", "-q", "-a", "-m", "edit");
  return hook(place);
}
