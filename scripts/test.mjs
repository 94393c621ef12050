// Runs the tests: `node scripts/test.mjs [part of a file name …]`. Builds them first, so that Node 20 needs no loader.
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

const built = run(["scripts/build.mjs", "--tests"]);
if (built !== 0) process.exit(built);
const wanted = process.argv.slice(2);
const isWanted = (file) => wanted.length === 0 || wanted.some((part) => relative(root, file).includes(part));
const files = walk(join(root, ".build/test")).filter(isWanted);
// Tests mostly wait for git and for hooks: as many files at a time as there are cores.
const concurrency = `--test-concurrency=${availableParallelism()}`;
process.exit(run(["--test", concurrency, "--enable-source-maps", "--test-reporter=spec", ...files]));
