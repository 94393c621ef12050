import { writeSync } from "node:fs";
import { CLIENTS } from "../agents/clients.js";
import { streamSource } from "../agents/input.js";
import { runAgent } from "../agents/run.js";
import type { Command } from "./command.js";

/** The command form of what install writes into agent settings; src/agents/main.ts is what the settings start. */
export const agent: Command = {
  summary: "print the message about pending updates in a coding agent's format",
  usage: "<client> [event]",
  example: "ua-hooks agent claude < input.json",
  options: {},
  help: {},
  positionals: true,
  hidden: true,
  async run({ cwd, positionals }) {
    const [client = ""] = positionals;
    // Never fails: the agent would show the error to its user at every command.
    if (!CLIENTS.has(client)) process.stderr.write(`ua-hooks: known agents: ${[...CLIENTS.keys()].join(", ")}\n`);
    process.chdir(cwd);
    await runAgent(positionals, (text) => writeSync(1, text), streamSource(process.stdin)).catch(() => undefined);
    // An open stdin or a long verification must not delay the agent; compiled code is saved before.
    setImmediate(() => process.exit(0));
    return 0;
  },
};
