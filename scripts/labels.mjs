// How well `behaviour` finds the changes after which a sentence is false. Needs dist/. A clone is <folder>/<owner>+<name>.
//   node scripts/labels.mjs <folder of clones> [--write]    compares bench/behaviour-labels.json with the verdicts of this build; --write: stores
//                                                           them there, and writes docs/benchmarks.md
//   node scripts/labels.mjs draw <folder> <into> <n> <seed> draws n changes per clone: <into>/items/NN.txt for readers, <into>/index.json
//   node scripts/labels.mjs collect <index.json> <answers>  writes the labels file from <answers>/<reader>/NN.json of two readers, and a third one's
// Each NN.json is an object from the id of an item to "true", "incomplete" or "false"; the third reader, whose name is last in
// order, reads the items that the first two disagree on.
import { readFileSync } from "node:fs";
import { collect } from "./labels/collect.mjs";
import { draw } from "./labels/draw.mjs";
import { report } from "./labels/report.mjs";
import { verdicts } from "./labels/verdicts.mjs";
import { readStored, store, storeAndWrite } from "./page.mjs";

const STORED = "behaviour-labels";
const isSame = (one, other) =>
  ["repository", "commit", "path", "kind", "name"].every((field) => one[field] === other[field]);
const [command = ".", ...rest] = process.argv.slice(2);

if (command === "draw") {
  const [folder, into, count, seed] = rest;
  await draw({ folder, into, count: Number(count), seed: Number(seed) });
} else if (command === "collect") {
  const [index, answers] = rest;
  const labels = collect(JSON.parse(readFileSync(index, "utf8")), answers);
  store(STORED, { about: readStored(STORED).about, labels });
  process.stdout.write(`${labels.length} labels in bench/${STORED}.json\n`);
} else {
  const { about, labels } = readStored(STORED);
  const read = await verdicts(labels, command);
  process.stdout.write(report(read));
  if (rest.includes("--write")) {
    if (read.length < labels.length) throw new Error("--write needs a clone of each labelled repository");
    storeAndWrite(STORED, { about, labels: labels.map((label) => read.find((one) => isSame(one, label))) });
  }
}
