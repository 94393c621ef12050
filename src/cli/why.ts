import { resolve } from "node:path";
import { UaError } from "../errors.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { explainFile, type FileExplanation } from "../verification/explain.js";
import type { Command } from "./command.js";
import { facts, printable, short } from "./output.js";
import { driftLabel } from "./verdict-lines.js";

export const why: Command = {
  summary: "explain one file: what is known, what drifted, which files import it",
  usage: "<path>",
  example: "ua-hooks why src/index.ts",
  options: {},
  help: {},
  positionals: true,
  async run({ cwd, positionals, out }) {
    const [given, ...more] = positionals;
    if (given === undefined || more.length > 0)
      throw new UaError("usage", "why takes one path", "for example: ua-hooks why src/a.ts");
    const project = await projectAt(cwd);
    const explanation = await withContext(project, (context) => explainFile(context, resolve(cwd, given)));
    out.result({ schema: "ua-hooks.why/1", ...explanation }, toLines(explanation));
    return 0;
  },
};

function toLines(explanation: FileExplanation): string[] {
  const { path, language } = explanation;
  const rows: string[][] = [
    ["File", printable(path)],
    ["Language", language ?? (explanation.inGraph ? "no grammar: compared by content" : "unknown")],
    ...(explanation.partlyRead ? [["Read", "in part: what the grammar cannot read is compared by its text"]] : []),
    ...coverRows(explanation),
    ["Analysed", explanation.analysedOid === null ? "never" : short(explanation.analysedOid)],
    ["At HEAD", explanation.headOid === null ? "absent" : short(explanation.headOid)],
    ["Drift", driftLabel(explanation.drift)],
    ...explanation.details.map((detail) => ["", printable(detail)]),
    ...symbolRows(explanation),
    ["Imported by", fileList(explanation.importers)],
    ...usesRows(explanation),
  ];
  return facts(rows);
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

const MOST_FILES = 10;

function fileList(files: readonly string[]): string {
  if (files.length === 0) return "no file";
  const more = files.length - MOST_FILES;
  return `${files.slice(0, MOST_FILES).map(printable).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const MOST_ROWS = 20;

function symbolRows({ symbols }: FileExplanation): string[][] {
  const rows = symbols.slice(0, MOST_ROWS).map(({ id, change, asked, review }, at) => {
    const notes = [...(asked ? ["to be described"] : []), ...(review ? ["its description may be false"] : [])];
    return [at === 0 ? "Symbols" : "", [`${driftLabel(change)} ${printable(id)}`, ...notes].join(", ")];
  });
  return symbols.length > MOST_ROWS ? [...rows, ["", `… and ${symbols.length - MOST_ROWS} more`]] : rows;
}
