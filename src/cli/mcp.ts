import type { Command } from "./command.js";

export const mcp: Command = {
  summary: "serve what agents ask for, as an MCP server on standard input and output",
  usage: "",
  example:
    'claude mcp add ua-hooks -- sh "$(git rev-parse --path-format=absolute --git-common-dir)/ua-hooks/bin/ua-hooks" mcp',
  options: {},
  help: {},
  async run({ cwd }) {
    // The SDK is larger than all the rest of the program: only here.
    const { serve } = await import("../agents/mcp/server.js");
    await serve(cwd);
    return 0;
  },
};
