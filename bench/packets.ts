import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Part } from "./bench.js";
import { interleave, row, time } from "./measure.js";
import { CHANGED, dist, editAndCommit, installOurs, makeRepo, type Place } from "./repos.js";

/** What it costs to hand an agent the packet of one changed file, over comparing the same file. */
export const packetRows: Part = async ({ base, quick, rounds }) => {
  const place = makeRepo(base, "packets", 500);
  installOurs(place);
  editAndCommit(place, [CHANGED]);
  const { lease } = JSON.parse(run(place, "claim", "--json")) as { lease: { id: string } };
  const samples = await interleave(quick ? 11 : rounds(31), {
    check: () => ua(place, "check", "--json"),
    claim: () => ua(place, "claim", "--lease", lease.id, "--json"),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [row("claim with the packet of one file ÷ check", of("claim"), of("check"), 2)];
};

const args = (given: readonly string[]) => [join(dist, "cli.cjs"), ...given];

function run({ dir, env }: Place, ...given: string[]): string {
  return execFileSync(process.execPath, args(given), { cwd: dir, env, encoding: "utf8" });
}

function ua({ dir, env }: Place, ...given: string[]): number {
  return time(process.execPath, args(given), { cwd: dir, env });
}
