// How well `behaviour` finds the changes after which a sentence is false. Needs dist/. A clone is <folder>/<owner>+<name>.
//   node scripts/labels.mjs <folder of clones> [--write]    compares bench/behaviour-labels.json with the verdicts of this build; --write: into
//                                                           docs/benchmarks.md
//   node scripts/labels.mjs draw <folder> <into> <n> <seed> draws n changes per clone: <into>/items/NN.txt for readers, <into>/index.json
//   node scripts/labels.mjs collect <index.json> <answers>  writes the labels file from <answers>/<reader>/NN.json of two readers, and a third one's
// Each NN.json is an object from the id of an item to "true", "incomplete" or "false"; the third reader, whose name is last in
// order, reads the items that the first two disagree on.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { collect } from "./labels/collect.mjs";
import { draw } from "./labels/draw.mjs";
import { report } from "./labels/report.mjs";
import { verdicts } from "./labels/verdicts.mjs";
import { writeBetween } from "./page.mjs";

const file = join(import.meta.dirname, "..", "bench", "behaviour-labels.json");
const [command = ".", ...rest] = process.argv.slice(2);

if (command === "draw") {
  const [folder, into, count, seed] = rest;
  await draw({ folder, into, count: Number(count), seed: Number(seed) });
} else if (command === "collect") {
  const [index, answers] = rest;
  const labels = collect(JSON.parse(readFileSync(index, "utf8")), answers);
  const about = JSON.parse(readFileSync(file, "utf8")).about;
  writeFileSync(file, `${JSON.stringify({ about, labels }, null, 1)}\n`);
  process.stdout.write(`${labels.length} labels in ${file}\n`);
} else {
  const { labels } = JSON.parse(readFileSync(file, "utf8"));
  const text = report(await verdicts(labels, command));
  process.stdout.write(text);
  if (rest.includes("--write")) writeBetween("labels", text.trimEnd());
}
