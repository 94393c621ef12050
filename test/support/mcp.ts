import type { PassThrough } from "node:stream";
import type { TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { cli, type Repo } from "./repo.js";

export interface Session {
  client: Client;
  /** All that the server wrote to stderr so far. */
  said(): string;
  pid(): number;
  /** A tool's structured result; throws what the tool says where it fails. */
  call<T = Record<string, unknown>>(name: string, args?: Record<string, unknown>): Promise<T>;
  /** The words of a tool that fails. */
  failure(name: string, args?: Record<string, unknown>): Promise<string>;
}

/** `ua-hooks mcp` in a repository, with the official SDK's client at the other end. `mode`: which protocol era. */
export async function connect(
  t: TestContext,
  repo: Repo,
  {
    mode = "legacy" as "legacy" | "auto",
    cwd = repo.dir,
    env = {} as NodeJS.ProcessEnv,
    command: [program, ...first] = [process.execPath, cli] as [string, ...string[]],
  } = {},
): Promise<Session> {
  const all = { ...repo.env, ...env };
  const known = Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const server = { command: program, args: [...first, "mcp"], cwd, env: known, stderr: "pipe" as const };
  const transport = new StdioClientTransport(server);
  let said = "";
  (transport.stderr as PassThrough | null)?.on("data", (chunk) => {
    said += chunk;
  });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  await client.listTools(); // as every agent does: from then on the client compares results with the tools' schemas
  t.after(() => client.close());
  const text = (content: unknown) => (content as { text: string }[]).map((part) => part.text).join("\n");
  return {
    client,
    said: () => said,
    pid: () => transport.pid ?? -1,
    call: async <T>(name: string, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      if (result.isError === true) throw new Error(text(result.content));
      return result.structuredContent as T;
    },
    failure: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args });
      if (result.isError !== true) throw new Error(`${name} did not fail`);
      return text(result.content);
    },
  };
}
