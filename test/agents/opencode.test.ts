import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { installedRepo } from "../support/repo.js";

interface Part {
  id: string;
  messageID: string;
  text: string;
  synthetic?: boolean;
}

/** As far as opencode's documented API goes: a plugin is a function of a context that returns hooks. */
interface Hooks {
  "chat.message"(input: { sessionID: string }, output: { message: { id: string }; parts: Part[] }): Promise<void>;
  "tool.execute.after"(input: { tool: string; sessionID: string }, output: { output: string }): Promise<void>;
  "experimental.chat.messages.transform"(
    input: object,
    output: { messages: { info: { id: string }; parts: Part[] }[] },
  ): Promise<void>;
  "shell.env"(input: { sessionID: string }, output: { env: Record<string, string> }): Promise<void>;
  event(input: { event: { type: string; properties?: unknown } }): Promise<void>;
}

interface Session {
  title: string;
  parentID?: string;
}

type Plugin = (context: { directory: string; worktree: string; client: unknown }) => Promise<Hooks>;

const OURS = /^ua-hooks: 1 file has changed in this worktree .*\n"src\/b\.ts" interface changed\nTo update the graph /;

test("opencode's plugin: in the conversation, once, not in a title, not for a sub-agent", async (t) => {
  const repo = installedRepo(t);
  process.env.UA_HOOKS_AGENT_TIMEOUT = repo.env.UA_HOOKS_AGENT_TIMEOUT; // the plugin starts its programs in this process' environment
  assert.equal(repo.ua("install", "--agent", "opencode").code, 0);
  const file = join(repo.dir, ".agents/ua-hooks/opencode.js");
  const exported = Object.values((await import(pathToFileURL(file).href)) as Record<string, Plugin>);
  assert.equal(exported.length, 1, "opencode takes every export for a plugin");
  const sessions: Record<string, Session> = { one: { title: "About b" }, sub: { title: "Part", parentID: "one" } };
  const get = async ({ path: { id } }: { path: { id: string } }) => ({ data: sessions[id] });
  const context = { directory: repo.dir, worktree: repo.dir, client: { session: { get } } };
  const hooks = (await exported[0]?.(context)) ?? assert.fail();
  let count = 0;
  /** The parts of a message as they are stored, and the texts that are sent. */
  const message = async (sessionID: string) => {
    const id = `msg_${count++}`;
    const parts = [{ id: `prt_${count}`, messageID: id, text: "theirs" }];
    await hooks["chat.message"]({ sessionID }, { message: { id }, parts });
    const sent = structuredClone(parts);
    await hooks["experimental.chat.messages.transform"]({}, { messages: [{ info: { id }, parts: sent }] });
    return { stored: parts.map(({ text }) => text).slice(1), sent: sent.map(({ text }) => text).slice(1) };
  };
  const afterTool = async (tool: string, sessionID: string) => {
    const output = { output: "theirs" };
    await hooks["tool.execute.after"]({ tool, sessionID }, output);
    return output.output.slice("theirs".length).trim();
  };

  assert.deepEqual(await message("one"), { stored: [], sent: [] }, "nothing pending");
  repo.commit("wider", { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" });
  assert.equal(await afterTool("read", "one"), "", "only a shell command can have moved HEAD");
  assert.equal(await afterTool("bash", "sub"), "", "its parent gets it");
  assert.match(await afterTool("bash", "one"), OURS);
  assert.deepEqual(await message("one"), { stored: [], sent: [] }, "once");

  sessions.two = { title: "New session - 2026-05-04T03:02:01.000Z" };
  const first = await message("two");
  assert.deepEqual(first.stored, [], "the title is made from what is stored");
  assert.match(first.sent.join(), OURS);
  sessions.three = { title: "Resumed" };
  const resumed = await message("three");
  assert.match(resumed.stored.join(), OURS);
  assert.deepEqual(resumed.sent, resumed.stored);
  await hooks.event({ event: { type: "session.compacted", properties: { sessionID: "three" } } });
  assert.match((await message("three")).stored.join(), OURS);

  const shell = { env: {} };
  await hooks["shell.env"]({ sessionID: "one" }, shell);
  assert.deepEqual(shell.env, { UA_HOOKS_OPENCODE_SESSION: "one" });
  assert.equal(repo.ua("uninstall").code, 0);
  assert.deepEqual(await message("four"), { stored: [], sent: [] }, "without ua-hooks it does nothing");
});
