import { resolve } from "node:path";
import { exportDescriptions } from "../knowledge/description-lines.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { writeFileAtomic } from "../store/files.js";
import { exportArtefacts } from "../updates/run.js";
import type { Command } from "./command.js";
import { count } from "./output.js";

export const exportCommand: Command = {
  summary: "write the tracked artefacts from what is stored, to be committed; or all descriptions to a file",
  busy: "writing",
  usage: "[--descriptions FILE]",
  example: "ua-hooks export && git commit -a -m 'Update the graph'",
  options: { descriptions: { type: "string" } },
  help: { "--descriptions F": "write every stored description to the file F instead, for `ua-hooks import`" },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    if (typeof flags.descriptions === "string") {
      const file = flags.descriptions;
      const { text, count: exported } = await withContext(project, async (context) =>
        exportDescriptions(await context.database()),
      );
      writeFileAtomic(resolve(cwd, file), text);
      out.result({ schema: "ua-hooks.export/1", written: [file], descriptions: exported }, [
        `${count(exported, "description")} written to ${file}`,
      ]);
      return 0;
    }
    const written = await withContext(project, exportArtefacts);
    out.result({ schema: "ua-hooks.export/1", written }, [
      written.length === 0 ? "The artefacts in the data dir are up to date." : `Written: ${written.join(", ")}`,
    ]);
    return 0;
  },
};
