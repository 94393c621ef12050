import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import type { Row } from "./measure.js";
import { dist } from "./repos.js";

/** What `scripts/tokens.mjs` stores, as far as it is used here. */
interface Tokens {
  repositories: {
    commits: number;
    whole: number;
    structural: { tokens: number };
    behaviour: { tokens: number };
  }[];
}

/** What `scripts/labels.mjs` stores, as far as it is used here. */
interface Labels {
  labels: { read: string[]; drift: string }[];
}

const MOST_LEFT_FALSE = 0.02;

/** Bars on public repositories, which need their clones and hours of reading: taken from what the scripts stored. */
export const realRows: Part = async () => [...tokenRows(stored("tokens")), ...labelRows(stored("behaviour-labels"))];

const stored = <T>(name: string): T => JSON.parse(readFileSync(join(dist, "../bench", `${name}.json`), "utf8")) as T;

function tokenRows({ repositories }: Tokens): Row[] {
  const sum = (pick: (one: Tokens["repositories"][number]) => number) =>
    repositories.reduce((all, one) => all + pick(one), 0);
  const commits = sum((one) => one.commits).toLocaleString("en");
  const detail = `${commits} commits that touch source, ${repositories.length} repositories; counted by scripts/tokens.mjs`;
  const rowOf = (policy: "structural" | "behaviour", bar: number): Row => {
    const ratio = sum((one) => one[policy].tokens) / sum((one) => one.whole);
    return { what: `a model's input by packets ÷ whole files, ${policy}`, ratio, bar, detail };
  };
  return [rowOf("structural", 0.2), rowOf("behaviour", 0.25)];
}

function labelRows({ labels }: Labels): Row[] {
  const isFalse = ({ read }: Labels["labels"][number]) =>
    read.filter((label) => label === "false").length > read.length / 2;
  const left = labels.filter((one) => isFalse(one) && one.drift !== "behaviour").length;
  const ratio = left / labels.length / MOST_LEFT_FALSE;
  const detail = `${left} of ${labels.length}; read by people, compared by scripts/labels.mjs`;
  return [{ what: "sentences left false and not flagged ÷ 2 % of real body drifts", ratio, bar: 1, detail }];
}
