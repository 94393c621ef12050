import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { UaError } from "../errors.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { explainFile } from "../sync/switch.js";
import type { FileExplanation } from "../verification/explain.js";
import type { Command } from "./command.js";
import { baseOfPath } from "./given.js";
import { count, facts, moment, printable, short } from "./output.js";
import { driftLabel, symbolName } from "./verdict-lines.js";

export const why: Command = {
  summary: "explain one file or symbol: what drifted, who described it, which files import it",
  busy: "verifying",
  usage: "<path>[:<name>] | <id>",
  example: "ua-hooks why src/index.ts",
  options: {},
  help: {},
  positionals: true,
  async run({ cwd, positionals, out }) {
    const [given, ...more] = positionals;
    if (given === undefined || more.length > 0)
      throw new UaError("usage", "why takes one path", "for example: ua-hooks why src/a.ts");
    const project = await projectAt(cwd);
    const { file, name } = subjectOf(given, baseOfPath(project, cwd, given), project.worktree.path);
    const explanation = await withContext(project, (context) => explainFile(context, file, name));
    out.result({ schema: "ua-hooks.why/1", ...explanation }, toLines(explanation, name));
    return 0;
  },
};

const ID = /^(?:file|function|class):(.+)$/s;

/** A path, with the name of a symbol after it; or an id as `status` and `pending --json` print it, which starts at the worktree's root. */
function subjectOf(given: string, cwd: string, root: string): { file: string; name?: string } {
  const id = ID.exec(given)?.[1];
  const [base, text] = id === undefined || existsSync(resolve(cwd, given)) ? [cwd, given] : [root, id];
  for (let at = text.indexOf(":"); at > 0 && !existsSync(resolve(base, text)); at = text.indexOf(":", at + 1)) {
    const file = resolve(base, text.slice(0, at));
    if (existsSync(file)) return { file, name: text.slice(at + 1) };
  }
  return { file: resolve(base, text) };
}

function toLines(explanation: FileExplanation, name: string | undefined): string[] {
  const { path, language } = explanation;
  const rows: string[][] = [
    ["File", printable(path)],
    ["Language", language ?? (explanation.inGraph ? "no grammar: compared by content" : "unknown")],
    ...(explanation.partlyRead ? [["Read", "in part: what the grammar cannot read is compared by its text"]] : []),
    ...coverRows(explanation),
    ...shownRows(explanation),
    ["Baseline", baselineLabel(explanation)],
    ["Drift", driftLabel(explanation.drift)],
    ...explanation.details.map((detail) => ["", printable(detail)]),
    ...symbolRows(explanation, name),
    ["Imported by", fileList(explanation.importers)],
    ...usesRows(explanation),
  ];
  return facts(rows);
}

/** What the graph says, in whose words. */
function shownRows({ shown }: FileExplanation): string[][] {
  if (shown === null) return [];
  const { summary, describedBy, describedAt } = shown;
  const by =
    describedBy === undefined
      ? "the author's comment, or generated"
      : `described ${originLabel(describedBy)}, ${moment(describedAt ?? "")}`;
  return [
    ["Says", printable(summary)],
    ["", by],
  ];
}

/** The content that is described, and the one at HEAD. */
function baselineLabel({ analysedOid, headOid }: FileExplanation): string {
  const described = analysedOid === null ? "none" : short(analysedOid);
  if (headOid === null) return `${described}; the file is not at HEAD`;
  return analysedOid === headOid
    ? `${described}, the same content as at HEAD`
    : `${described}; HEAD has ${short(headOid)}`;
}

/** Nothing for a file that is covered by no rule but the usual one. */
function coverRows({ covered, rule }: FileExplanation): string[][] {
  if (rule === null) return covered ? [] : [["Covered", "no"]];
  const verb = rule.ignores ? "ignores it" : "includes it";
  return [
    ["Covered", covered ? "yes" : "no"],
    ["Rule", `${printable(rule.pattern)} (${rule.from}) ${verb}`],
  ];
}

/** Which changed names are used, and where; files that use the same ones are one row. */
function usesRows({ dependentUses }: FileExplanation): string[][] {
  const users = new Map<string, string[]>();
  for (const [user, names] of Object.entries(dependentUses)) {
    const used = names.includes("*") ? "any of its names" : printable(names.join(", "));
    users.set(used, [...(users.get(used) ?? []), user]);
  }
  const rows = [...users].map(([used, files]) => `${used}, used in ${fileList(files)}`);
  return rows.slice(0, MOST_ROWS).map((row, at) => [at === 0 ? "Affects" : "", row]);
}

/** `--json` has all. */
const MOST_FILES = 3;

function fileList(files: readonly string[]): string {
  if (files.length === 0) return "no file";
  const shown = files.slice(0, MOST_FILES).map(printable).join(", ");
  const more = files.length - MOST_FILES;
  return more <= 0 ? shown : `${count(files.length, "file")}: ${shown} and ${more} more`;
}

const MOST_ROWS = 20;
const ORIGINS: Record<string, string> = { here: "here", shared: "in another clone", tracked: "in the committed graph" };
const originLabel = (by: string) => ORIGINS[by] ?? `by ${printable(by)}`;

function symbolRows({ path, symbols }: FileExplanation, name: string | undefined): string[][] {
  if (name !== undefined && symbols.length === 0) return [["Symbols", `no change of ${printable(name)}`]];
  const rows = symbols.slice(0, MOST_ROWS).map(({ id, change, asked, review, describedBy, describedAt }, at) => {
    const notes = [
      ...(describedBy === undefined ? [] : [`described ${originLabel(describedBy)}, ${moment(describedAt ?? "")}`]),
      ...(review ? ["may be false"] : []),
      ...(asked ? ["to be described"] : []),
    ];
    return [at === 0 ? "Symbols" : "", [`${driftLabel(change)} ${symbolName(id, path)}`, ...notes].join(", ")];
  });
  return symbols.length > MOST_ROWS ? [...rows, ["", `… and ${symbols.length - MOST_ROWS} more`]] : rows;
}
