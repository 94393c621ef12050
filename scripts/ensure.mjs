// Brings a fresh clone to a state in which everything runs: dependencies as locked, then the build. Called by the scripts
// themselves: under ignore-scripts (.npmrc) npm runs no pre- and post-scripts of ours either.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const run = (command, args) => {
  // On Windows npm is a script, which only a shell starts.
  const shell = command === "npm" && process.platform === "win32";
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit", shell });
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

if (!installed()) run("npm", ["ci", "--ignore-scripts"]);
run(process.execPath, ["scripts/build.mjs", ...process.argv.slice(2)]);
