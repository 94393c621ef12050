import { resolve } from "node:path";
import { UaError } from "../errors.js";
import { projectAt } from "../repository/installed.js";
import { type FileStory, fileStory } from "../verification/explain.js";
import type { Command } from "./command.js";
import { facts, printable, short } from "./output.js";
import { driftWord } from "./verdict-lines.js";

export const why: Command = {
  summary: "the story of one file: what is known, what drifted, who cares",
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
    const story = await fileStory(project, resolve(cwd, given));
    out.result({ schema: "ua-hooks.why/1", ...story }, toLines(story));
    return 0;
  },
};

function toLines(story: FileStory): string[] {
  const { path, covered, language, rule } = story;
  const rows: string[][] = [
    ["File", printable(path)],
    ["Language", language ?? (story.inGraph ? "no grammar: compared by content" : "none that is known")],
    ...(story.partlyRead ? [["Read", "in part: what the grammar cannot read is compared by its text"]] : []),
    ["Covered", covered ? "yes" : "no"],
    [
      "Rule",
      rule === null ? "none" : `${printable(rule.pattern)} (${rule.from}) ${rule.ignores ? "ignores it" : "keeps it"}`,
    ],
    ["Analysed", story.analysedOid === null ? "never" : short(story.analysedOid)],
    ["At HEAD", story.headOid === null ? "not there" : short(story.headOid)],
    ["Drift", driftWord(story.drift)],
    ...story.details.map((detail) => ["", printable(detail)]),
    ["Imported by", story.importers.length === 0 ? "nobody" : story.importers.slice(0, 10).map(printable).join(", ")],
  ];
  if (story.importers.length > 10) rows.push(["", `… and ${story.importers.length - 10} more`]);
  return facts(rows);
}
