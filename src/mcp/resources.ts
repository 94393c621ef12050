import type { McpServer } from "@modelcontextprotocol/server";
import { readView, requireSetUp } from "../hook/read.js";
import { worktreeOf } from "./worktree.js";

/** What a client can put into a conversation by itself. Each makes the proof first, like the tools. */
export function registerResources(server: McpServer, cwd: string): void {
  server.registerResource(
    "pending",
    "ua://pending",
    {
      title: "The pending update",
      description: "The marker of this worktree, whole (docs/marker.md)",
      mimeType: "application/json",
    },
    async (uri) => {
      const project = await worktreeOf(cwd, undefined);
      requireSetUp(project);
      const { marker } = await readView(project);
      return json(uri, marker ?? { schema: "ua-hooks.pending/1", state: "none" });
    },
  );
}

function json(uri: URL, value: unknown) {
  return { contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(value) }] };
}
