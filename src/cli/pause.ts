import { projectAt } from "../repository/installed.js";
import { pausedSince, pauseHooks } from "../repository/paused.js";
import type { Command } from "./command.js";
import { moment } from "./output.js";

export const pause: Command = {
  summary: "disable the hooks in this clone, until `resume`",
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
      before === null
        ? "The hooks are disabled in every worktree of this clone."
        : `The hooks are disabled since ${moment(before)}.`,
      "`ua-hooks resume` enables them, and processes what happened meanwhile.",
    ]);
    return 0;
  },
};
