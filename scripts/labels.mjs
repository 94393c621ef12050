// How well `behaviour` finds the changes after which a sentence is false: `node scripts/labels.mjs <folder of clones>`
// compares bench/behaviour-labels.json with the verdicts of this build. A clone is <folder>/<owner>+<name>. Needs dist/.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compareFingerprints, fingerprintText } from "../dist/index.js";

const [folder = "."] = process.argv.slice(2);
const { labels } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "bench", "behaviour-labels.json"), "utf8"));
const OPTIONS = { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] };

/** The 95 % interval of a share (Wilson). */
function interval(part, whole) {
  if (whole === 0) return "";
  const [z, share] = [1.96, part / whole];
  const middle = share + (z * z) / (2 * whole);
  const half = z * Math.sqrt((share * (1 - share)) / whole + (z * z) / (4 * whole * whole));
  const shown = (value) => `${((100 * value) / (1 + (z * z) / whole)).toFixed(1)}`;
  return `${((100 * part) / whole).toFixed(1)} % (${shown(middle - half)} to ${shown(middle + half)})`;
}

const read = [];
for (const [repository, commit, path, first, second] of labels) {
  const clone = join(folder, repository.replace("/", "+"));
  if (!existsSync(clone)) continue;
  const blob = (at) => execFileSync("git", ["-C", clone, "show", `${at}:${path}`], OPTIONS);
  const [before, after] = [await fingerprintText(path, blob(`${commit}^`)), await fingerprintText(path, blob(commit))];
  const { drift } = compareFingerprints(before, after);
  read.push({
    name: `${repository} ${commit.slice(0, 10)} ${path}`,
    drift,
    isFalse: first + second === 2,
    isOdd: first !== second,
  });
}
const count = (test) => read.filter(test).length;
const [all, falsified] = [read.length, count(({ isFalse }) => isFalse)];
const flagged = count(({ drift }) => drift !== "body");
const found = count(({ drift, isFalse }) => drift !== "body" && isFalse);
process.stdout.write(`${all} changes, ${count(({ isOdd }) => isOdd)} of them read differently the second time
a summary became false: ${falsified}, ${interval(falsified, all)}
flagged: ${flagged}, ${interval(flagged, all)}
precision: ${interval(found, flagged)}
recall: ${interval(found, falsified)}
false and not flagged: ${interval(falsified - found, all)}
`);
for (const { name, drift, isFalse } of read)
  if (isFalse && drift === "body") process.stdout.write(`not flagged: ${name}\n`);
