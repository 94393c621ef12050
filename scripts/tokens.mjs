// What a model would have read for the last commits of real repositories: by packets, for each value of the config's
// `refresh`, and by the whole files that changed in structure. `node scripts/tokens.mjs [--write] 150 <clone> …` prints the
// table; with --write it goes into docs/benchmarks.md.
import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { writeBetween } from "./page.mjs";

const root = join(import.meta.dirname, "..");
const cli = process.env.UA_HOOKS_CLI ?? join(root, "dist", "cli.cjs");
const [isWritten, given] = [process.argv.includes("--write"), process.argv.slice(2).filter((one) => one !== "--write")];
const [last = "150", ...clones] = given;

const number = new Intl.NumberFormat("en").format;
const share = (part, whole) => (whole === 0 ? "" : (part / whole).toFixed(3));
const percent = (part, whole) => (whole === 0 ? "" : `${Math.round((100 * part) / whole)} %`);

/** Counted here once more: the totals of several repositories are not the mean of their shares. */
function measure(clone) {
  const args = [cli, "replay", "--last", last, "--policies", "--json"];
  const options = { cwd: clone, encoding: "utf8", maxBuffer: 1 << 30, env: { ...process.env, UA_HOOKS: "0" } };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`${clone}: replay exited ${status}: ${stderr}`);
  const touching = JSON.parse(stdout).commits.filter(({ changed }) => changed > 0);
  const sum = (pick) => touching.reduce((total, one) => total + pick(one), 0);
  const policies = ["structural", "behaviour", "every"].map((name) => ({
    tokens: sum(({ tokens }) => tokens.packets[name]),
    free: touching.filter(({ tokens }) => tokens.packets[name] === 0).length,
  }));
  const name = basename(clone).replace(/^.*\+/, "");
  return { name, commits: touching.length, whole: sum(({ tokens }) => tokens.structuralFiles), policies };
}

function row({ name, commits, whole, policies }) {
  const free = policies.map((one) => percent(one.free, commits));
  const cost = policies.map(({ tokens }) => share(tokens, whole));
  return [name, number(commits), ...free, number(whole), number(policies[0]?.tokens ?? 0), ...cost];
}

const HEAD = [
  ...["repository", "commits that touch source"],
  ...["zero tokens: structural", "behaviour", "every"],
  ...["tokens, whole files", "by packets", "÷ structural", "÷ behaviour", "÷ every"],
];

function total(rows) {
  const add = (pick) => rows.reduce((all, one) => all + pick(one), 0);
  const policies = [0, 1, 2].map((at) => ({
    tokens: add(({ policies: each }) => each[at]?.tokens ?? 0),
    free: add(({ policies: each }) => each[at]?.free ?? 0),
  }));
  return { name: "all", commits: add((one) => one.commits), whole: add((one) => one.whole), policies };
}

const rows = clones.map((clone) => {
  const measured = measure(clone);
  process.stderr.write(`${row(measured).join("  ")}\n`);
  return measured;
});
const lines = [HEAD, ["---", ...HEAD.slice(1).map(() => "---:")], ...[...rows, total(rows)].map(row)];
const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
process.stdout.write(`${table}\n`);
if (isWritten) writeBetween("tokens", table);
