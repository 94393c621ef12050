import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelAnswer, ModelRequest } from "./model-server.js";
import { type Heard, messagesIn, readIn, type Scene, type Step } from "./scene.js";

/** What a real client must show. `run` throws where it does not; a text that it returns is a limit of the client's own. */
export interface Expectation {
  name: string;
  /** null: for every client. */
  clients: readonly string[] | null;
  run(scene: Scene): Promise<string | undefined>;
}

const WIDER = "export function b(x: number, y: number): number {\\n  return x * y;\\n}\\n";
const commitOf = (file: string, text: string) => `printf '${text}' > ${file} && git add -A && git commit -q -m change`;

/** A commit of the agent's own, after which a description may be wrong. */
const CHANGE: Step = { shell: commitOf("src/b.ts", WIDER) };
const changeByUser = (scene: Scene) => scene.sh(commitOf("src/b.ts", WIDER));

const install = (scene: Scene, ...more: string[]) =>
  scene.ua("install", "--yes", "--agent", scene.client.name, ...more);

/** The turn ended well, and the model was asked. */
async function turn(scene: Scene, steps: readonly Step[], options = {}): Promise<Heard> {
  const heard = await scene.turn(steps, options);
  assert.equal(heard.code, 0, heard.output.slice(-2000));
  return heard;
}

const counts = (requests: readonly ModelRequest[]) => requests.map(messagesIn);
const last = (requests: readonly ModelRequest[]) => requests.at(-1) ?? assert.fail("the model was not asked");

/** Requests beside the conversation, for a title or a topic, have no message. */
const assertElsewhere = ({ other }: Heard) => assert.deepEqual(counts(other).filter(Boolean), [], "in another request");

const MANY_TOKENS = 900_000;

/** Makes the client shorten its conversation. */
async function compact(scene: Scene): Promise<void> {
  const { compact: how } = scene.client;
  if (typeof how === "object") await turn(scene, [], how);
  else if (how === "after a text") await turn(scene, [{ text: "A long answer. ".repeat(3000), used: MANY_TOKENS }]);
  else await turn(scene, [{ shell: "seq 1 5000" }, { shell: "seq 1 5000", used: MANY_TOKENS }]);
}

/** The command that our message names. */
function claimIn({ system, messages }: ModelRequest): string {
  const all = [system, ...messages.map(({ text }) => text)].join("\n").replaceAll("\\\\", "\\");
  return /Next: `(.+? claim --json[^`]*)`/.exec(all)?.[1] ?? assert.fail("no message names a command");
}

const SUMMARY = "Multiplies two numbers.";
const RESULT = {
  files: ["src/b.ts"],
  nodes: [
    {
      id: "file:src/b.ts",
      type: "file",
      name: "b.ts",
      filePath: "src/b.ts",
      summary: SUMMARY,
      tags: [],
      complexity: "simple",
    },
    ...[{ id: "function:src/b.ts:b", type: "function", name: "b", filePath: "src/b.ts", lineRange: [1, 3] }].map(
      (node) => ({
        ...{ ...node, summary: SUMMARY, tags: [], complexity: "simple" },
      }),
    ),
  ],
  edges: [],
};

async function assertDescribed(scene: Scene): Promise<void> {
  const { status, reason } = JSON.parse(await scene.ua("status", "--json")) as { status: string; reason: string };
  assert.equal(status, "fresh", reason);
  assert.equal(readIn(scene.place, ".understand-anything/pending-update.json"), null);
  assert.ok(readIn(scene.place, ".understand-anything/knowledge-graph.json")?.includes(SUMMARY));
}

/** A model that describes every id of the packets. Gemini CLI first asks which model to take. */
function describePackets(request: ModelRequest): ModelAnswer {
  if (JSON.stringify(request.body).includes("responseJsonSchema"))
    return {
      text: JSON.stringify({ complexity_reasoning: "-", complexity_score: 10, reasoning: "-", model_choice: "flash" }),
    };
  const text = request.messages.map((message) => message.text).join("\n");
  const ids = [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id = ""]) => id);
  return { text: JSON.stringify({ descriptions: Object.fromEntries(ids.map((id) => [id, { summary: SUMMARY }])) }) };
}

const lease = async (scene: Scene) =>
  (JSON.parse(await scene.ua("pending", "--json")) as { lease?: { holder: string } | null }).lease ?? null;

export const EXPECTATIONS: readonly Expectation[] = [
  {
    ...{ name: "nothing pending: no message", clients: null },
    run: async (scene) => {
      await install(scene);
      const heard = await turn(scene, [{ shell: "git commit -q --allow-empty -m empty" }]);
      assert.deepEqual(counts(heard.main).filter(Boolean), []);
      assertElsewhere(heard);
      return undefined;
    },
  },
  {
    ...{ name: "pending at the start: in the first request, once", clients: null },
    run: async (scene) => {
      await install(scene);
      await changeByUser(scene);
      const heard = await turn(scene, [{ shell: "echo hi" }]);
      assert.deepEqual(counts(heard.main), [1, 1]);
      assertElsewhere(heard);
      return undefined;
    },
  },
  {
    ...{ name: "five commits of its own, one of them a change: one message, at once", clients: null },
    run: async (scene) => {
      await install(scene);
      const plain: Step = { shell: "git commit -q --allow-empty -m empty" };
      const heard = await turn(scene, [plain, CHANGE, plain, plain, plain]);
      assert.deepEqual(counts(heard.main), [0, 0, 1, 1, 1, 1]);
      assertElsewhere(heard);
      return undefined;
    },
  },
  {
    ...{ name: "a sub-agent commits: its parent gets the message, it does not", clients: null },
    run: async (scene) => {
      await install(scene);
      const { waiting } = scene.client;
      const heard = await turn(scene, [
        { sub: [CHANGE, { shell: "echo in the sub-agent" }] },
        ...(waiting === undefined ? [] : [waiting]),
        { shell: "echo in the parent" },
      ]);
      assert.ok(heard.sub.length >= 3, `the sub-agent asked ${heard.sub.length} times\n${heard.output.slice(-1500)}`);
      assert.deepEqual(counts(heard.sub).filter(Boolean), []);
      assert.equal(messagesIn(last(heard.main)), 1);
      return undefined;
    },
  },
  {
    ...{ name: "resumed: the message is there once", clients: null },
    run: async (scene) => {
      await install(scene);
      await changeByUser(scene);
      await turn(scene, []);
      const heard = await turn(scene, [{ shell: "echo hi" }]);
      assert.deepEqual(counts(heard.main), [1, 1]);
      return undefined;
    },
  },
  {
    ...{ name: "after a compaction: sent again", clients: null },
    run: async (scene) => {
      await install(scene);
      await turn(scene, [CHANGE]);
      await compact(scene);
      const heard = await turn(scene, [{ shell: "echo hi" }]);
      const request = last(heard.main);
      const history = request.messages.map(({ text }) => text).join("\n");
      assert.ok(!history.includes("git commit -q -m change"), "the conversation was not shortened");
      assert.equal(messagesIn(request), 1);
      return undefined;
    },
  },
  {
    ...{ name: "from the message to a description, by shell", clients: null },
    run: async (scene) => {
      await install(scene);
      const file = join(scene.place.home, "result.json");
      writeFileSync(file, JSON.stringify(RESULT));
      const heard = await turn(scene, [
        CHANGE,
        { shell: (request) => claimIn(request) },
        { shell: (request) => `${claimIn(request).split(" claim ")[0]} apply ${file} --json` },
      ]);
      assert.equal(messagesIn(last(heard.main)), 1);
      await assertDescribed(scene);
      const next = await turn(scene, []);
      assert.ok(!/since the knowledge graph was made/.test(last(next.main).system) || scene.client.name === "codex");
      return undefined;
    },
  },
  {
    ...{ name: "from the message to a description, by MCP", clients: null },
    run: async (scene) => {
      await install(scene);
      scene.client.addMcp(scene.place, "sh", [join(scene.place.repo, ".git/ua-hooks/bin/ua-hooks"), "mcp"]);
      const heard = await turn(scene, [
        CHANGE,
        { tool: /claim_update$/, input: () => ({}) },
        { tool: /apply_update$/, input: () => ({ result: RESULT, ...RESULT }) },
      ]);
      assert.ok(
        heard.main[0]?.tools.some((name) => /claim_update$/.test(name)),
        heard.main[0]?.tools.join(" "),
      );
      await assertDescribed(scene);
      return undefined;
    },
  },
  {
    ...{ name: "the session's end gives its lease back", clients: null },
    run: async (scene) => {
      await install(scene);
      await turn(scene, [CHANGE, { shell: (request) => claimIn(request) }]);
      const left = await lease(scene);
      if (left === null) return undefined;
      const { name } = scene.client;
      assert.equal(name, "opencode", `${left.holder} still holds it`);
      return "it reports no end of a session, only its deletion: the lease expires";
    },
  },
  {
    name: "without a session: no tool is offered, a commit ends with a description",
    clients: ["claude", "gemini", "copilot", "opencode"],
    run: async (scene) => {
      await install(scene);
      await changeByUser(scene);
      await scene.ua("trust", "--analyzer", scene.client.name, "--tokens-per-day", "100000");
      scene.model.play = describePackets;
      await scene.ua("run", "--analyzer", scene.client.name);
      const asked = scene.model.requests.filter(({ messages }) =>
        messages.some(({ text }) => text.includes("packets")),
      );
      assert.ok(asked.length > 0, "the model was not asked");
      assert.deepEqual(
        asked.flatMap(({ tools }) => tools),
        [],
        "tools were offered",
      );
      await assertDescribed(scene);
      return undefined;
    },
  },
  {
    ...{ name: "Claude Code's settings are there, too: one message", clients: ["copilot"] },
    run: async (scene) => {
      await scene.ua("install", "--yes", "--agent", "claude,copilot");
      await changeByUser(scene);
      assert.deepEqual(counts((await turn(scene, [{ shell: "echo hi" }])).main), [1, 1]);
      return undefined;
    },
  },
  {
    ...{ name: "only Claude Code's settings: still a message", clients: ["copilot"] },
    run: async (scene) => {
      await scene.ua("install", "--yes", "--agent", "claude");
      assert.equal(messagesIn(last((await turn(scene, [CHANGE, { shell: "echo hi" }])).main)), 1);
      return undefined;
    },
  },
  {
    ...{ name: "not trusted: skipped by the client, and status says so", clients: ["codex", "gemini", "copilot"] },
    run: async (scene) => {
      await install(scene);
      scene.client.distrust?.(scene.place);
      const heard = await scene.turn([CHANGE, { shell: "echo hi" }], { untrusted: true });
      assert.deepEqual(counts(heard.main).filter(Boolean), []);
      const { agents } = JSON.parse(await scene.ua("status", "--json")) as {
        agents: { trusted: boolean; lastCall: string | null }[];
      };
      assert.deepEqual([agents[0]?.trusted, agents[0]?.lastCall], [false, null]);
      return undefined;
    },
  },
  {
    ...{ name: "the client rewrote its settings: uninstall removes our part only", clients: null },
    run: async (scene) => {
      await install(scene);
      await turn(scene, [CHANGE]);
      const { settings } = scene.client;
      const file = join(scene.place.repo, settings);
      // As a client writes it: parsed, one setting changed, written anew.
      const parsed = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
      writeFileSync(file, JSON.stringify({ ...parsed, theirs: { kept: true } }));
      await scene.ua("uninstall");
      const left = JSON.parse(readIn(scene.place, settings) ?? "null") as Record<string, unknown> | null;
      assert.deepEqual(left?.theirs, { kept: true });
      assert.ok(!JSON.stringify(left).includes("ua-hooks"), JSON.stringify(left));
      await scene.commit("new", { "src/c.ts": "export const c = 1;\n" });
      scene.newConversation();
      assert.deepEqual(counts((await turn(scene, [])).main), [0]);
      return undefined;
    },
  },
];
