import { projectAt } from "../repository/installed.js";
import { pausedSince, pauseHooks } from "../repository/paused.js";
import type { Command } from "./command.js";

export const pause: Command = {
  summary: "let the hooks rest in this clone, until `resume`",
  usage: "",
  example: "ua-hooks pause",
  options: {},
  help: {},
  async run({ cwd, out }) {
    const project = await projectAt(cwd);
    const { stateDir } = project;
    const before = pausedSince(stateDir);
    if (before === null) pauseHooks(stateDir);
    out.result({ schema: "ua-hooks.pause/1", paused: true, since: pausedSince(stateDir) }, [
      before === null ? "The hooks rest, in every worktree of this clone." : `The hooks rest since ${before}.`,
      "`ua-hooks resume` wakes them, and catches up on what happened meanwhile.",
    ]);
    return 0;
  },
};
