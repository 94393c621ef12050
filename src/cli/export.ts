import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { exportArtefacts } from "../updates/run.js";
import type { Command } from "./command.js";

export const exportCommand: Command = {
  summary: "write the tracked artefacts from their live copies, to be committed",
  usage: "",
  example: "ua-hooks export && git commit -a -m 'Update the graph'",
  options: {},
  help: {},
  async run({ cwd, out }) {
    const project = await projectAt(cwd);
    const written = await withContext(project, exportArtefacts);
    out.result({ schema: "ua-hooks.export/1", written }, [
      written.length === 0 ? "The artefacts in the data dir are up to date." : `Written: ${written.join(", ")}`,
    ]);
    return 0;
  },
};
