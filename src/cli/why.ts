import { relative, resolve } from "node:path";
import { UaError } from "../errors.js";
import { type Story, storyOf } from "../freshness/story.js";
import { readHead } from "../git/head.js";
import { readView } from "../hook/read.js";
import { loadConfig } from "../project/config.js";
import { locateProject, type Project } from "../project/locate.js";
import { type Explanation, explainRules, loadRules } from "../project/rules.js";
import { openState } from "../store/state.js";
import type { Command } from "./command.js";
import { printable, short, table } from "./output.js";
import { requireSetUp } from "./pending.js";

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
    const project = await locateProject({ cwd, env: process.env });
    requireSetUp(project);
    const path = repositoryPath(project, resolve(cwd, given));
    await readView(project);
    const config = await loadConfig(project.root);
    const rules = await loadRules(project.root, project.dataDir, config);
    const { commit } = await readHead(project.view.gitDir, project.commonDir);
    if (commit === null) throw new UaError("usage", "there is no commit yet");
    const db = await openState(project.stateDir);
    try {
      const story = await storyOf({ db, project, config, rules }, commit, path);
      const rule = await explainRules(path, project.root, project.dataDir, config);
      const isCovered = rules.covers(path, story.inGraph);
      out.result(
        { schema: "ua-hooks.why/1", path, covered: isCovered, ...rule, ...story },
        toLines(path, isCovered, rule, story),
      );
      return 0;
    } finally {
      db.close();
    }
  },
};

function repositoryPath(project: Project, absolute: string): string {
  const path = relative(project.view.path, absolute);
  if (path === "" || path.startsWith("..")) {
    throw new UaError("usage", `${printable(absolute)} is not a file of this worktree (${project.view.path})`);
  }
  return path;
}

function toLines(path: string, covered: boolean, { language, rule }: Explanation, story: Story): string[] {
  const rows: string[][] = [
    ["File", printable(path)],
    ["Language", language ?? (story.inGraph ? "no grammar: compared by content" : "none that is known")],
    ["Covered", covered ? "yes" : "no"],
    [
      "Rule",
      rule === null ? "none" : `${printable(rule.pattern)} (${rule.from}) ${rule.ignores ? "ignores it" : "keeps it"}`,
    ],
    ["Analysed", story.analysedOid === null ? "never" : short(story.analysedOid)],
    ["At HEAD", story.headOid === null ? "not there" : short(story.headOid)],
    ["Drift", story.drift],
    ...story.details.map((detail) => ["", printable(detail)]),
    ["Imported by", story.importers.length === 0 ? "nobody" : story.importers.slice(0, 10).map(printable).join(", ")],
  ];
  if (story.importers.length > 10) rows.push(["", `… and ${story.importers.length - 10} more`]);
  return table(rows);
}
