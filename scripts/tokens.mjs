// What a model would have read for the last commits of real repositories: by packets, for each value of the config's
// `refresh`, and by the whole files that changed in structure. `node scripts/tokens.mjs [--write] 150 <clone> …` prints the
// table; with --write it goes into bench/tokens.json, docs/benchmarks.md and README.md.
import { execFileSync, spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { storeAndWrite } from "./page.mjs";
import { tokensText } from "./parts/tokens.mjs";

const root = join(import.meta.dirname, "..");
const cli = process.env.UA_HOOKS_CLI ?? join(root, "dist", "cli.cjs");
const [isWritten, given] = [process.argv.includes("--write"), process.argv.slice(2).filter((one) => one !== "--write")];
const [last = "150", ...clones] = given;

function measure(clone) {
  const args = [cli, "replay", "--last", last, "--policies", "--json"];
  const options = { cwd: clone, encoding: "utf8", maxBuffer: 1 << 30, env: { ...process.env, UA_HOOKS: "0" } };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`${clone}: replay exited ${status}: ${stderr}`);
  const touching = JSON.parse(stdout).commits.filter(({ changed }) => changed > 0);
  const sum = (pick) => touching.reduce((total, one) => total + pick(one), 0);
  const policy = (name) => ({
    tokens: sum(({ tokens }) => tokens.packets[name]),
    free: touching.filter(({ tokens }) => tokens.packets[name] === 0).length,
  });
  process.stderr.write(`${clone}: ${touching.length} commits touch source\n`);
  return {
    name: basename(clone).replace(/^.*\+/, ""),
    commit: execFileSync("git", ["rev-parse", "HEAD"], { cwd: clone, encoding: "utf8" }).trim(),
    ...{ commits: touching.length, whole: sum(({ tokens }) => tokens.structuralFiles) },
    ...{ structural: policy("structural"), behaviour: policy("behaviour"), every: policy("every") },
  };
}

const found = { last: Number(last), repositories: clones.map(measure) };
process.stdout.write(tokensText(found));
if (isWritten) storeAndWrite("tokens", found);
