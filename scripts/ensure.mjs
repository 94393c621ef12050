// Brings a fresh clone to a state in which everything runs: dependencies as locked, then the build. Called by the scripts
// themselves: under ignore-scripts (.npmrc) npm runs no pre- and post-scripts of ours either.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const run = (command, args) => {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
};

/** npm leaves a copy of the lock file it installed from; an older one means that dependencies changed. */
function installed() {
  const mark = join(root, "node_modules/.package-lock.json");
  if (!existsSync(mark)) return false;
  const lock = join(root, "package-lock.json");
  if (statSync(mark).mtimeMs >= statSync(lock).mtimeMs) return true;
  const wanted = JSON.parse(readFileSync(lock, "utf8")).packages;
  const have = JSON.parse(readFileSync(mark, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || entry.optional || have[path]?.version === entry.version,
  );
}

// Not `npm ci`: it refuses a lock file that lacks a platform's optional package which the registry did not offer when
// the lock was made. This keeps to the lock all the same, and leaves the file alone.
if (!installed()) run("npm", ["install", "--no-save", "--ignore-scripts"]);
run(process.execPath, ["scripts/build.mjs", ...process.argv.slice(2)]);
