// What scripts/team-simulation.mjs counted, as docs/benchmarks.md shows it.
import { number, table } from "./table.mjs";

export function teamText({ runs }) {
  const rows = runs.map(({ repository, tip, commits, clones, shared, alone }) => [
    ...[repository, tip.slice(0, 10), number(commits), number(clones)],
    ...[number(shared), number(alone), (shared / alone).toFixed(2)],
  ]);
  const head = ["repository", "newest commit", "commits", "clones", "tokens with sharing", "without", "ratio"];
  return table(head, rows);
}
