import { writeSync } from "node:fs";
import { CLIENTS } from "../agents/clients.js";
import { runAgent } from "../agents/run.js";
import type { Command } from "./command.js";

/** What install writes into agents' settings, as a command; see src/agents/main.ts for the way that they take. */
export const agent: Command = {
  summary: "tell a coding agent what is pending, in its own way",
  usage: "<client> [event]",
  example: "ua-hooks agent claude < input.json",
  options: {},
  help: {},
  positionals: true,
  hidden: true,
  async run({ cwd, positionals }) {
    const [client = ""] = positionals;
    // Never a failure: the agent that called would show it to its user at every command.
    if (!CLIENTS.has(client)) process.stderr.write(`ua-hooks: agents are ${[...CLIENTS.keys()].join(", ")}\n`);
    process.chdir(cwd);
    await runAgent(positionals, (text) => writeSync(1, text)).catch(() => undefined);
    // An open stdin or a verification that takes long must not keep the agent; compiled code is saved before.
    setImmediate(() => process.exit(0));
    return 0;
  },
};
