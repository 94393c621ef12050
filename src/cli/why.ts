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
  const { path, covered, language, rule } = explanation;
  const rows: string[][] = [
    ["File", printable(path)],
    ["Language", language ?? (explanation.inGraph ? "no grammar: compared by content" : "unknown")],
    ...(explanation.partlyRead ? [["Read", "in part: what the grammar cannot read is compared by its text"]] : []),
    ["Covered", covered ? "yes" : "no"],
    [
      "Rule",
      rule === null
        ? "none"
        : `${printable(rule.pattern)} (${rule.from}) ${rule.ignores ? "ignores it" : "includes it"}`,
    ],
    ["Analysed", explanation.analysedOid === null ? "never" : short(explanation.analysedOid)],
    ["At HEAD", explanation.headOid === null ? "absent" : short(explanation.headOid)],
    ["Drift", driftLabel(explanation.drift)],
    ...explanation.details.map((detail) => ["", printable(detail)]),
    ...symbolRows(explanation),
    [
      "Imported by",
      explanation.importers.length === 0 ? "nobody" : explanation.importers.slice(0, 10).map(printable).join(", "),
    ],
  ];
  for (const [at, [user, names]] of Object.entries(explanation.dependentUses).slice(0, MOST_ROWS).entries())
    rows.push([at === 0 ? "Affects" : "", `${printable(user)}: ${printable(names.join(", "))}`]);
  if (explanation.importers.length > 10) rows.push(["", `… and ${explanation.importers.length - 10} more`]);
  return facts(rows);
}

const MOST_ROWS = 20;

function symbolRows({ symbols }: FileExplanation): string[][] {
  const rows = symbols.slice(0, MOST_ROWS).map(({ id, change, asked, review }, at) => {
    const notes = [...(asked ? ["to be described"] : []), ...(review ? ["its description may be false"] : [])];
    return [at === 0 ? "Symbols" : "", [`${driftLabel(change)} ${printable(id)}`, ...notes].join(", ")];
  });
  return symbols.length > MOST_ROWS ? [...rows, ["", `… and ${symbols.length - MOST_ROWS} more`]] : rows;
}
