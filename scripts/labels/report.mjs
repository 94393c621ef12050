// Precision and recall of `behaviour`, and how far readers agree.
import { isFalse, isUndecided } from "./collect.mjs";

const Z = 1.96;
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** The 95 % interval of a share (Wilson). */
export function interval(part, whole) {
  const share = part / whole;
  const middle = share + (Z * Z) / (2 * whole);
  const half = Z * Math.sqrt((share * (1 - share)) / whole + (Z * Z) / (4 * whole * whole));
  return [middle - half, middle + half].map((value) => value / (1 + (Z * Z) / whole));
}

/** Agreement of two lists of labels beyond chance (Cohen). */
export function kappa(pairs) {
  const same = pairs.filter(([one, other]) => one === other).length / pairs.length;
  const share = (at, label) => pairs.filter((pair) => pair[at] === label).length / pairs.length;
  const chance = [...new Set(pairs.flat())].reduce((sum, label) => sum + share(0, label) * share(1, label), 0);
  return chance === 1 ? 1 : (same - chance) / (1 - chance);
}

function row(title, part, whole) {
  if (whole === 0) return `| ${title} | 0 of 0 | |\n`;
  const [from, to] = interval(part, whole);
  return `| ${title} | ${part} of ${whole}, ${percent(part / whole)} | ${percent(from)} to ${percent(to)} |\n`;
}

const isFlagged = ({ drift }) => drift === "behaviour";
const spelled = ({ repository, commit, path, name }) =>
  `- ${repository} ${commit.slice(0, 10)}, \`${path}\`: \`${name}\``;

function table(title, read, counts = isFalse) {
  const count = (test) => read.filter(test).length;
  const [falsified, flagged] = [count(counts), count(isFlagged)];
  const found = count((one) => isFlagged(one) && counts(one));
  return `| ${title} | | 95 % interval |\n| --- | ---: | ---: |\n${[
    row("a sentence became false", falsified, read.length),
    row("flagged as `behaviour`", flagged, read.length),
    row("precision: flagged ones after which it is false", found, flagged),
    row("recall: false ones that are flagged", found, falsified),
    row("a sentence left false and not flagged", falsified - found, read.length),
  ].join("")}\n`;
}

/** What the numbers are if each change that nobody decided is counted as false; empty where there is none. */
function undecided(read) {
  const open = read.filter(isUndecided);
  if (open.length === 0) return "";
  const named = open.map((one) => `${spelled(one)}, ${isFlagged(one) ? "flagged" : "not flagged"}\n`);
  return `The two readers differ on ${open.length} of ${read.length} that the third has not read. The tables above count them as not false; if each is:

${table("all, undecided ones as false", read, (one) => isFalse(one) || isUndecided(one))}Undecided:

${named.join("")}
`;
}

/** As Markdown, for docs/benchmarks.md; then each change that was not found. */
export function report(read) {
  if (read.length === 0) return "no clone of a labelled repository is in this folder\n";
  const pairs = read.map((one) => one.read.slice(0, 2));
  const asFalse = pairs.map((pair) => pair.map((label) => label === "false"));
  const differing = asFalse.filter(([one, other]) => one !== other).length;
  const missed = read.filter((one) => isFalse(one) && !isFlagged(one));
  return `${table("all", read)}${table(
    "outside of tests and generated files",
    read.filter(({ isAside }) => !isAside),
  )}${undecided(read)}The first two readers differ on whether it is false in ${differing} of ${read.length}: kappa ${kappa(asFalse).toFixed(2)}; with three labels ${kappa(pairs).toFixed(2)}.

Not flagged:

${missed.map((one) => `${spelled(one)}\n`).join("")}`;
}
