import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { noNamespace } from "../support/mounts.js";
import { root } from "../support/repo.js";

const skip = process.platform === "linux" ? noNamespace() : "the beds are for Linux";

/** The cheap ones of scripts/beds/: a Debian or Ubuntu has what they need. docs/platforms.md has all of them. */
const BEDS = ["macOS-like, bash as sh", "BusyBox as sh", "a setsid that fails"];

test("beds of other systems: verdicts and Node starts as on plain Linux, no process left", { skip }, (t) => {
  const args = [join(root, "scripts/beds/beds.mjs"), ...BEDS];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
  for (const bed of BEDS) assert.match(stdout, new RegExp(`^(\\| )?${bed}`, "m"));
  for (const [line] of stdout.matchAll(/^.*: left out, .*$/gm)) t.diagnostic(line);
});
