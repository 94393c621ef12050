import { revokeTrust, type TrustState, trustCommand, trustState } from "../analyzers/trust.js";
import { UaError } from "../errors.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Command } from "./command.js";
import { printable } from "./output.js";

export const trust: Command = {
  summary: "allow the configured analyzer command to run in this clone",
  usage: "[--revoke]",
  example: "ua-hooks trust",
  options: { revoke: { type: "boolean" } },
  help: { "--revoke": "trust no command any more" },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    return withContext(project, async (context) => {
      const config = await context.config();
      const db = await context.database();
      if (flags.revoke === true) revokeTrust(db);
      else {
        const { command } = trustState(db, config, project);
        if (command === null) {
          throw new UaError("usage", "there is no analyzer command in the config", "see docs/config.md, analyzer");
        }
        trustCommand(db, command, project);
      }
      const state = trustState(db, config, project);
      out.result({ schema: "ua-hooks.trust/1", ...state }, toLines(state));
      return 0;
    });
  },
};

function toLines({ command, trusted, scripts }: TrustState): string[] {
  if (command === null) return ["No analyzer command is configured; nothing is trusted."];
  return [
    `${trusted ? "Trusted in this clone:" : "Not trusted:"} ${printable(JSON.stringify(command))}`,
    ...scripts.map((script) => `  with the current content of ${printable(script)}`),
    ...(trusted ? ["Another command, or another content of these files, has to be trusted again."] : []),
  ];
}
