// Runs the tests: `node scripts/test.mjs [part of a file name …]`. Builds them first, so that Node 20 needs no loader,
// unless `--built` says that they are.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const run = (args) => spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env: testEnv() }).status ?? 1;

/**
 * Certificates and options of the caller's shell slow every Node start down and prove nothing; where a git hook runs
 * the tests, its GIT_DIR is not theirs.
 */
function testEnv() {
  const ours = Object.entries(process.env).filter(([name]) => !/^(GIT_|NODE_EXTRA_CA_CERTS$|NODE_OPTIONS$)/.test(name));
  return Object.fromEntries(ours);
}

function walk(dir, found = []) {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) walk(path, found);
    else if (entry.name.endsWith(".test.mjs")) found.push(path);
  }
  return found.sort();
}

const isBuilt = process.argv.includes("--built");
const built = isBuilt ? 0 : run(["scripts/build.mjs", "--tests"]);
if (built !== 0) process.exit(built);
const wanted = process.argv.slice(2).filter((part) => part !== "--built");
const isWanted = (file) => wanted.length === 0 || wanted.some((part) => relative(root, file).includes(part));
const files = walk(join(root, ".build/test")).filter(isWanted);
// Tests wait for git, for hooks and now and then for a clock: one file more at a time than there are cores.
const concurrency = `--test-concurrency=${availableParallelism() + 1}`;
// V8's second compiler takes seconds for a grammar that parses ten lines. Hooks do without it, too (fingerprint/parser.ts).
const flags = [concurrency, "--enable-source-maps", "--liftoff-only", "--test-reporter=spec"];
process.exit(run(["--test", ...flags, ...files]));
