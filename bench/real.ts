import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import type { Row } from "./measure.js";
import { dist } from "./repos.js";

/**
 * Bars on public repositories, which need their clones and hours of reading: taken from the tables that `scripts/tokens.mjs` and
 * `scripts/labels.mjs` wrote into docs/benchmarks.md.
 */
export const realRows: Part = async () => {
  const page = readFileSync(join(dist, "../docs/benchmarks.md"), "utf8");
  return [...tokenRows(page), ...labelRows(page)];
};

function lineIn(page: string, section: string, start: string): string {
  const [, block = ""] = page.split(`<!-- ${section} -->`);
  const line = block.split("\n").find((text) => text.startsWith(start));
  if (line === undefined) throw new Error(`docs/benchmarks.md: no line begins with "${start}" in ${section}`);
  return line;
}

/** `| all | 724 | 49 % | 42 % | 9 % | 9,503,927 | 1,409,693 | 0.148 | 0.174 | 0.254 |` */
function tokenRows(page: string): Row[] {
  const cells = lineIn(page, "tokens", "| all |")
    .split("|")
    .map((cell) => cell.trim());
  const detail = `${cells[2]} commits that touch source, nine repositories; counted by scripts/tokens.mjs`;
  const rowOf = (policy: string, at: number, bar: number): Row => {
    return { what: `a model's input by packets ÷ whole files, ${policy}`, ratio: Number(cells[at]), bar, detail };
  };
  return [rowOf("structural", 8, 0.2), rowOf("behaviour", 9, 0.25)];
}

/** `| a sentence left false and not flagged | 6 of 360, 1.7 % | 0.8 % to 3.6 % |` */
function labelRows(page: string): Row[] {
  const line = lineIn(page, "labels", "| a sentence left false and not flagged |");
  const [, wrong = "0", all = "1", low = "", high = ""] =
    /(\d+) of (\d+),[^|]*\| ([\d.]+) % to ([\d.]+) %/.exec(line) ?? [];
  const ratio = Number(wrong) / Number(all) / 0.02;
  const detail = `${wrong} of ${all}, 95 % interval ${low} to ${high} %; read by people, compared by scripts/labels.mjs`;
  return [{ what: "sentences left false and not flagged ÷ 2 % of real body drifts", ratio, bar: 1, detail }];
}
