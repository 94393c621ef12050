import { locateProject } from "../repository/locate.js";
import type { Command } from "./command.js";

export const mcp: Command = {
  summary: "an MCP server for agents, on standard input and output",
  usage: "",
  example:
    'claude mcp add ua-hooks -- sh "$(git rev-parse --path-format=absolute --git-common-dir)/ua-hooks/bin/ua-hooks" mcp',
  options: {},
  help: {},
  async run({ cwd }) {
    const project = await locateProject({ cwd, env: process.env }).catch(() => null); // each call says why
    if (project !== null) await (await import("../install/upgrade.js")).upgradeIfOlder(project).catch(() => {});
    // The SDK is larger than the rest of the program: loaded only here.
    const { serve } = await import("../agents/mcp/server.js");
    await serve(cwd);
    return 0;
  },
};
