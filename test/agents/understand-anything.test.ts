import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { hooksForCodex } from "../../src/agents/codex-trust.js";
import { theirView } from "../../src/agents/understand-anything.js";
import { locateProjectSync } from "../../src/repository/locate.js";
import { hear, run } from "../support/notification.js";
import { installedRepo, type Repo, repoAt, SMALL_PROJECT, until } from "../support/repo.js";
import { THEIR_PLUGIN, writeTheirPlugin } from "../support/their-plugin.js";
import { detached, detachedRepo, hold, quiet, stateDir, unseen } from "../support/workers.js";

type ClientName = "claude" | "codex";
const CLIENTS: readonly ClientName[] = ["claude", "codex"];
const DATA = ".understand-anything";

function put(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}

/** HOME is the test's own folder, and the clients' folders are in it. */
function enable(repo: Repo, enabled = true): void {
  put(join(repo.base, ".claude/settings.json"), { enabledPlugins: { [THEIR_PLUGIN]: enabled } });
  put(join(repo.base, ".codex/config.toml"), `model = "m"\n\n[plugins."${THEIR_PLUGIN}"]\nenabled = ${enabled}\n`);
}

const setSwitch = (repo: Repo, value: unknown, folder = "") =>
  repo.write({ [join(folder, DATA, "config.json")]: JSON.stringify(value === undefined ? {} : { autoUpdate: value }) });

function ready(repo: Repo): Repo {
  const { CLAUDE_CONFIG_DIR: _c, CLAUDE_PROJECT_DIR: _p, CODEX_HOME: _h, ...env } = repo.env;
  const own = repoAt(repo.dir, repo.base, env);
  own.write({ ".git/info/exclude": `${DATA}/\n` });
  assert.equal(own.ua("install", "--yes", "--agent", "claude,codex").code, 0);
  enable(own);
  return own;
}

interface Said {
  ours: boolean;
  theirs: boolean;
}

/** An agent's conversation in a folder, with both hooks, each started as the client starts it. */
class Conversation {
  said: Said[] = [];
  private readonly script: string;

  constructor(
    private readonly repo: Repo,
    private readonly client: ClientName,
    private readonly cwd: string,
    private readonly session: string,
  ) {
    this.script = writeTheirPlugin(join(repo.base, "market"));
  }

  async event(event: string, command = ""): Promise<Said> {
    const input = JSON.stringify({
      session_id: this.session,
      cwd: this.cwd,
      hook_event_name: event,
      source: "startup",
      ...(command === "" ? {} : { tool_name: "Bash", tool_input: { command } }),
    });
    const { cwd, repo } = this;
    const { stdout } = await hear(repo, [this.client, event], input, { cwd, env: repo.env });
    const runsTheirs = event !== "UserPromptSubmit";
    const other = runsTheirs
      ? await run(process.execPath, [this.script, event], input, { cwd, env: repo.env })
      : { stdout: "" };
    const said = { ours: stdout !== "", theirs: other.stdout !== "" };
    this.said.push(said);
    return said;
  }

  start = () => this.event("SessionStart");
  prompt = () => this.event("UserPromptSubmit");
  shell = (command: string) => this.event("PostToolUse", command);

  /** How many messages came since the last question. */
  heard(): number {
    const count = this.said.reduce((sum, { ours, theirs }) => sum + Number(ours) + Number(theirs), 0);
    this.said = [];
    return count;
  }
}

let serial = 0;
/** News each time: a conversation hears of a file once. */
const wider = () => {
  serial++;
  return { [`src/new${serial}.ts`]: "export function more(x: number): number {\n  return x;\n}\n" };
};

function speakerIn(repo: Repo, folder: string, client: ClientName): string | undefined {
  const { agents } = repo.at(folder).uaJson<{ agents: { client: string; speaks: string }[] }>("status");
  return agents.find((agent) => agent.client === client)?.speaks;
}

type PlaceName =
  | "main"
  | "sub-folder"
  | "linked"
  | "sub-folder of linked"
  | "tracked in linked"
  | "linked with own data";

/** The worktree, and the agent's current folder in it. */
function placeIn(repo: Repo, place: PlaceName): { worktree: Repo; folder: string } {
  if (place === "main") return { worktree: repo, folder: repo.dir };
  if (place === "sub-folder") return { worktree: repo, folder: join(repo.dir, "src") };
  const dir = join(repo.base, "linked");
  if (place === "tracked in linked") {
    const names = ["knowledge-graph.json", "fingerprints.json", "meta.json", "config.json"];
    repo.git("add", "-f", ...names.filter((name) => repo.has(join(DATA, name))).map((name) => join(DATA, name)));
    repo.git("commit", "-qm", "the artefacts");
  }
  repo.git("worktree", "add", "-q", dir, "-b", "linked");
  const worktree = repoAt(
    dir,
    repo.base,
    place === "linked with own data" ? { ...repo.env, UNDERSTAND_NO_WORKTREE_REDIRECT: "1" } : repo.env,
  );
  if (place === "linked with own data") {
    assert.equal(worktree.ua("install", "--yes").code, 0);
    if (repo.has(join(DATA, "config.json")))
      worktree.write({ [`${DATA}/config.json`]: repo.read(`${DATA}/config.json`) });
  }
  return { worktree, folder: place === "sub-folder of linked" ? join(dir, "src") : dir };
}

const PLACES: readonly PlaceName[] = [
  "main",
  "sub-folder",
  "linked",
  "sub-folder of linked",
  "tracked in linked",
  "linked with own data",
];
/** Where its hook finds a data dir in the current folder. */
const SEEN_BY_THEM: readonly PlaceName[] = ["main", "tracked in linked", "linked with own data"];

for (const client of CLIENTS) {
  for (const value of [true, undefined]) {
    for (const place of PLACES) {
      test(`${client}, ${place}, autoUpdate ${value ?? "absent"}: one message, from the one that status names`, async (t) => {
        const repo = ready(installedRepo(t));
        if (value !== undefined) setSwitch(repo, value);
        const { worktree, folder } = placeIn(repo, place);
        const isTheirs = value === true && SEEN_BY_THEM.includes(place);
        const expected = isTheirs ? "understand-anything" : "ua-hooks";

        const ofUser = new Conversation(repoAt(repo.dir, repo.base, worktree.env), client, folder, "s1");
        worktree.commit("wider", wider());
        assert.equal(speakerIn(worktree, folder, client), expected, "something is pending");
        assert.deepEqual(await ofUser.start(), { ours: !isTheirs, theirs: isTheirs });
        await ofUser.prompt();
        assert.equal(ofUser.heard(), 1, "session start and first prompt");

        worktree.commit("wider", wider());
        await ofUser.shell("git commit -qm wider");
        await ofUser.shell("ls");
        await ofUser.prompt();
        assert.equal(ofUser.heard(), 1, "after a commit of its own");

        worktree.commit("wider", wider());
        assert.deepEqual(
          await ofUser.prompt(),
          { ours: true, theirs: false },
          "between two prompts only ours can speak",
        );
        await ofUser.prompt();
        assert.equal(ofUser.heard(), 1, "a commit of the user");

        worktree.commit("wider", wider());
        await ofUser.shell("make release");
        await ofUser.prompt();
        assert.equal(ofUser.heard(), 1, "a commit that its hook does not recognize");
      });
    }
  }

  test(`${client}: with autoUpdate false both are silent, in every place`, async (t) => {
    const repo = ready(installedRepo(t));
    setSwitch(repo, false);
    const { worktree, folder } = placeIn(repo, "linked");
    for (const each of [repo, worktree]) each.commit("wider", wider());
    for (const cwd of [repo.dir, join(repo.dir, "src"), folder]) {
      const conversation = new Conversation(repo, client, cwd, "s1");
      await conversation.start();
      await conversation.prompt();
      await conversation.shell("git commit -qm x");
      assert.equal(conversation.heard(), 0);
    }
  });

  test(`${client}: a comment changes nothing for us; whoever speaks of it, we do not`, async (t) => {
    const repo = ready(installedRepo(t));
    setSwitch(repo, true);
    repo.commit("comment", { "src/b.ts": `// doubles\n${SMALL_PROJECT["src/b.ts"]}` });
    const conversation = new Conversation(repo, client, repo.dir, "s1");
    for (const said of [await conversation.start(), await conversation.shell("git commit -qm x")])
      assert.deepEqual(said, { ours: false, theirs: false }, "meta.json has HEAD again");
    assert.equal(speakerIn(repo, repo.dir, client), "understand-anything", "after the next commit");
  });

  test(`${client}: pending although meta.json has HEAD: its hook sees nothing, so ours speaks`, async (t) => {
    const repo = ready(installedRepo(t));
    setSwitch(repo, true);
    const text = "export function twice(x: number, y: number): number {\n  return x * y;\n}\n";
    const head = repo.commit("wider", { "src/b.ts": text });
    const meta = JSON.parse(repo.read(`${DATA}/meta.json`)) as Record<string, unknown>;
    type Entries = Record<string, Record<string, unknown>>;
    const { files } = JSON.parse(repo.read(`${DATA}/fingerprints.json`)) as { files: Entries };
    const theirs = Object.entries(files).map(([path, { blobOid: _b, extractor: _e, ...entry }]) => [path, entry]);
    const at = { version: "1.0.0", gitCommitHash: head, generatedAt: "now" };
    repo.write({
      [`${DATA}/fingerprints.json`]: JSON.stringify({ ...at, files: Object.fromEntries(theirs) }),
      [`${DATA}/meta.json`]: JSON.stringify({ ...meta, gitCommitHash: head, lastAnalyzedAt: "now" }),
    });
    assert.equal(repo.uaJson("status").status, "pending");
    assert.equal(speakerIn(repo, repo.dir, client), "ua-hooks");
    const conversation = new Conversation(repo, client, repo.dir, "s1");
    assert.deepEqual(await conversation.start(), { ours: true, theirs: false });
  });

  test(`${client}: its plugin is disabled while a conversation goes on`, async (t) => {
    const repo = ready(installedRepo(t));
    setSwitch(repo, true);
    repo.commit("wider", wider());
    const conversation = new Conversation(repo, client, repo.dir, "s1");
    assert.deepEqual(await conversation.start(), { ours: false, theirs: true });
    const told = join(stateDir(repo), "told");
    const lines = readdirSync(told).map((name) => readFileSync(join(told, name), "utf8"));
    assert.doesNotMatch(lines.join("\n"), /SessionStart/, "what was not sent is not noted as sent");
    enable(repo, false);
    assert.equal(speakerIn(repo, repo.dir, client), "ua-hooks");
    repo.commit("wider", wider());
    assert.equal((await conversation.shell("git commit -qm wider")).ours, true);
    assert.equal((await new Conversation(repo, client, repo.dir, "s2").start()).ours, true);
  });
}

test("what it said while ours was waiting for the worker is not said again", async (t) => {
  const repo = ready(detachedRepo(t));
  const idle = detached(repo);
  setSwitch(repo, true);
  const conversation = new Conversation(repo, "claude", repo.dir, "s1");
  assert.equal((await conversation.start()).ours, false);
  const held = hold(idle, "verify.save");
  detached(idle, { UA_HOOKS_FAULT: held.fault }).commit("wider", wider());
  await until("the runner is at work", held.reached);
  assert.deepEqual(await conversation.shell("git commit -qm wider"), { ours: false, theirs: true });
  held.letGo();
  await quiet(idle);
  assert.equal(idle.uaJson("status").status, "pending");
  assert.equal((await conversation.shell("ls")).ours, false);
  assert.equal((await conversation.prompt()).ours, false);
  unseen(idle).commit("wider", wider());
  assert.equal((await conversation.prompt()).ours, true, "another commit, of which nobody has told it");
});

test("trouble is ours to report: its hook says nothing about it", async (t) => {
  const repo = ready(installedRepo(t));
  setSwitch(repo, true);
  repo.commit("wider", wider());
  for (const name of ["state.db-wal", "state.db-shm", "proofs"])
    rmSync(join(stateDir(repo), name), { recursive: true, force: true });
  writeFileSync(join(stateDir(repo), "state.db"), "no database");
  const input = JSON.stringify({ session_id: "s1", hook_event_name: "SessionStart" });
  assert.match((await hear(repo, ["claude", "SessionStart"], input)).stdout, /is unknown/);
});

const viewOf = (repo: Repo, client: string, env: NodeJS.ProcessEnv = {}) => {
  const project = locateProjectSync({ cwd: repo.dir, env: {} });
  return theirView({ client, folder: repo.dir, project, env: { HOME: repo.base, ...env } });
};

/** A repository whose graph is behind HEAD. */
function staleRepo(t: TestContext): Repo {
  const repo = installedRepo(t);
  setSwitch(repo, true);
  repo.commit("wider", wider());
  return repo;
}

test("Claude Code: the nearest settings with an entry for the plugin decide", (t) => {
  const repo = staleRepo(t);
  const plugins = (value: unknown) => ({ enabledPlugins: { "other@x": true, [THEIR_PLUGIN]: value } });
  const isSeen = (env = {}) => viewOf(repo, "claude", env)?.isStale === true;
  assert.equal(isSeen(), false, "nowhere named");
  const home = join(repo.base, ".claude/settings.json");
  put(home, plugins(true));
  assert.equal(isSeen(), true);
  put(join(repo.base, "elsewhere/settings.json"), plugins(false));
  assert.equal(isSeen({ CLAUDE_CONFIG_DIR: join(repo.base, "elsewhere") }), false);
  const shared = join(repo.dir, ".claude/settings.json");
  put(shared, plugins(false));
  assert.equal(isSeen(), false, "the project's, before the user's");
  const local = join(repo.dir, ".claude/settings.local.json");
  put(local, plugins(true));
  assert.equal(isSeen(), true, "the local ones, before the project's");
  put(local, plugins(["1.0.0"]));
  assert.equal(isSeen(), false, "a list of versions leaves it off");
  put(local, { enabledPlugins: { "other@x": true } });
  assert.equal(isSeen(), false, "no entry for it: the project's again");
  put(local, "{ // comments are not read by it");
  put(shared, plugins(true));
  assert.equal(isSeen(), true);
  const started = join(repo.dir, "src");
  put(join(started, ".claude/settings.json"), plugins(false));
  assert.equal(isSeen({ CLAUDE_PROJECT_DIR: started }), false, "started in a sub-folder");
  assert.equal(isSeen({ CLAUDE_PROJECT_DIR: repo.base }), true, "a folder of another project counts for nothing");
});

test("Claude Code: local settings of the main worktree count in a linked one, too", (t) => {
  const repo = staleRepo(t);
  repo.git("worktree", "add", "-q", join(repo.base, "linked"), "-b", "linked");
  const linked = repo.at(join(repo.base, "linked"));
  const isSeen = () => viewOf(linked, "claude") !== null;
  for (const name of ["config.json", "meta.json", "knowledge-graph.json"])
    put(join(linked.dir, DATA, name), repo.read(join(DATA, name)));
  put(join(repo.base, ".claude/settings.json"), { enabledPlugins: { [THEIR_PLUGIN]: true } });
  assert.equal(isSeen(), true);
  put(join(repo.dir, ".claude/settings.local.json"), { enabledPlugins: { [THEIR_PLUGIN]: false } });
  assert.equal(isSeen(), false);
  put(join(linked.dir, ".claude/settings.local.json"), { enabledPlugins: { [THEIR_PLUGIN]: true } });
  assert.equal(isSeen(), true, "its own come first");
});

test("Codex: every way to write the entry, and hooks that nobody approved", (t) => {
  const repo = staleRepo(t);
  const isSeen = (config: string, env = {}) => {
    put(join(repo.base, ".codex/config.toml"), config);
    return viewOf(repo, "codex", env)?.isStale === true;
  };
  const on = [
    `[plugins."${THEIR_PLUGIN}"]\nenabled = true\n`,
    `a = 1\n\n[ plugins . '${THEIR_PLUGIN}' ] # theirs\n  source = "x"\n  enabled=true # yes\n[other]\nenabled = false\n`,
    `[plugins]\n"${THEIR_PLUGIN}" = { source = "x", enabled = true }\n`,
    `plugins."${THEIR_PLUGIN}".enabled = true\n`,
    `[plugins."understand-anything@elsewhere"]\r\nenabled = true\r\n`,
    `[plugins."${THEIR_PLUGIN}"]\nenabled = true\n[plugins."${THEIR_PLUGIN}".mcp_servers.x]\nenabled = false\n`,
  ];
  for (const config of on) assert.equal(isSeen(config), true, config);
  const off = [
    "",
    `[plugins."${THEIR_PLUGIN}"]\nenabled = false\n`,
    `# [plugins."${THEIR_PLUGIN}"]\n# enabled = true\n`,
    `[plugins."another@x"]\nenabled = true\n`,
    `[plugins."not-understand-anything@x"]\nenabled = true\n`,
    `[[plugins."${THEIR_PLUGIN}"]]\nenabled = true\n`,
    `[plugins."${THEIR_PLUGIN}"`,
  ];
  for (const config of off) assert.equal(isSeen(config), false, config);
  put(join(repo.base, "codex-home/config.toml"), on[0]);
  assert.equal(isSeen("", { CODEX_HOME: join(repo.base, "codex-home") }), true);

  const project = (folder: string, text: string) => put(join(repo.dir, folder, ".codex/config.toml"), text);
  const onOrOff = (value: boolean) => `[plugins."${THEIR_PLUGIN}"]\nenabled = ${value}\n`;
  project("", onOrOff(false));
  assert.equal(isSeen(onOrOff(true)), false, "the project's config, before the user's");
  project("", onOrOff(true));
  assert.equal(isSeen(onOrOff(false)), true);
  project("", "model = 1");
  project("src", onOrOff(false));
  assert.equal(isSeen(onOrOff(true)), true, "of a folder below");

  // Ours are approved, so Codex asked about the plugin's, too.
  assert.equal(repo.ua("install", "--yes", "--agent", "codex").code, 0);
  const settings = join(repo.dir, ".codex/hooks.json");
  const state = (key: string, hash: string) => `[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`;
  const ours = hooksForCodex(readFileSync(settings, "utf8"), settings).map(({ key, hash }) => state(key, hash));
  const theirs = state(`${THEIR_PLUGIN}:hooks/hooks.json:session_start:0:0`, "sha256:00");
  assert.equal(isSeen(`${on[0]}${ours.join("")}`), false, "it runs ours only");
  assert.equal(isSeen(`${on[0]}${ours.join("")}${theirs}`), true);
  assert.equal(isSeen(`${on[0]}${theirs}`), true);
});

test("other clients have no such hook", (t) => {
  const repo = staleRepo(t);
  enable(repo);
  for (const client of ["gemini", "cursor", "copilot", "opencode"]) assert.equal(viewOf(repo, client), null, client);
});
