import type { Part } from "./bench.js";
import { cpuOfOne, interleave, type Row, row, time, withCpu } from "./measure.js";
import {
  CHANGED,
  cleanEnv,
  editAndCommit,
  HOOK,
  hook,
  hookAfterEdit,
  installOurs,
  makeRepo,
  type Place,
  withForeground,
} from "./repos.js";

/** Below Node 22.13 SQLite is a binary of its own, and V8's compiled code is kept by us. */
function foregroundBar(): number {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 13) ? 3 : 3.5;
}

/** As README's table finds it. */
export const ONE_FILE = "one changed TypeScript file, Phase 0+1, foreground ÷ node -e 0";

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
  const one = row(ONE_FILE, of("small"), of("node"), foregroundBar());
  return [
    row("nothing changed, foreground ÷ node -e 0", of("nothing"), of("node"), 2),
    await inCpu(one, small, quick ? 5 : rounds(21)),
    row(`one changed file in ${files.toLocaleString("en")} files ÷ in 500`, of("large"), of("small"), 1.5),
  ];
};

/** On one core, as CPU time: what V8 compiles beside the main thread is in it. */
async function inCpu(timed: Row, place: Place, rounds: number): Promise<Row> {
  const here = withForeground(place);
  if (cpuOfOne("true", { cwd: here.dir, env: here.env }) === null) return timed;
  const samples = await interleave(rounds, {
    node: () => cpuOfOne(`'${process.execPath}' -e 0`, { cwd: here.dir, env: cleanEnv(here.dir) }) ?? 0,
    hook: () => {
      editAndCommit(place, [CHANGED]);
      return cpuOfOne(`sh ${HOOK}`, { cwd: here.dir, env: here.env }) ?? 0;
    },
  });
  return withCpu(timed, samples.get("hook") ?? [], samples.get("node") ?? []);
}
