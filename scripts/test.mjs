// Runs the tests: `node scripts/test.mjs [part of a file name …]`. Builds them first, so that Node 20 needs no loader,
// unless `--built` says that they are.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, freemem } from "node:os";
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

const IS_LONG = Object.keys(process.env).some((name) => /^UA_HOOKS_(LONG|SOAK|FUZZ)/.test(name));

/**
 * The seed of random tests: what is green here is green in CI. The long forms take the time as their seed. And commands by a process that has
 * the program loaded (test/support/commands.ts): half of the suite's CPU would be starts of it. In the long forms each has its own process.
 */
const SHORT = { UA_HOOKS_SEED: "40765", UA_HOOKS_TEST_COMMANDS: "served" };

const MEMORY = "/dev/shm";
const NAME = "ua-hooks-tests-";
const ENOUGH = 4 << 10; // megabytes; a run has some hundred of them at a time

/**
 * A folder for the tests' repositories that is no disk: a new file takes thirty times as long on one, and they make some
 * hundred thousand. None where there is too little room or programs may not run, where the caller has named a folder
 * (TMPDIR), and for the long forms: long runs must work on a disk.
 */
function folderInMemory() {
  if (process.env.TMPDIR || IS_LONG) return null;
  if (!existsSync(MEMORY)) return null;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, freemem()) / (1 << 20) < ENOUGH) return null;
  try {
    for (const name of readdirSync(MEMORY)) if (isLeft(name)) remove(join(MEMORY, name));
    const dir = mkdtempSync(join(MEMORY, NAME));
    chmodSync(dir, 0o711); // as in /tmp, another user comes through: some tests have one
    writeFileSync(join(dir, "program"), "#!/bin/sh\n", { mode: 0o700 });
    if (spawnSync(join(dir, "program")).status === 0) return dir;
    remove(dir);
  } catch {
    // not ours to write in
  }
  return null;
}

/** Of a run that was killed: no test has begun in it for an hour, and no other process would free the memory. */
const isLeft = (name) => name.startsWith(NAME) && Date.now() - statSync(join(MEMORY, name)).mtimeMs > 3_600_000;

const remove = (dir) => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });

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
/** Where the tests take longest: begun first, so that at the end no core waits for one file. */
const LONGEST = ["worker", "faults", "zoo", "agents", "install", "docs", "e2e", "security"];
const rank = (file) => (LONGEST.indexOf(relative(join(root, ".build/test"), file).split(/[\\/]/)[0]) + 100) % 100;
const files = walk(join(root, ".build/test"))
  .filter(isWanted)
  .sort((a, b) => rank(a) - rank(b));
// Tests wait for git, for hooks and now and then for a clock: three files at a time for each core.
const concurrency = String(3 * availableParallelism());
// V8's second compiler takes seconds for a grammar that parses ten lines. Hooks do without it, too (fingerprint/parser.ts).
const flags = ["--enable-source-maps", "--liftoff-only"];
const memory = folderInMemory();
// What is copied for many tests is where they are, too: programs are linked.
const folders = memory === null ? {} : { TMPDIR: memory, UA_HOOKS_TEST_KEPT: memory };
const env = { ...(IS_LONG ? {} : SHORT), ...testEnv(), ...folders };
const args = [...flags, join(import.meta.dirname, "run-tests.mjs"), concurrency, ...files];
const tests = spawn(process.execPath, args, { cwd: root, stdio: "inherit", env });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => tests.kill(signal));
tests.on("exit", (status) => {
  if (memory !== null) remove(memory);
  process.exit(status ?? 1);
});
