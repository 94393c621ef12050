/**
 * Fits the weights of src/fingerprint/likelihood.ts: `node .build/bench/likelihood.mjs <rows.jsonl> <folder of clones> [<read.jsonl>]`.
 *
 * A row is a changed, documented function of a public repository: repository, commit, path, symbol, line, and whether its author
 * changed the words of its comment in the same commit (`edit`: changed, added, none). A clone is in `<folder>/owner+name`, or its git
 * directory in `<folder>/owner+name/repo`. Prints how many of each kind are flagged when every repository is scored with weights
 * that were fitted on the others, and then the weights of all. In read.jsonl a reader said of each row whether its comment became
 * false (F), incomplete (I), or holds (T). `--write` stores the counts for docs/benchmarks.md.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findSymbol } from "../src/fingerprint/compare.js";
import { fingerprintText } from "../src/fingerprint/extract.js";
import { compareSigns, type Features, pairsOf, WEIGHTS } from "../src/fingerprint/likelihood.js";
import type { FileFingerprint } from "../src/fingerprint/types.js";
import { commentWords } from "../src/fingerprint/words.js";
import { dist } from "./repos.js";

interface Row {
  repo: string;
  lang: string;
  commit: string;
  path: string;
  symbol: string;
  line: number;
  label: 0 | 1;
  edit: "none" | "changed" | "added";
  sameHeader?: boolean;
  verdict?: "F" | "I" | "T";
}

interface Sample {
  row: Row;
  features: number[];
}

const NAMES = Object.keys(WEIGHTS) as (keyof Features)[];

async function samplesOf(rows: readonly Row[]): Promise<Sample[]> {
  const found: Sample[] = [];
  const missing = new Map<string, number>();
  for (const row of rows) {
    const clone = join(folder, row.repo.replace("/", "+"));
    const cwd = existsSync(join(clone, "repo")) ? join(clone, "repo") : clone;
    if (!existsSync(cwd)) continue;
    const [before, after] = [await factAt(cwd, `${row.commit}^`, row.path), await factAt(cwd, row.commit, row.path)];
    const was = before && findSymbol(before, row.symbol);
    const is = after && findSymbol(after, row.symbol);
    if (!was || !is) {
      missing.set(row.repo, (missing.get(row.repo) ?? 0) + 1);
      continue;
    }
    const kind = "kind" in is ? "class" : "function";
    const pairs = pairsOf(was, is).sort((a, b) => Math.abs(a.line - row.line) - Math.abs(b.line - row.line));
    const compared =
      pairs[0] &&
      compareSigns(pairs[0].before, pairs[0].after, commentWords(before, kind, row.symbol, pairs[0].at), row.symbol);
    found.push({ row, features: NAMES.map((name) => compared?.features[name] ?? (name === "constant" ? 1 : 0)) });
  }
  for (const [repo, count] of missing) console.error(`${repo}: ${count} rows whose function was not found`);
  return found;
}

async function factAt(cwd: string, revision: string, path: string): Promise<FileFingerprint | null> {
  try {
    const options = { cwd, maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"] };
    return await fingerprintText(path, execFileSync("git", ["show", `${revision}:${path}`], options));
  } catch {
    return null; // renamed in this commit, or not in this clone
  }
}

/** Logistic regression by Newton's method, with a small penalty so that it always has an answer. */
function fit(from: readonly Sample[]): number[] {
  const size = NAMES.length;
  const weights: number[] = new Array(size).fill(0);
  for (let round = 0; round < 12; round++) {
    const gradient = weights.map((weight, at) => (NAMES[at] === "constant" ? 0 : -weight));
    const hessian = Array.from({ length: size }, (_, at) =>
      weights.map((_weight, other): number => (at === other ? 1 : 0)),
    );
    for (const { row, features } of from) {
      const share = importance(row);
      const chance = 1 / (1 + Math.exp(-dot(weights, features)));
      for (const [at, value] of features.entries()) {
        gradient[at] = (gradient[at] ?? 0) + share * (row.label - chance) * value;
        const line = hessian[at] ?? [];
        for (const [other, second] of features.entries())
          line[other] = (line[other] ?? 0) + share * chance * (1 - chance) * value * second;
      }
    }
    for (const [at, step] of solve(hessian, gradient).entries()) weights[at] = (weights[at] ?? 0) + step;
  }
  return weights;
}

/** A comment that lost words was false; one that only got some was incomplete, most often. */
const importance = ({ edit }: Row): number => ({ none: 1, changed: 2, added: 0.5 })[edit];

const dot = (weights: readonly number[], features: readonly number[]): number =>
  features.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);

/** Gauss, with the largest pivot. */
function solve(matrix: number[][], right: number[]): number[] {
  const lines = matrix.map((line, at) => [...line, right[at] ?? 0]);
  for (let at = 0; at < lines.length; at++) {
    let best = at;
    for (let other = at; other < lines.length; other++)
      if (Math.abs(lines[other]?.[at] ?? 0) > Math.abs(lines[best]?.[at] ?? 0)) best = other;
    const pivot = lines[best] ?? [];
    lines[best] = lines[at] ?? [];
    lines[at] = pivot;
    for (const [other, line] of lines.entries()) {
      if (other === at) continue;
      const factor = (line[at] ?? 0) / (pivot[at] ?? 1);
      for (const [column, value] of pivot.entries()) line[column] = (line[column] ?? 0) - factor * value;
    }
  }
  return lines.map((line, at) => (line.at(-1) ?? 0) / (line[at] ?? 1));
}

function leaveOneOut(all: readonly Sample[]): number[] {
  const found = new Array<number>(all.length).fill(0);
  for (const repo of new Set(all.map(({ row }) => row.repo))) {
    const left = fit(all.filter(({ row }) => row.repo !== repo));
    for (const [at, { row, features }] of all.entries()) if (row.repo === repo) found[at] = dot(left, features);
  }
  return found;
}

/** The score above which this share of the functions with an unchanged comment lies. */
function thresholdAt(share: number): number {
  const unchanged = scores.filter((_, at) => samples[at]?.row.edit === "none").sort((a, b) => b - a);
  return unchanged[Math.floor(share * unchanged.length)] ?? 0;
}

/** How many there are, how many of them are likely false, and how many likely or possibly. */
type Counts = [count: number, likely: number, flagged: number];

const counted = (mine: readonly number[]): Counts => [
  mine.length,
  mine.filter((score) => score > likely).length,
  mine.filter((score) => score > possible).length,
];

function countsOf(isMeant: (row: Row) => boolean): Record<Row["edit"], Counts> {
  const of = (edit: Row["edit"]) =>
    counted(scores.filter((_, at) => samples[at]?.row.edit === edit && isMeant((samples[at] as Sample).row)));
  return { none: of("none"), changed: of("changed"), added: of("added") };
}

/** Fitted without the repository that is read. */
async function countRead(rows: readonly Row[]): Promise<Record<"F" | "I" | "T", Counts>> {
  const found = await samplesOf(rows);
  const of = (verdict: Row["verdict"]) =>
    counted(
      found
        .filter(({ row }) => row.verdict === verdict)
        .map(({ row, features }) => dot(fit(samples.filter((sample) => sample.row.repo !== row.repo)), features)),
    );
  return { F: of("F"), I: of("I"), T: of("T") };
}

const args = process.argv.slice(2);
const [rowsFile = "", folder = "", readFile] = args.filter((arg) => arg !== "--write");
const rowsOf = (file: string): Row[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

const samples = await samplesOf(rowsOf(rowsFile).filter(({ sameHeader }) => sameHeader !== false));
const scores = leaveOneOut(samples);
/** What share of the functions with an unchanged comment may be flagged. */
const likely = thresholdAt(0.075);
const possible = thresholdAt(0.39);
const languages = [...new Set(samples.map(({ row }) => row.lang))].sort();
const result = {
  repositories: [...new Set(samples.map(({ row }) => row.repo))].sort(),
  all: countsOf(() => true),
  languages: Object.fromEntries(languages.map((lang) => [lang, countsOf(({ lang: one }) => one === lang)])),
  read: readFile === undefined ? undefined : await countRead(rowsOf(readFile)),
};
const weights = fit(samples);
console.log(JSON.stringify(result, null, 2));
console.log(`likely from ${likely.toFixed(2)}, possible from ${possible.toFixed(2)}; fitted on all:`);
for (const [at, name] of NAMES.entries()) console.log(`  ${name}: ${weights[at]?.toFixed(2)},`);
if (args.includes("--write")) {
  const page = pathToFileURL(join(dist, "../scripts/page.mjs")).href;
  const { storeAndWrite } = (await import(page)) as { storeAndWrite(stored: string, data: object): void };
  storeAndWrite("likelihood", result);
}
