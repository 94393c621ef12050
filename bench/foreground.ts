import type { Part } from "./bench.js";
import { interleave, row, time } from "./measure.js";
import { cleanEnv, hook, hookAfterEdit, installOurs, makeRepo } from "./repos.js";

/** Below Node 22.13 SQLite is a binary of its own, and V8's compiled code is kept by us. */
function foregroundBar(): number {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 13) ? 3 : 3.5;
}

/** What a foreground run costs over starting Node at all. */
export const foregroundRows: Part = async ({ base, quick, rounds }) => {
  const files = quick ? 3_000 : 50_000;
  const small = makeRepo(base, "small", 500);
  const large = makeRepo(base, "large", files, quick ? 500 : files);
  installOurs(small);
  installOurs(large);
  const samples = await interleave(quick ? 11 : rounds(41), {
    node: () => time(process.execPath, ["-e", "0"], { cwd: base, env: cleanEnv(base) }),
    nothing: () => hook(small),
    small: () => hookAfterEdit(small),
    large: () => hookAfterEdit(large),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [
    row("nothing changed, foreground ÷ node -e 0", of("nothing"), of("node"), 2),
    row("one changed TypeScript file, Phase 0+1, foreground ÷ node -e 0", of("small"), of("node"), foregroundBar()),
    row(`one changed file in ${files.toLocaleString("en")} files ÷ in 500`, of("large"), of("small"), 1.5),
  ];
};
