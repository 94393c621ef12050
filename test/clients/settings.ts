import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksForCodex } from "../../src/agents/codex-trust.js";
import { CHANGE, changeByUser, counts, type Expectation, install, last, turn } from "./common.js";
import { messagesIn, readIn, type Scene } from "./scene.js";

/** The client writes its settings anew by a command of its own; one that has no such command, as such a command would. */
async function rewrite({ client, place, start }: Scene): Promise<string> {
  const { settings, rewrite: own } = client;
  if (own !== undefined) {
    const { code, output } = await start(own.args(place));
    assert.equal(code, 0, output);
    return own.adds;
  }
  const file = join(place.repo, settings);
  const parsed = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...parsed, theirs: { kept: true } }));
  return "theirs";
}

/** Our command in a settings file; a comment of the client may name us. */
const OURS = /ua-hooks\/|ua-hooks\.js|opencode\.js/;

/** At which the user's text arrives. */
const PROMPT_EVENTS: Readonly<Record<string, string>> = {
  ...{ claude: "UserPromptSubmit", codex: "UserPromptSubmit", gemini: "BeforeAgent", copilot: "userPromptSubmitted" },
};

export const SETTINGS: readonly Expectation[] = [
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
    ...{ name: "the prompt's event alone brings the message", clients: Object.keys(PROMPT_EVENTS) },
    run: async (scene) => {
      await install(scene);
      const file = join(scene.place.repo, scene.client.settings);
      const parsed = JSON.parse(readFileSync(file, "utf8")) as { hooks: Record<string, unknown> };
      const event = PROMPT_EVENTS[scene.client.name] ?? "";
      writeFileSync(file, JSON.stringify({ ...parsed, hooks: { [event]: parsed.hooks[event] } }));
      await changeByUser(scene);
      assert.deepEqual(counts((await turn(scene, [])).main), [1]);
      return undefined;
    },
  },
  {
    ...{
      name: "not trusted: skipped by the client, and install and status say so",
      clients: ["codex", "gemini", "copilot"],
    },
    run: async (scene) => {
      scene.client.distrust?.(scene.place);
      assert.match(await install(scene), /skips hooks that it does not trust: start \w+ here once/);
      const heard = await scene.turn([CHANGE, { shell: "echo hi" }], { untrusted: true });
      assert.deepEqual(counts(heard.main).filter(Boolean), []);
      const { agents } = JSON.parse(await scene.ua("status", "--json")) as {
        agents: { trusted: boolean; lastCall: string | null }[];
      };
      assert.deepEqual([agents[0]?.trusted, agents[0]?.lastCall], [false, null]);
      assert.match(await scene.ua("status"), /awaiting trust, it has not run our hook yet; start \w+ here once/);
      return undefined;
    },
  },
  {
    ...{
      name: "hooks that the user approved run; one that changed since is skipped, and status says so",
      clients: ["codex"],
    },
    run: async (scene) => {
      await install(scene);
      const hooks = join(scene.place.repo, scene.client.settings);
      const config = join(scene.place.home, ".codex/config.toml");
      const approved = hooksForCodex(readFileSync(hooks, "utf8"), hooks).map(
        ({ key, hash }) => `\n[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`,
      );
      writeFileSync(config, `${readFileSync(config, "utf8")}${approved.join("")}`);
      const trusted = async () => {
        const { agents } = JSON.parse(await scene.ua("status", "--json")) as { agents: { trusted: boolean }[] };
        return agents[0]?.trusted;
      };
      assert.equal(await trusted(), true);
      await changeByUser(scene);
      assert.deepEqual(counts((await turn(scene, [], { untrusted: true })).main), [1]);
      writeFileSync(hooks, readFileSync(hooks, "utf8").replaceAll('"timeout": 10', '"timeout": 9'));
      assert.equal(await trusted(), false);
      scene.newConversation();
      assert.deepEqual(counts((await turn(scene, [], { untrusted: true })).main), [0]);
      return undefined;
    },
  },
  {
    ...{ name: "the client rewrote its settings: uninstall removes our part only", clients: null },
    run: async (scene) => {
      await install(scene);
      await turn(scene, [CHANGE]);
      const { settings } = scene.client;
      const adds = await rewrite(scene);
      const rewritten = readIn(scene.place, settings) ?? "";
      assert.ok(rewritten.includes(adds) && OURS.test(rewritten), rewritten);
      await scene.ua("uninstall");
      const left = readIn(scene.place, settings) ?? "";
      assert.ok(left.includes(adds), left);
      assert.doesNotMatch(left, OURS);
      await scene.commit("new", { "src/c.ts": "export const c = 1;\n" });
      scene.newConversation();
      assert.deepEqual(counts((await turn(scene, [])).main), [0]);
      return undefined;
    },
  },
];
