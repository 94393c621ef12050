import { UaError } from "../errors.js";
import { MOST_DATA_BYTES } from "../platform/read-file.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { importIntoGraph } from "../updates/run.js";
import type { Command } from "./command.js";
import { readGiven } from "./given.js";
import { count } from "./output.js";

export const importCommand: Command = {
  summary: "add descriptions that `ua-hooks export --descriptions` wrote, here or in another clone",
  busy: "importing",
  usage: "FILE|-",
  example: "ua-hooks import descriptions.jsonl",
  options: {},
  help: {},
  positionals: true,
  async run({ cwd, positionals, out }) {
    const [file, ...more] = positionals;
    if (file === undefined || more.length > 0)
      throw new UaError("usage", "import takes one file, or - for standard input");
    const project = await projectAt(cwd);
    const given = await readGiven(cwd, file, MOST_DATA_BYTES);
    const { read, added } = await withContext(project, (context) =>
      importIntoGraph(context, given, file === "-" ? "standard input" : file),
    );
    out.result({ schema: "ua-hooks.import/1", read, added }, [
      `${count(read, "description")} read, ${added} of them new. A description is shown where its content is.`,
    ]);
    return 0;
  },
};
