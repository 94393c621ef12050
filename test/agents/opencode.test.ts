import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { installedRepo } from "../support/repo.js";

/** As far as opencode's documented API goes: a plugin is a function of a context that returns hooks. */
interface Hooks {
  "chat.message"(input: { sessionID: string }, output: unknown): Promise<void>;
  "tool.execute.after"(input: { tool: string; sessionID: string; callID: string }, output: unknown): Promise<void>;
  "experimental.chat.system.transform"(input: { sessionID?: string }, output: { system: string[] }): Promise<void>;
  event(input: { event: { type: string; properties?: unknown } }): Promise<void>;
}

type Plugin = (context: { directory: string; worktree: string }) => Promise<Hooks>;

test("opencode's plugin: notified once per HEAD and session, there for the whole turn, gone with the next", async (t) => {
  const repo = installedRepo(t);
  assert.equal(repo.ua("install", "--agent", "opencode").code, 0);
  const file = join(repo.dir, ".opencode/plugins/ua-hooks.js");
  const exported = Object.values((await import(pathToFileURL(file).href)) as Record<string, Plugin>);
  assert.equal(exported.length, 1, "opencode takes every export for a plugin");
  const hooks = (await exported[0]?.({ directory: repo.dir, worktree: repo.dir })) ?? assert.fail();
  const system = async (sessionID: string) => {
    const output = { system: ["theirs"] };
    await hooks["experimental.chat.system.transform"]({ sessionID }, output);
    return output.system.slice(1);
  };
  const message = (sessionID: string) => hooks["chat.message"]({ sessionID }, {});

  await message("one");
  assert.deepEqual(await system("one"), [], "nothing pending");
  repo.commit("wider", { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" });
  await hooks["tool.execute.after"]({ tool: "read", sessionID: "one", callID: "c" }, {});
  assert.deepEqual(await system("one"), [], "only a shell command can have moved HEAD");
  await hooks["tool.execute.after"]({ tool: "bash", sessionID: "one", callID: "c" }, {});
  for (const _ of [1, 2]) {
    const [text, ...more] = await system("one");
    assert.deepEqual(more, []);
    assert.match(text ?? "", /^ua-hooks: 1 file has changed in this worktree .*\n"src\/b\.ts" interface\nNext: /);
  }
  assert.deepEqual(await system("two"), [], "another session has not asked yet");
  await message("one");
  assert.deepEqual(await system("one"), [], "the next turn: told already");
  await message("two");
  assert.equal((await system("two")).length, 1);
  await hooks.event({ event: { type: "session.deleted", properties: { info: { id: "two" } } } });
  assert.deepEqual(await system("two"), []);
  assert.equal(repo.ua("uninstall").code, 0);
  await message("three");
  assert.deepEqual(await system("three"), [], "without ua-hooks it does nothing");
});
