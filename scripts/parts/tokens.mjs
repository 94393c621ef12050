// What scripts/tokens.mjs measured, as README and docs/benchmarks.md show it.
import { number, percent, table } from "./table.mjs";

const POLICIES = ["structural", "behaviour", "every"];
const share = (part, whole) => (whole === 0 ? "" : (part / whole).toFixed(3));

/** Of all repositories: the mean of their shares would be another number. */
export function totalOf(repositories) {
  const add = (pick) => repositories.reduce((all, one) => all + pick(one), 0);
  const policy = (name) => ({ tokens: add((one) => one[name].tokens), free: add((one) => one[name].free) });
  return {
    ...{ name: "all", commit: "", commits: add(({ commits }) => commits), whole: add(({ whole }) => whole) },
    ...Object.fromEntries(POLICIES.map((name) => [name, policy(name)])),
  };
}

export function tokensText({ last, repositories }) {
  const rows = [...repositories, totalOf(repositories)].map((one) => [
    ...[one.name, one.commit.slice(0, 10), number(one.commits)],
    ...POLICIES.map((name) => percent(one[name].free, one.commits)),
    ...[number(one.whole), number(one.structural.tokens)],
    ...POLICIES.map((name) => share(one[name].tokens, one.whole)),
  ]);
  const head = [
    ...["repository", "newest commit", "commits that touch source"],
    ...["zero tokens: structural", "behaviour", "every"],
    ...["tokens, whole files", "by packets", "÷ structural", "÷ behaviour", "÷ every"],
  ];
  return `The last ${last} commits of each:\n\n${table(head, rows)}`;
}

export function savesText({ last, repositories }) {
  const all = totalOf(repositories);
  const rows = [
    ["`structural` (default)", all.structural],
    ["`behaviour`", all.behaviour],
  ].map(([words, { free, tokens }]) => [words, percent(free, all.commits), percent(tokens, all.whole)]);
  const head = ["`refresh`", "commits that ask no model", "tokens, of those for whole files"];
  return `The last ${last} commits of each of ${repositories.length} public repositories; ${number(all.commits)} of them touch source files.\n\n${table(head, rows)}`;
}
