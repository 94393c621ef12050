import { UaError } from "../errors.js";
import { parseResult } from "../graph/result.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { applyResult } from "../updates/update.js";
import type { Command } from "./command.js";
import { readGiven } from "./given-text.js";
import { count, printable } from "./output.js";

export const apply: Command = {
  summary: "merge an agent's analysis into the graph, and move the baseline",
  usage: "[FILE|-] [--lease ID]",
  example: "ua-hooks apply result.json",
  options: { lease: { type: "string" } },
  help: {
    "FILE|-": '{ "files"?, "nodes", "edges", "layers"?, "tour"? }; default: standard input',
    "--lease ID": "the lease of the claim; not needed if there is only one",
  },
  positionals: true,
  async run({ cwd, flags, positionals, out }) {
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UaError("usage", "apply takes one result");
    const project = await projectAt(cwd);
    const given = await readGiven(cwd, file ?? "-");
    const lease = typeof flags.lease === "string" ? flags.lease : null;
    const { applied, refused, marker } = await withContext(project, (context) =>
      applyResult(context, parseResult(given, project.worktree.path), lease),
    );
    const left = marker === null ? "nothing is pending any more" : `pending: ${marker.reason}`;
    out.result({ schema: "ua-hooks.apply/1", applied, refused, pending: marker }, [
      `${count(applied.length, "file")} applied; ${left}`,
      ...refused.map(({ path, reason }) => `  ${printable(path)} stays pending: ${reason}`),
    ]);
    return 0;
  },
};
