import { type McpServer, ResourceNotFoundError, ResourceTemplate, UriTemplate } from "@modelcontextprotocol/server";
import { visible } from "../../printable.js";
import { withContext } from "../../repository/context.js";
import { requireSetUp } from "../../repository/installed.js";
import type { Project } from "../../repository/locate.js";
import { readWorktree } from "../../sync/switch.js";
import { BEING_VERIFIED, readSoon } from "../../verification/soon.js";
import { describeNode, idsLike } from "./graph.js";
import { freshnessOf } from "./tools/get-freshness.js";
import { worktreeOf } from "./worktree.js";

const mimeType = "application/json";

/** Resources that a client can add to a conversation. Each verifies first, like the tools. */
export function registerResources(server: McpServer, cwd: string): void {
  const status = {
    title: "Freshness",
    description: "Whether the knowledge about this worktree is up to date",
    mimeType,
  };
  server.registerResource("status", "ua://status", status, async (uri) => {
    return json(uri, { schema: "ua-hooks.freshness/1", ...(await withContext(await here(cwd), freshnessOf)) });
  });
  const pending = { title: "The pending update", description: "This worktree's complete marker", mimeType };
  server.registerResource("pending", "ua://pending", pending, async (uri) => {
    const soon = await withContext(await here(cwd), (context) => readSoon(context, readWorktree));
    const schema = "ua-hooks.pending/1";
    if (soon.found === null)
      return json(uri, { schema, state: "unknown", reason: BEING_VERIFIED, lastKnown: soon.beingVerified });
    return json(uri, soon.found.marker ?? { schema, state: "none" });
  });
  const node = {
    title: "A node of the knowledge graph",
    description: "By id: file:src/a.ts, function:…, class:…",
    mimeType,
  };
  const template = new ResourceTemplate(new NodeUri("ua://graph/{node}"), {
    list: undefined, // thousands
    complete: { node: async (start) => withContext(await here(cwd), (context) => idsLike(context, start)) },
  });
  server.registerResource("graph", template, node, async (uri, { node: given }) => {
    const found = await withContext(await here(cwd), (context) => describeNode(context, String(given)));
    if (found === null) throw new ResourceNotFoundError(uri.href, `the graph has no node ${JSON.stringify(given)}`);
    return json(uri, found);
  });
}

async function here(cwd: string): Promise<Project> {
  const project = await worktreeOf(cwd, undefined);
  requireSetUp(project);
  return project;
}

/** Ids contain slashes: a client may have encoded them, as the template requires, or not. */
class NodeUri extends UriTemplate {
  override match(uri: string): Record<string, string> | null {
    const [, node] = /^ua:\/\/graph\/(.+)$/s.exec(uri) ?? [];
    if (node === undefined) return null;
    try {
      return { node: decodeURIComponent(node) };
    } catch {
      return { node }; // a literal percent sign
    }
  }
}

function json(uri: URL, value: unknown) {
  return { contents: [{ uri: uri.href, mimeType, text: visible(JSON.stringify(value)) }] };
}
