// Runs the tests: `node scripts/test.mjs [part of a file name …]`. Builds them first, so that Node 20 needs no loader.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const run = (args) => spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env: testEnv() }).status ?? 1;

/** Certificates and options of the caller's shell slow every Node start down and prove nothing. */
function testEnv() {
  const { NODE_EXTRA_CA_CERTS: _certs, NODE_OPTIONS: _options, ...env } = process.env;
  return env;
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
const files = walk(join(root, ".build/test")).filter((f) => wanted.length === 0 || wanted.some((w) => f.includes(w)));
process.exit(run(["--test", "--enable-source-maps", "--test-reporter=spec", ...files]));
