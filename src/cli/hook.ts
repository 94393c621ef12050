import { UaError } from "../errors.js";
import { EVENTS, isEvent } from "../git/hook-events.js";
import { onEvent } from "../worker/event.js";
import type { Command } from "./command.js";

/** For a hook manager that needs a command: verifies this worktree now. Never fails, prints nothing. */
export const hook: Command = {
  summary: "verify this worktree now, as a hook does",
  usage: "<event>",
  example: "ua-hooks hook post-commit",
  options: {},
  help: {},
  positionals: true,
  hidden: true,
  async run({ cwd, positionals: [event] }) {
    if (event === undefined || !isEvent(event)) {
      throw new UaError("usage", `"${event ?? ""}" is not one of ${EVENTS.join(", ")}`);
    }
    if (process.env.UA_HOOKS === "0") return 0;
    await onEvent(cwd, event, []).catch(() => undefined); // invariant "git never notices"; the reason is in the log
    return 0;
  },
};
