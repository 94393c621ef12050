// What bench/likelihood.ts counted, as docs/benchmarks.md shows it.
import { percent, table } from "./table.mjs";

const LANGUAGES = { cs: "C#", go: "Go", java: "Java", py: "Python", rs: "Rust", ts: "TypeScript" };
const EDITS = { none: "unchanged", changed: "lost words", added: "only got words" };
const VERDICTS = { F: "false", I: "incomplete", T: "true" };
const HEAD = ["comment", "changed functions", "`likely`", "`likely` or `possible`"];

export function likelihoodText({ repositories, all, languages, read }) {
  const cells = ([count, likely, flagged]) => [count, withInterval(likely, count), withInterval(flagged, count)];
  const byLanguage = Object.entries(languages).flatMap(([name, kinds]) =>
    ["none", "changed"].map((edit) => [
      LANGUAGES[name] ?? name,
      EDITS[edit],
      kinds[edit][0],
      percent(kinds[edit][1], kinds[edit][0]),
      percent(kinds[edit][2], kinds[edit][0]),
    ]),
  );
  const rows = (names, counts) => Object.entries(names).map(([key, name]) => [name, ...cells(counts[key])]);
  return `By what the author did with the comment in the same commit, with 95 % intervals:

${table(HEAD, rows(EDITS, all))}
Of those that were read by eye, by what the reader said of the comment after the change:

${table(HEAD, rows(VERDICTS, read))}
By language:

${table(["language", ...HEAD], byLanguage)}
Repositories: ${repositories.join(", ")}.
`;
}

/** Wilson's interval. */
function withInterval(hits, count) {
  const z = 1.96;
  const share = hits / count;
  const middle = (share + (z * z) / (2 * count)) / (1 + (z * z) / count);
  const width = (z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count))) / (1 + (z * z) / count);
  return `${percent(hits, count)} (${percent(Math.max(0, middle - width), 1)} to ${percent(middle + width, 1)})`;
}
