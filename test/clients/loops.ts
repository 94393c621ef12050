import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  addMcp,
  assertDescribed,
  CHANGE,
  changeByUser,
  counts,
  type Expectation,
  install,
  last,
  SUMMARY,
  turn,
} from "./common.js";
import { logOf } from "./log.js";
import type { ModelRequest } from "./model-server.js";
import { type Heard, messagesIn, type Scene, type Step } from "./scene.js";

const textsOf = ({ system, messages }: ModelRequest) => [system, ...messages.map(({ text }) => text)].join("\n");

/** The command that our message names. */
function claimIn(request: ModelRequest): string {
  const all = textsOf(request).replaceAll("\\\\", "\\");
  return /`([^`]+? claim --json[^`]*)`/.exec(all)?.[1] ?? assert.fail("no message names a command");
}

/** What the packets of the claim ask for. */
const RESULT = {
  descriptions: { "file:src/b.ts": { summary: SUMMARY }, "function:src/b.ts:b": { summary: SUMMARY } },
};

/** The code is in the packets: the model reads no file. */
function assertPackets(request: ModelRequest): void {
  assert.match(textsOf(request), /packets[\s\S]*return x \* y/, "the claim's answer has no code");
}

/** A hook that is late, or finds a worker at work, leaves its message to the next event. */
const PAUSE: Step = { shell: "sleep 2" };

const CLAIM_BY_MCP = { tool: /claim_update$/, input: () => ({}) };
const APPLY_BY_MCP = { tool: /apply_update$/, input: () => RESULT };

/** Codex starts its MCP servers while it asks the model for the first time. */
function assertOffered({ main, output }: Heard): void {
  const isOffered = main.some(({ tools }) => tools.some((name) => /claim_update$/.test(name)));
  assert.ok(isOffered, `${main.at(-1)?.tools.join(" ")}\n${output.slice(-1500)}`);
}

const lease = async (scene: Scene) =>
  (JSON.parse(await scene.ua("pending", "--json")) as { lease?: { holder: string } | null }).lease ?? null;

export const LOOPS: readonly Expectation[] = [
  {
    ...{ name: "from the message to a description, by shell", clients: null },
    run: async (scene) => {
      await install(scene);
      const file = join(scene.place.home, "result.json");
      writeFileSync(file, JSON.stringify(RESULT));
      const heard = await turn(scene, [
        CHANGE,
        PAUSE,
        { shell: (request) => claimIn(request) },
        { shell: (request) => `${claimIn(request).split(" claim ")[0]} apply ${file} --json` },
      ]);
      assert.equal(messagesIn(last(heard.main)), 1);
      assertPackets(last(heard.main));
      await assertDescribed(scene);
      scene.log.push(...logOf(scene, heard));
      const next = await turn(scene, []);
      assert.ok(!/since the knowledge graph was made/.test(last(next.main).system) || scene.client.name === "codex");
      const { messages } = last(next.main);
      assert.doesNotMatch(messages.at(-1)?.text ?? "", /since the knowledge graph was made/, "sent again");
      scene.newConversation();
      assert.deepEqual(counts((await turn(scene, [])).main), [0]);
      return undefined;
    },
  },
  {
    ...{ name: "from the message to a description, by MCP", clients: null },
    run: async (scene) => {
      await install(scene);
      addMcp(scene);
      const heard = await turn(scene, [CHANGE, PAUSE, CLAIM_BY_MCP, APPLY_BY_MCP]);
      assertOffered(heard);
      assertPackets(last(heard.main));
      await assertDescribed(scene);
      scene.log.push(...logOf(scene, heard));
      return undefined;
    },
  },
  {
    ...{
      name: "at the point of use, by MCP: whether a description holds, whose it is, what changed since",
      clients: null,
    },
    run: async (scene) => {
      await install(scene);
      addMcp(scene);
      const node: Step = { tool: /get_node$/, input: () => ({ id: "function:src/b.ts:b" }) };
      const texts = textsOf(
        last((await turn(scene, [PAUSE, node, CHANGE, node, CLAIM_BY_MCP, APPLY_BY_MCP, node])).main),
      );
      for (const holds of [
        /made from the code itself, without a model; it still holds/,
        /made from the code itself, without a model; it may be false: its interface changed since/,
        /written in this clone by .{1,80}; it still holds/,
      ])
        assert.match(texts, holds);
      return undefined;
    },
  },
  {
    ...{ name: "a sandbox that cannot write .git: the command names the MCP tools, and they work", clients: ["codex"] },
    run: async (scene) => {
      await install(scene);
      addMcp(scene);
      const config = join(scene.place.home, ".codex/config.toml");
      writeFileSync(config, readFileSync(config, "utf8").replace("danger-full-access", "workspace-write"));
      await changeByUser(scene);
      const heard = await turn(scene, [
        { shell: "touch .git/mine || echo no mine" },
        { shell: (request) => claimIn(request) },
        CLAIM_BY_MCP,
        APPLY_BY_MCP,
      ]);
      assertOffered(heard);
      if (!textsOf(last(heard.main)).includes("no mine")) return "its sandbox does not run on this machine";
      assert.match(
        textsOf(heard.main[2] ?? last(heard.main)),
        /EROFS[\s\S]*the MCP tools claim_update and apply_update/,
      );
      await assertDescribed(scene);
      return undefined;
    },
  },
  {
    ...{ name: "a lease of another holder: the message says whose and until when", clients: null },
    run: async (scene) => {
      await install(scene);
      await changeByUser(scene);
      await scene.ua("claim", "--holder", "reviewer");
      const heard = await turn(scene, [{ shell: "echo hi" }]);
      assert.deepEqual(counts(heard.main), [1, 1]);
      assert.match(textsOf(last(heard.main)), /reviewer\\*" holds the lease until \d\d:\d\d UTC/);
      return undefined;
    },
  },
  {
    ...{ name: "its own lease: claimed again, and shown by pending", clients: null },
    run: async (scene) => {
      await install(scene);
      const again = { shell: claimIn };
      const pending = { shell: (request: ModelRequest) => `${claimIn(request).split(" claim ")[0]} pending` };
      const heard = await turn(scene, [CHANGE, PAUSE, again, again, pending]);
      const texts = textsOf(last(heard.main));
      assert.equal(texts.match(/packets[\s\S]{1,4000}?return x \* y/g)?.length, 2, "it was not claimed twice");
      assert.match(texts, new RegExp(`${scene.client.name}:\\S+ holds the lease until \\d\\d:\\d\\d UTC`));
      return undefined;
    },
  },
  {
    ...{ name: "the session's end gives its lease back", clients: null },
    run: async (scene) => {
      await install(scene);
      const heard = await turn(scene, [CHANGE, PAUSE, { shell: (request) => claimIn(request) }]);
      assertPackets(last(heard.main));
      const left = await lease(scene);
      if (left === null) return undefined;
      const { name } = scene.client;
      assert.equal(name, "opencode", `${left.holder} still holds it`);
      return "it reports no end of a session, only its deletion: the lease expires";
    },
  },
  {
    ...{ name: "a lease over MCP: claimed again, and the session's end gives it back", clients: null },
    run: async (scene) => {
      await install(scene);
      addMcp(scene);
      const heard = await turn(scene, [CHANGE, PAUSE, CLAIM_BY_MCP, CLAIM_BY_MCP]);
      const texts = textsOf(last(heard.main));
      assert.equal(texts.match(/packets[\s\S]{1,4000}?return x \* y/g)?.length, 2, "it was not claimed twice");
      const until = Date.now() + 10_000; // the server may end after its client
      while ((await lease(scene)) !== null && Date.now() < until) await sleep(200);
      assert.equal(await lease(scene), null);
      return undefined;
    },
  },
];
