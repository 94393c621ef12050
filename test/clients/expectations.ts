import assert from "node:assert/strict";
import { CHANGE, changeByUser, counts, type Expectation, install, last, turn } from "./common.js";
import { HEADLESS } from "./headless.js";
import { LOOPS } from "./loops.js";
import { NEIGHBOR } from "./neighbor.js";
import { type Heard, messagesIn, type Scene, type Step } from "./scene.js";
import { SETTINGS } from "./settings.js";

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

const MESSAGES: readonly Expectation[] = [
  {
    ...{ name: "nothing pending: no message, and no package comes into the project", clients: null },
    run: async (scene) => {
      await install(scene);
      const heard = await turn(scene, [{ shell: "git commit -q --allow-empty -m empty" }]);
      assert.deepEqual(counts(heard.main).filter(Boolean), []);
      assertElsewhere(heard);
      assert.doesNotMatch(await scene.sh("git status --porcelain --ignored"), /node_modules|\.opencode/);
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
    ...{ name: "the request for a title has no message", clients: ["opencode"] },
    run: async (scene) => {
      await install(scene);
      await changeByUser(scene);
      const heard = await turn(scene, []);
      assert.ok(
        heard.other.some(({ system }) => /title/i.test(system)),
        "no title was asked for",
      );
      assertElsewhere(heard);
      return undefined;
    },
  },
  {
    ...{ name: "a change by the user between two prompts: in the next request, once", clients: null },
    run: async (scene) => {
      await install(scene);
      assert.deepEqual(counts((await turn(scene, [])).main), [0]);
      await changeByUser(scene);
      assert.deepEqual(counts((await turn(scene, [{ shell: "echo hi" }])).main), [1, 1]);
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
];

export const EXPECTATIONS: readonly Expectation[] = [...MESSAGES, ...LOOPS, ...HEADLESS, ...SETTINGS, ...NEIGHBOR];
