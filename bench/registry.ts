import { join } from "node:path";
import { openState } from "../src/store/state.js";
import type { Bench } from "./bench.js";
import { interleave, type Row, row, time } from "./measure.js";
import { cleanEnv, dist, installOurs, makeRepo, type Place } from "./repos.js";

/** What the registry's verification costs: where it can trust, where it compares every path, where it hashes every byte. */
export async function registryRows(bench: Bench): Promise<Row[]> {
  return [...(await smallRows(bench)), ...(bench.quick ? [] : await largeRows(bench))];
}

async function smallRows({ base, quick, rounds }: Bench): Promise<Row[]> {
  const small = makeRepo(base, "registry-500", 500);
  installOurs(small);
  ua(small, "registry", "verify");
  const samples = await interleave(quick ? 11 : rounds(31), {
    node: () => time(process.execPath, ["-e", "0"], { cwd: base, env: cleanEnv(base) }),
    trusted: () => ua(small, "registry", "verify"),
    compared: () => afterLoss(small),
    rehashed: () => ua(small, "registry", "verify", "--rehash"),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [
    row("registry, 500 files, trusted ÷ node -e 0", of("trusted"), of("node"), 3),
    row("registry, 500 files, every path compared ÷ node -e 0", of("compared"), of("node"), 3),
    row("registry, 500 files, every path compared ÷ 100 ms", of("compared"), [100], 1),
    row("registry, 500 files, --rehash ÷ 100 ms", of("rehashed"), [100], 1),
  ];
}

async function largeRows({ base, rounds }: Bench): Promise<Row[]> {
  const large = makeRepo(base, "registry-large", 50_000);
  // No graph: parsing so many files is another row's, and the registry needs none.
  ua(large, "install", "--no-init");
  ua(large, "registry", "verify");
  const samples = await interleave(rounds(11), {
    status: () => time("git", ["status"], { cwd: large.dir, env: { ...large.env, GIT_OPTIONAL_LOCKS: "0" } }),
    compared: () => afterLoss(large),
    rehashed: () => ua(large, "registry", "verify", "--rehash"),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [
    row("registry, 50,000 files, every path compared ÷ git status", of("compared"), of("status"), 6),
    row("registry, 50,000 files, --rehash ÷ git status", of("rehashed"), of("status"), null),
  ];
}

function ua({ dir, env }: Place, ...args: string[]): number {
  return time(process.execPath, [join(dist, "cli.cjs"), ...args], { cwd: dir, env });
}

/** The verified commit is gone, as after a rebase and a collection: no diff can say what changed. */
async function afterLoss(place: Place): Promise<number> {
  const db = await openState(join(place.dir, ".git/ua-hooks"));
  db.run("UPDATE registry_views SET last_verified_sha = ?, asked_sha = NULL", "f".repeat(40));
  db.close();
  return ua(place, "registry", "verify");
}
