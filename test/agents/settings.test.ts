import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { run } from "../support/notification.js";
import { makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";
import { gitsOwn, snapshot } from "../support/tree.js";

const FILES: Record<string, string> = {
  claude: ".claude/settings.local.json",
  codex: ".codex/hooks.json",
  cursor: ".cursor/hooks.json",
  gemini: ".gemini/settings.json",
  copilot: ".github/hooks/ua-hooks.json",
  opencode: "opencode.jsonc",
};
const ALL = Object.keys(FILES).join(",");

function startedRepo(t: TestContext): Repo {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  return repo;
}

function install(repo: Repo, ...args: string[]) {
  return repo.uaJson<{ written: { file: string }[]; notes: string[] }>("install", ...args);
}

interface Hook {
  command?: string;
  bash?: string;
  hooks?: Hook[];
}

/** Every command of ours in a settings file, by event. */
function commandsIn(text: string): [event: string, command: string][] {
  const { hooks } = JSON.parse(text) as { hooks: Record<string, Hook[]> };
  return Object.entries(hooks).flatMap(([event, list]) =>
    list
      .flatMap((one) => one.hooks ?? [one])
      .flatMap((hook): [string, string][] => {
        const command = hook.command ?? hook.bash ?? "";
        return command.includes("ua-hooks/agent.sh") ? [[event, command]] : [];
      }),
  );
}

test("install writes for every agent, a second time nothing, and uninstall leaves no trace", (t) => {
  const repo = startedRepo(t);
  const before = snapshot(repo.dir, gitsOwn);
  install(repo, "--agent", ALL);
  const events = (client: string) => commandsIn(repo.read(FILES[client] ?? "")).map(([event]) => event);
  assert.deepEqual(events("claude"), ["SessionStart", "PostToolUse", "UserPromptSubmit", "SessionEnd"]);
  assert.deepEqual(events("codex"), ["SessionStart", "PostToolUse", "UserPromptSubmit", "SessionEnd"]);
  assert.deepEqual(events("gemini"), ["SessionStart", "BeforeAgent", "AfterTool", "BeforeTool", "SessionEnd"]);
  assert.deepEqual(events("cursor"), ["sessionStart"]);
  assert.deepEqual(events("copilot"), [
    ...["sessionStart", "userPromptSubmitted", "postToolUse", "preCompact", "sessionEnd"],
  ]);
  assert.deepEqual(JSON.parse(repo.read("opencode.jsonc")), { plugin: ["./.agents/ua-hooks/opencode.js"] });
  assert.equal(repo.has(".opencode"), false, "opencode would install packages into it");
  assert.deepEqual(Object.keys(JSON.parse(repo.read(".codex/hooks.json"))), ["hooks"], "Codex refuses unknown keys");
  assert.equal(JSON.parse(repo.read(".cursor/hooks.json")).version, 1);
  assert.equal(repo.git("status", "--porcelain"), "", "local files are not for committing");
  const after = snapshot(repo.dir, (path) => /^\.git\/ua-hooks\/(state\.db|code|proofs)/.test(path));
  assert.deepEqual(install(repo, "--agent", ALL).written, []);
  assert.deepEqual(install(repo).written, [], "and not without the option either: it is remembered");
  assert.deepEqual(
    snapshot(repo.dir, (path) => /^\.git\/ua-hooks\/(state\.db|code|proofs)/.test(path)),
    after,
  );
  assert.equal(repo.ua("uninstall", "--purge", "--yes").code, 0);
  assert.deepEqual(snapshot(repo.dir, gitsOwn), before);
});

test("uninstall without --purge takes the agents' part out as well", (t) => {
  const repo = startedRepo(t);
  install(repo);
  const before = snapshot(repo.dir, (path) => gitsOwn(path) || path.startsWith(".git/ua-hooks"));
  install(repo, "--agent", ALL);
  assert.equal(repo.ua("uninstall").code, 0);
  install(repo);
  assert.deepEqual(
    snapshot(repo.dir, (path) => gitsOwn(path) || path.startsWith(".git/ua-hooks")),
    before,
  );
});

test("what is written runs in any shell, from a sub folder, a linked worktree, a moved repository; elsewhere it is silent", async (t) => {
  const repo = startedRepo(t);
  install(repo, "--agent", ALL);
  repo.commit("change", { "src/b.ts": "export function twice(): void {}\n" });
  const linked = join(repo.base, "linked");
  repo.git("worktree", "add", "-q", linked);
  const commands = ["claude", "codex", "gemini", "cursor", "copilot"].flatMap((client) =>
    commandsIn(repo.read(FILES[client] ?? "")),
  );
  const say = (shell: string, cwd: string, command: string, session: string) =>
    run(shell, ["-c", command], JSON.stringify({ session_id: session, sessionId: session }), { cwd, env: repo.env });
  const spoke = /since the knowledge graph was made/;
  for (const [, command] of commands.filter(([name]) => !/End$|Compact$|BeforeTool/.test(name))) {
    const { code, stdout, stderr } = await say("sh", repo.dir, command, command.replace(/\W/g, "").slice(-60));
    assert.deepEqual([code, stderr, spoke.test(stdout)], [0, "", true], command);
  }
  const [, command = ""] = commands[0] ?? [];
  assert.match((await say("bash", join(repo.dir, "src"), command, "sub")).stdout, spoke);
  assert.match((await say("sh", linked, command, "linked")).stdout, /linked worktree/);
  const clone = join(repo.base, "clone");
  repo.git("clone", "-q", repo.dir, clone);
  for (const cwd of [repo.base, clone]) {
    assert.deepEqual(await say("sh", cwd, command, "none"), { code: 0, stdout: "", stderr: "" });
  }
  const moved = join(repo.base, "moved to");
  renameSync(repo.dir, moved);
  assert.match((await say("sh", moved, command, "moved")).stdout, spoke);
  assert.equal(repo.at(moved).ua("uninstall").code, 0);
  for (const file of [...Object.values(FILES), ".agents"]) assert.equal(repo.at(moved).has(file), false, file);
});

const LAYOUTS: Record<string, string> = {
  "comments, own order, trailing commas":
    '// mine\n{\n    "model": "opus", // why\n    "hooks": {\n        "PostToolUse": [\n' +
    '            { "matcher": "Edit", "hooks": [{ "type": "command", "command": "fmt" }] } // theirs\n        ],\n    },\n}\n',
  tabs: '{\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t{ "hooks": [] }\n\t\t]\n\t},\n\t"z": 1\n}\n',
  "line ends of Windows and a byte order mark": '\ufeff{\r\n  "a": [1, 2],\r\n  "hooks": {}\r\n}\r\n',
  "one line, no newline at the end": '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"x"}]}]},"b":2}',
  "an empty object": "{}",
  "an empty file": "",
  "a comment at the end": '{\n  "a": 1 // last\n  /* and more */\n}\n',
};

for (const [what, text] of Object.entries(LAYOUTS)) {
  test(`settings of others survive: ${what}`, (t) => {
    const repo = startedRepo(t);
    const file = FILES.claude ?? "";
    repo.write({ [file]: text });
    install(repo, "--agent", "claude");
    const now = repo.read(file);
    // Every byte of theirs is there, in order, and nothing else but ours and a comma between.
    const ours = now.split(/\r?\n/).filter((line) => !text.split(/\r?\n/).includes(line));
    assert.ok(ours.length > 0);
    let at = 0;
    for (const char of text.trim()) {
      at = now.indexOf(char, at) + 1;
      assert.ok(at > 0, `${JSON.stringify(char)} is missing in ${now}`);
    }
    if (text.includes("\r\n")) assert.equal(now.replaceAll("\r\n", "").includes("\n"), false, "one kind of line ends");
    assert.deepEqual(install(repo, "--agent", "claude").written, []);
    assert.equal(repo.ua("uninstall").code, 0);
    assert.equal(repo.read(file), text, "byte for byte");
  });
}

test("settings that the user edited after install keep the edit, and lose only our part", (t) => {
  const repo = startedRepo(t);
  const file = FILES.claude ?? "";
  const text = LAYOUTS["comments, own order, trailing commas"] ?? "";
  repo.write({ [file]: text });
  install(repo, "--agent", "claude,cursor");
  repo.write({ [file]: repo.read(file).replace('"model": "opus"', '"model": "sonnet"') });
  repo.write({
    ".cursor/hooks.json": repo.read(".cursor/hooks.json").replace('"version": 1', '"version": 1, "mine": true'),
  });
  assert.equal(repo.ua("uninstall").code, 0);
  assert.equal(repo.read(file), text.replace("opus", "sonnet"));
  assert.deepEqual(JSON.parse(repo.read(".cursor/hooks.json")), { version: 1, mine: true });
});

test("a damaged entry is repaired by the next install, and status says so before", (t) => {
  const repo = startedRepo(t);
  install(repo, "--agent", "claude,codex");
  const file = FILES.claude ?? "";
  const good = repo.read(file);
  repo.write({ [file]: good.replace('"timeout": 10', '"timeout": 1'), ".codex/hooks.json": "{}\n" });
  const agents = () => repo.uaJson<{ agents: { client: string; state: string }[] }>("status").agents;
  const states = () => agents().map(({ client, state }) => `${client} ${state}`);
  assert.deepEqual(states(), ["claude outdated", "codex gone"]);
  install(repo);
  assert.deepEqual(states(), ["claude installed", "codex installed"]);
  assert.deepEqual(
    commandsIn(repo.read(file))
      .map(([event]) => event)
      .sort(),
    commandsIn(good)
      .map(([event]) => event)
      .sort(),
  );
  repo.write({ ".codex/hooks.json": "{" });
  assert.deepEqual(states(), ["claude installed", "codex damaged"]);
});

test("--shared: the committed files, asked for where git tracks them; teammates without us notice nothing", async (t) => {
  const repo = startedRepo(t);
  repo.commit("settings", { ".claude/settings.json": '{ "model": "opus" }\n', "AGENTS.md": "# Agents" });
  install(repo, "--agent", "claude,codex");
  install(repo, "--agent", "claude,codex", "--shared"); // nobody is there to ask
  assert.equal(repo.git("status", "--porcelain"), "", "a place that needs no asking");
  install(repo, "--agent", "claude,codex", "--shared", "--yes");
  assert.equal(commandsIn(repo.read(".claude/settings.json")).length, 4);
  assert.equal(repo.has(FILES.claude ?? ""), false, "in one of the two");
  assert.match(repo.read("AGENTS.md"), /^# Agents\n\n<!-- >>> ua-hooks >>> -->\n## Knowledge of this code\n/);
  assert.match(repo.git("status", "--porcelain"), /\.codex\//, "not excluded: to be committed");
  repo.commit("share", {});
  const clone = repo.at(join(repo.base, "clone"));
  repo.git("clone", "-q", repo.dir, clone.dir);
  for (const [, command] of commandsIn(clone.read(".claude/settings.json"))) {
    const heard = await run("sh", ["-c", command], "{}", { cwd: clone.dir, env: repo.env });
    assert.deepEqual(heard, { code: 0, stdout: "", stderr: "" });
  }
  // A teammate with ua-hooks is notified through the shared file; nothing local is added.
  const { notes } = install(clone, "--agent", "claude");
  assert.match(notes.join(), /claude is already notified through \.claude\/settings\.json/);
  assert.equal(clone.has(FILES.claude ?? ""), false);
  assert.equal(clone.git("status", "--porcelain"), "");
  assert.equal(repo.ua("uninstall").code, 0);
  assert.equal(repo.read(".claude/settings.json"), '{ "model": "opus" }\n');
  assert.equal(repo.read("AGENTS.md"), "# Agents");
});

test("a tracked file is left alone without --shared, and that is said", (t) => {
  const repo = startedRepo(t);
  repo.commit("cursor", { ".cursor/hooks.json": '{ "version": 1, "hooks": {} }\n' });
  const { stdout } = repo.ua("install", "--agent", "cursor");
  assert.match(stdout, /\.cursor\/hooks\.json is tracked by git and was not changed; --shared writes it/);
  assert.equal(repo.git("status", "--porcelain"), "");
});

test("settings that cannot be read, links, values of another kind and unknown agents: refused, nothing written", (t) => {
  const repo = startedRepo(t);
  writeFileSync(join(repo.base, "elsewhere.json"), "{}");
  mkdirSync(join(repo.dir, ".gemini"));
  symlinkSync(join(repo.base, "elsewhere.json"), join(repo.dir, ".gemini/settings.json"));
  repo.write({ ".claude/settings.local.json": "{ not json", ".codex/hooks.json": '{ "hooks": [] }' });
  repo.write({ ".cursor/hooks.json": Buffer.from('{ "version": 1 } // caf\xe9\n', "latin1") });
  const before = snapshot(repo.dir, gitsOwn);
  for (const [agent, code, words] of [
    ["claude", 5, /settings\.local\.json is not valid JSON/],
    ["codex", 5, /hooks in .*hooks\.json is not valid JSON/],
    ["gemini", 5, /is a symbolic link/],
    ["cursor", 5, /hooks\.json is not UTF-8/],
    ["emacs", 2, /unknown agent "emacs"/],
  ] as const) {
    const result = repo.ua("install", "--agent", agent);
    assert.equal(result.code, code, agent);
    assert.match(result.stderr, words);
    assert.deepEqual(snapshot(repo.dir, gitsOwn), before, agent);
  }
});

test("--agent auto: those that leave a sign, in the repository or at home", (t) => {
  const repo = startedRepo(t);
  mkdirSync(join(repo.dir, ".claude"));
  mkdirSync(join(repo.base, ".codex"));
  const written = install(repo, "--agent", "auto").written.map(({ file }) => file);
  assert.deepEqual(
    Object.entries(FILES).flatMap(([client, file]) => (written.includes(join(repo.dir, file)) ? [client] : [])),
    ["claude", "codex"],
  );
  const { HOME: _home, ...env } = repo.env;
  assert.equal(repoAt(repo.dir, repo.base, env).ua("install", "--agent", "auto").code, 0, "no HOME");
});

test("--dry-run writes nothing for agents either", (t) => {
  const repo = startedRepo(t);
  const before = snapshot(repo.dir);
  assert.ok(install(repo, "--agent", ALL, "--shared", "--dry-run").written.length > 8);
  assert.deepEqual(snapshot(repo.dir), before);
});

test("each worktree has its own settings, and uninstall finds them all", (t) => {
  const repo = startedRepo(t);
  const linked = repo.at(join(repo.base, "linked"));
  repo.git("worktree", "add", "-q", linked.dir);
  install(repo, "--agent", "claude");
  install(linked, "--agent", "codex");
  assert.ok(existsSync(join(linked.dir, ".codex/hooks.json")));
  assert.equal(repo.git("status", "--porcelain") + linked.git("status", "--porcelain"), "");
  assert.match(readFileSync(join(repo.dir, ".git/info/exclude"), "utf8"), /\/\.claude\/settings\.local\.json\n/);
  assert.equal(repo.ua("uninstall").code, 0);
  assert.equal(existsSync(join(linked.dir, ".codex")), false);
  assert.equal(repo.has(".claude"), false);
});
