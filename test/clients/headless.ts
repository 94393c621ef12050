import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  addMcp,
  assertDescribed,
  changeByUser,
  type Expectation,
  graphOf,
  install,
  markerOf,
  SUMMARY,
} from "./common.js";
import type { ModelAnswer, ModelRequest } from "./model-server.js";
import type { Scene } from "./scene.js";

/** Clients that are seen to offer their model no tool. */
const CLIENTS = ["claude", "gemini", "copilot", "opencode"];

/** Gemini CLI first asks which model to take. */
const isAboutModels = ({ body }: ModelRequest) => JSON.stringify(body).includes("responseJsonSchema");
const MODEL_CHOICE = JSON.stringify({
  ...{ complexity_reasoning: "-", complexity_score: 10, reasoning: "-", model_choice: "flash" },
});

/** A model that describes every id of the packets. */
function describePackets(request: ModelRequest): ModelAnswer {
  if (isAboutModels(request)) return { text: MODEL_CHOICE };
  const text = request.messages.map((message) => message.text).join("\n");
  const ids = [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id = ""]) => id);
  return { text: JSON.stringify({ descriptions: Object.fromEntries(ids.map((id) => [id, { summary: SUMMARY }])) }) };
}

const trust = ({ ua, client }: Scene, tokens = "100000") =>
  ua("trust", "--analyzer", client.name, "--tokens-per-day", tokens);

const asked = ({ model }: Scene) =>
  model.requests.filter(({ messages }) => messages.some(({ text }) => text.includes('"packets"')));

function assertNoTools(scene: Scene): void {
  assert.ok(asked(scene).length > 0, "the model was not asked");
  const offered = asked(scene).flatMap(({ tools }) => tools);
  assert.deepEqual(offered, [], "tools were offered");
}

/** Answers that cannot be used. `orders`: the model does what the code says, with tools that it was not offered. */
function uselessAnswers({ place }: Scene): Record<string, (asked: number) => ModelAnswer | Promise<ModelAnswer>> {
  const command = `touch ${join(place.home, "harm")}`;
  const tools = ["Bash", "bash", "run_shell_command", "shell"];
  return {
    rubbish: () => ({ text: "I would rather not." }),
    nothing: () => ({ text: "" }),
    orders: (count) =>
      count === 0
        ? { calls: tools.map((tool) => ({ tool, input: { command, description: "Runs a command" } })) }
        : { text: JSON.stringify({ descriptions: { "file:src/a.ts": { summary: `Run ${command}.` } } }) },
  };
}

async function assertUseless(scene: Scene, attempts: number): Promise<void> {
  const before = graphOf(scene);
  await assert.rejects(scene.ua("run", "--analyzer", scene.client.name));
  assert.deepEqual([markerOf(scene)?.attempts, markerOf(scene)?.lease], [attempts, null]);
  assert.equal(graphOf(scene), before);
  assert.equal(existsSync(join(scene.place.home, "harm")), false, "a command was run");
}

export const HEADLESS: readonly Expectation[] = [
  {
    ...{ name: "without a session: no tool is offered, the marker goes, a description comes", clients: CLIENTS },
    run: async (scene) => {
      await install(scene);
      addMcp(scene); // the user's own servers are not for it
      await changeByUser(scene);
      await trust(scene);
      scene.model.play = describePackets;
      await scene.ua("run", "--analyzer", scene.client.name);
      assertNoTools(scene);
      await assertDescribed(scene);
      return undefined;
    },
  },
  {
    ...{ name: "mode inline: a commit with no session open ends with a description", clients: CLIENTS },
    run: async (scene) => {
      await install(scene);
      scene.write(".ua-hooksrc.json", JSON.stringify({ mode: "inline", analyzer: scene.client.name }));
      await scene.ua("trust", "--tokens-per-day", "100000");
      scene.model.play = describePackets;
      await changeByUser(scene);
      const until = Date.now() + 120_000;
      while (!graphOf(scene).includes(SUMMARY) && Date.now() < until) await sleep(200);
      assertNoTools(scene);
      await assertDescribed(scene);
      return undefined;
    },
  },
  {
    ...{ name: "without a session: rubbish, nothing, orders: one attempt each and no harm", clients: CLIENTS },
    run: async (scene) => {
      await install(scene);
      await changeByUser(scene);
      await trust(scene);
      let attempts = 0;
      for (const answer of Object.values(uselessAnswers(scene))) {
        let count = 0;
        scene.model.play = (request) => (isAboutModels(request) ? { text: MODEL_CHOICE } : answer(count++));
        await assertUseless(scene, ++attempts);
      }
      return undefined;
    },
  },
  {
    ...{ name: "without a session: an answer that comes too late is one attempt", clients: CLIENTS },
    run: async (scene) => {
      await install(scene);
      scene.write(".ua-hooksrc.json", '{ "analyzerTimeoutMs": 20000 }');
      await changeByUser(scene);
      await trust(scene);
      scene.model.play = () => new Promise<never>(() => {}); // no answer: the client is ended
      await assertUseless(scene, 1);
      return undefined;
    },
  },
  {
    ...{ name: "without a session: the budget stops it before the model is asked", clients: CLIENTS },
    run: async (scene) => {
      await install(scene);
      await changeByUser(scene);
      await trust(scene, "100");
      await assertUseless(scene, 0);
      assert.equal(scene.model.requests.length, 0);
      return undefined;
    },
  },
];
