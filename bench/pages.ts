import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ONE_FILE } from "./foreground.js";
import { COMMANDS, overEmpty, overNone, running } from "./git.js";
import { isBroken, type Row } from "./measure.js";
import { type Measured, ratioBefore } from "./measured.js";
import { plot } from "./plot.js";
import { barText, curveTable, machineText, rowTable } from "./report.js";
import { dist } from "./repos.js";
import { between, table } from "./tables.js";

const root = join(dist, "..");
/** The pages with tables of the bench. */
export const PAGES = ["README.md", "docs/benchmarks.md"] as const;
/** The picture of the growth curves: there where they were measured. */
export const PICTURE = "docs/images/growth.svg";

/** Writes the tables of all pages, and the picture, so that no number is copied by hand. */
export function writePages(measured: Measured): void {
  for (const page of PAGES)
    writeFileSync(join(root, page), pageWith(page, readFileSync(join(root, page), "utf8"), measured));
  const picture = pictureOf(measured);
  if (picture !== undefined) writeFileSync(join(root, PICTURE), picture);
}

export function pictureOf({ growth }: Measured): string | undefined {
  return growth === undefined ? undefined : plot(growth.curves);
}

/** A page with its numbers as they were measured. `test/docs/numbers` compares: a number in a page cannot be older. */
export function pageWith(page: (typeof PAGES)[number], text: string, measured: Measured): string {
  if (page === "README.md") return between(text, "bench costs", costTable(measured));
  const withExceeded = between(text, "bench exceeded", exceededText(measured));
  const withRows = between(between(withExceeded, "bench rows", rowText(measured)), "bench large", largeTable(measured));
  return between(withRows, "bench growth", growthText(measured));
}

function exceededText(measured: Measured): string {
  const rows = Object.values(measured).flatMap(({ rows }) => rows);
  const broken = rows.filter(isBroken).map((row) => [row.what, ratioText(row), barText(row)]);
  const held = rows.filter((row) => row.bar !== null).length - broken.length;
  if (broken.length === 0) return `All ${held} limits are held.`;
  return `${held} limits are held. Exceeded:\n\n${table(["what", "ratio", "bar"], broken)}`;
}

function rowText(measured: Measured): string {
  const parts = Object.entries(measured);
  const rows = parts.flatMap(([part, { rows }]) =>
    rows.map((row) => ({ ...row, before: ratioBefore(part, row.what) })),
  );
  return `${rowTable(rows)}\n\n${machineList(measured)}`;
}

function growthText({ growth }: Measured): string {
  if (growth === undefined) return "Not measured yet: `npm run bench -- --only=growth --write` does it.";
  const picture = `![What one commit costs over ${growth.curves.map(({ over }) => over).join(", ")}](images/growth.svg)`;
  return `${picture}\n\n${machineText(growth.machine)}.\n\n${curveTable(growth.curves)}`;
}

/** One line for each machine and day: the parts that were measured there. */
function machineList(measured: Measured): string {
  const lines = new Map<string, string[]>();
  for (const [part, { date, machine }] of Object.entries(measured)) {
    const where = `${date}, ${machineText(machine)}`;
    lines.set(where, [...(lines.get(where) ?? []), `${part} (${machine.load})`]);
  }
  return [...lines].map(([where, parts]) => `- ${where}; load before the part: ${parts.join(", ")}.`).join("\n");
}

/** One column for each large repository: CPU seconds and memory of each operation, and what is stored. */
function largeTable(measured: Measured): string {
  const all = Object.values(measured).flatMap(({ large = [] }) => large);
  const operations = [...new Set(all.flatMap((one) => one.operations.map(({ what }) => what)))];
  const sizes = [...new Set(all.flatMap((one) => Object.keys(one.sizes)))];
  const rows = operations.map((what) => [
    what,
    ...all.map((one) => {
      const found = one.operations.find((operation) => operation.what === what);
      return found === undefined ? "" : `${found.seconds.toFixed(1)} s, ${found.mb.toFixed(0)} MB`;
    }),
  ]);
  const stored = sizes.map((name) => [
    `size of ${name}`,
    ...all.map((one) => `${(one.sizes[name] ?? 0).toFixed(0)} MB`),
  ]);
  return table(["", ...all.map(({ name }) => name)], [...stored, ...rows]);
}

/** README's rows, by the part that measures them: the words for a newcomer, and the name of the row. */
const COSTS = {
  git: [
    ["`git commit`, compared with four hook files that only say `exit 0`", overEmpty(COMMANDS.commit)],
    ["`git checkout` of a branch, the same", overEmpty(COMMANDS.checkout)],
    ["`git rebase` of 50 commits, the same", overEmpty(COMMANDS.rebase)],
    ["`git commit`, compared with no hooks at all", overNone(COMMANDS.commit)],
    ["… with husky running `true`", overNone(COMMANDS.commit, running("husky"))],
    ["… with lefthook running `true`", overNone(COMMANDS.commit, running("lefthook"))],
    ["… with simple-git-hooks running `true`", overNone(COMMANDS.commit, running("simple-git-hooks"))],
  ],
  foreground: [["comparing one changed TypeScript file, compared with starting an empty Node", ONE_FILE]],
} as const;

/** A part that was never measured has no rows here; one that was must have all of them. */
function costTable(measured: Measured): string {
  const cells = Object.entries(COSTS).flatMap(([part, wanted]) => {
    const rows = measured[part]?.rows;
    return rows === undefined ? [] : wanted.map(([words, what]) => [words, ratioText(rowNamed(rows, what))]);
  });
  return table(["what takes time", "times as long"], cells);
}

function rowNamed(rows: readonly Row[], name: string): Row {
  const found = rows.find(({ what }) => what === name);
  if (found === undefined) throw new Error(`there is no row "${name}", which README shows`);
  return found;
}

const ratioText = ({ ratio }: Row): string => ratio.toFixed(2);
