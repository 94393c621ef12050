import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { pausedSince, resumeHooks } from "../repository/paused.js";
import { readWorktree } from "../sync/switch.js";
import type { Command } from "./command.js";
import { printable } from "./output.js";

export const resume: Command = {
  summary: "enable the hooks after `pause`, and process what happened",
  busy: "verifying",
  usage: "",
  example: "ua-hooks resume",
  options: {},
  help: {},
  async run({ cwd, out }) {
    const project = await projectAt(cwd);
    const since = pausedSince(project.stateDir);
    resumeHooks(project.stateDir);
    const { outcome, reason } = await withContext(project, readWorktree);
    out.result({ schema: "ua-hooks.resume/1", paused: false, since, outcome, reason }, [
      since === null ? "The hooks were not disabled." : "The hooks are enabled again.",
      `${outcome === "settled" ? "Fresh" : outcome}: ${printable(reason)}`,
    ]);
    return 0;
  },
};
