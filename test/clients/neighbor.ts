import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { THEIR_PLUGIN, THEIR_WORDS, writeTheirPlugin } from "../support/their-plugin.js";
import { type Expectation, install, last, turn } from "./common.js";
import type { ModelRequest } from "./model-server.js";
import { messagesIn, readIn, type Scene, type Step } from "./scene.js";

/** A plugin with the rule of Understand-Anything's own hook, installed and enabled as a user does it. */
async function addTheirPlugin(scene: Scene): Promise<void> {
  const market = join(dirname(scene.place.repo), "market");
  writeTheirPlugin(market);
  for (const args of scene.client.plugin?.(market, THEIR_PLUGIN) ?? []) {
    const { code, output } = await scene.start(args);
    assert.equal(code, 0, output);
  }
}

/** Who has told the conversation of an update, and how often. */
function heardIn(request: ModelRequest): { ours: number; theirs: number } {
  const theirs = THEIR_WORDS.replace(/[[\]]/g, "\\$&");
  return { ours: messagesIn(request), theirs: messagesIn(request, new RegExp(theirs, "g")) };
}

let files = 0;
/** News, also after other news: a file that was not there. */
function commitNews(): string {
  files++;
  const text = `export function news${files}(x: number): number {\\n  return x;\\n}\\n`;
  return `cd "$(git rev-parse --show-toplevel)" && printf '${text}' > src/news${files}.ts && git add src && git commit -q -m news`;
}

function speakerOf(scene: Scene, cwd: string): string {
  const launcher = join(scene.place.repo, ".git/ua-hooks/bin/ua-hooks");
  const { stdout } = spawnSync("sh", [launcher, "status", "--json"], { cwd, env: scene.env, encoding: "utf8" });
  const { agents } = JSON.parse(stdout) as { agents: { client: string; speaks: string }[] };
  return agents.find(({ client }) => client === scene.client.name)?.speaks ?? "nobody";
}

/** A session that starts there with something pending, and then a commit of its own: one message for each. */
async function tryPlace(scene: Scene, cwd: string, isTheirs: boolean): Promise<void> {
  const where = cwd.replace(dirname(scene.place.repo), "");
  await scene.sh(`cd '${cwd}' && ${commitNews()}`);
  assert.equal(speakerOf(scene, cwd), isTheirs ? "understand-anything" : "ua-hooks", where);
  scene.newConversation();
  const commit: Step = { shell: `cd '${cwd}' && (${commitNews()})` };
  const { main } = await turn(scene, [{ shell: "ls" }, commit, { shell: "ls" }], { cwd });
  const one = (count: number) => (isTheirs ? { ours: 0, theirs: count } : { ours: count, theirs: 0 });
  assert.deepEqual(main.map(heardIn), [one(1), one(1), one(2), one(2)], where);
  await scene.sh(`cd '${cwd}' && ${commitNews()}`);
  const prompted = await turn(scene, [{ shell: "ls" }], { cwd });
  // For its hook, a conversation that goes on is a session that starts.
  const { ours, theirs } = heardIn(last(prompted.main));
  assert.equal(ours + theirs, 3, `${where}: ${ours} of ours, ${theirs} of theirs`);
}

const beside = (value: boolean | null): Expectation => ({
  name: `beside Understand-Anything's own hook, autoUpdate ${value ?? "absent"}: one message in every place`,
  clients: ["claude", "codex"],
  run: async (scene) => {
    const { place, client } = scene;
    await install(scene);
    await addTheirPlugin(scene);
    const linked = join(dirname(place.repo), "linked");
    await scene.sh(`git worktree add -q '${linked}' -b linked`);
    // Its settings are for one worktree.
    if (client.name === "codex")
      await scene.sh(`cd '${linked}' && sh '${place.repo}/.git/ua-hooks/bin/ua-hooks' install --yes --agent codex`);
    if (value !== null) scene.write(".understand-anything/config.json", JSON.stringify({ autoUpdate: value }));
    for (const cwd of [place.repo, join(place.repo, "src"), linked, join(linked, "src")])
      await tryPlace(scene, cwd, value === true && cwd === place.repo);
    return undefined;
  },
});

/** Where the project says that the plugin is off, over what its user has enabled. */
const SWITCHED_OFF: Readonly<Record<string, (scene: Scene) => void>> = {
  claude: (scene) => {
    const file = ".claude/settings.local.json";
    const settings = JSON.parse(readIn(scene.place, file) ?? "{}") as Record<string, unknown>;
    scene.write(file, JSON.stringify({ ...settings, enabledPlugins: { [THEIR_PLUGIN]: false } }));
  },
  codex: (scene) => scene.write(".codex/config.toml", `[plugins."${THEIR_PLUGIN}"]\nenabled = false\n`),
};

const switchedOff: Expectation = {
  name: "Understand-Anything's plugin is switched off in the project: one message, ours",
  clients: Object.keys(SWITCHED_OFF),
  run: async (scene) => {
    await install(scene);
    await addTheirPlugin(scene);
    SWITCHED_OFF[scene.client.name]?.(scene);
    scene.write(".understand-anything/config.json", JSON.stringify({ autoUpdate: true }));
    await tryPlace(scene, scene.place.repo, false);
    return undefined;
  },
};

export const NEIGHBOR: readonly Expectation[] = [beside(true), beside(null), switchedOff];
