import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hooksForCodex } from "../../src/agents/codex-trust.js";
import { hear } from "../support/notification.js";
import { installedRepo, type Repo, repoAt } from "../support/repo.js";

const WIDER = "export function twice(x: number, times: number): number {\n  return x * times;\n}\n";
const WIDEST =
  "export function twice(x: number, times: number, more: number): number {\n  return x * times + more;\n}\n";

/** One event of a client; whether it got a message. */
async function isNotified(repo: Repo, client: string, event: string, more: Record<string, unknown> = {}) {
  const input = { session_id: "one", hook_event_name: event, ...more };
  const { stdout, stderr, code } = await hear(repo, [client, event], JSON.stringify(input));
  assert.deepEqual([stderr, code], ["", 0]);
  return /since the knowledge graph was made/.test(stdout);
}

test("five commits of which one changes what is pending: one message", async (t) => {
  const repo = installedRepo(t);
  const after = () => isNotified(repo, "claude", "PostToolUse");
  const heard: boolean[] = [];
  repo.commit("a comment", { "src/a.ts": `// a\n${repo.read("src/a.ts")}` });
  heard.push(await after());
  repo.commit("wider", { "src/b.ts": WIDER });
  heard.push(await after());
  for (const text of ["one", "two", "three"]) {
    repo.commit(text, { "src/a.ts": `// ${text}\n${repo.read("src/a.ts")}` });
    heard.push(await after());
  }
  assert.deepEqual(heard, [false, true, false, false, false]);
  repo.commit("widest", { "src/b.ts": WIDEST });
  assert.equal(await after(), false, "the same symbol, changed in the same way");
  repo.commit("one more", { "src/b.ts": `${WIDEST}export function thrice(): void {}\n` });
  assert.equal(await after(), true, "another symbol of the same file");
  repo.commit("new", { "src/c.ts": "export const c = 1;\n" });
  assert.equal(await after(), true, "another file");
  repo.git("revert", "--no-edit", "HEAD");
  assert.equal(await after(), false, "less is nothing new");
});

test("delivered, then changed in the same way again: notified again", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  assert.equal(await isNotified(repo, "claude", "PostToolUse"), true);
  repo.uaJson("ack");
  repo.commit("back", { "src/b.ts": "export function twice(x: number): number {\n  return x * 2;\n}\n" });
  repo.uaJson("ack");
  repo.commit("wider again", { "src/b.ts": WIDEST });
  assert.equal(await isNotified(repo, "claude", "PostToolUse"), true);
});

const SUB_AGENTS: [client: string, event: string, mark: Record<string, unknown>][] = [
  ["claude", "PostToolUse", { agent_id: "a1", agent_type: "general-purpose" }],
  ["codex", "UserPromptSubmit", { agent_id: "a1", agent_type: "default" }],
  ["copilot", "postToolUse", { sessionId: "sub", agentId: "sub", parentAgentId: "one" }],
];

for (const [client, event, mark] of SUB_AGENTS) {
  test(`a sub-agent of ${client} gets no message, and its parent gets it at its next event`, async (t) => {
    const repo = installedRepo(t);
    repo.commit("wider", { "src/b.ts": WIDER });
    assert.equal(await isNotified(repo, client, event, mark), false);
    assert.equal(await isNotified(repo, client, event), true);
    assert.equal(await isNotified(repo, client, event), false);
  });
}

test("Gemini CLI: no message while a sub-agent runs, since its events look like its parent's", async (t) => {
  const repo = installedRepo(t);
  const agent = { tool_name: "invoke_agent" };
  const shell = { tool_name: "run_shell_command" };
  const event = (name: string, more: Record<string, unknown>) => isNotified(repo, "gemini", name, more);
  assert.equal(await event("BeforeTool", agent), false);
  assert.equal(await event("BeforeTool", agent), false);
  repo.commit("wider", { "src/b.ts": WIDER });
  assert.equal(await event("AfterTool", shell), false);
  assert.equal(await event("AfterTool", agent), false, "another one still runs");
  assert.equal(await event("AfterTool", agent), true, "the parent's own event");
  // A client that was killed reports no end.
  assert.equal(await event("BeforeTool", agent), false);
  repo.commit("new", { "src/c.ts": "export const c = 1;\n" });
  assert.equal(await event("BeforeAgent", {}), true);
});

test("after a compaction the message is sent again", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  for (const client of ["claude", "codex"]) {
    const session = { session_id: client };
    assert.equal(await isNotified(repo, client, "PostToolUse", session), true);
    assert.equal(await isNotified(repo, client, "SessionStart", { ...session, source: "resume" }), false, "kept");
    assert.equal(await isNotified(repo, client, "SessionStart", { ...session, source: "compact" }), true);
    assert.equal(await isNotified(repo, client, "UserPromptSubmit", session), false);
  }
  assert.equal(await isNotified(repo, "copilot", "postToolUse", { sessionId: "c" }), true);
  assert.equal(await isNotified(repo, "copilot", "preCompact", { sessionId: "c" }), false);
  assert.equal(await isNotified(repo, "copilot", "userPromptSubmitted", { sessionId: "c" }), true);
  assert.equal(await isNotified(repo, "opencode", "chat.message", { session_id: "o" }), true);
  assert.equal(await isNotified(repo, "opencode", "session.compacted", { session_id: "o" }), false);
  assert.equal(await isNotified(repo, "opencode", "chat.message", { session_id: "o" }), true);
});

test("Gemini CLI reports no compaction: its transcript shows it", async (t) => {
  const repo = installedRepo(t);
  const transcript = join(repo.base, "chat.jsonl");
  writeFileSync(transcript, '{"type":"user"}\n');
  const prompt = () => isNotified(repo, "gemini", "BeforeAgent", { transcript_path: transcript });
  repo.commit("wider", { "src/b.ts": WIDER });
  assert.deepEqual([await prompt(), await prompt()], [true, false]);
  const summarize = (text: string) =>
    writeFileSync(transcript, `{"$set":{"messages":[{"text":"<state_snapshot>${text}"}]}}\n`, { flag: "a" });
  summarize("one");
  assert.deepEqual([await prompt(), await prompt()], [true, false]);
  summarize("one"); // as after a resume
  assert.equal(await prompt(), false);
  summarize("two");
  assert.equal(await prompt(), true);
});

test("after a resume it is sent again where the client does not keep what a hook added", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  const start = (source: string) => isNotified(repo, "gemini", "SessionStart", { source });
  assert.deepEqual([await start("startup"), await start("resume"), await start("startup")], [true, true, false]);
  const shell = { session_id: "tool", tool_name: "run_shell_command" };
  assert.equal(await isNotified(repo, "gemini", "AfterTool", shell), true);
  assert.equal(
    await isNotified(repo, "gemini", "SessionStart", { session_id: "tool", source: "resume" }),
    false,
    "kept",
  );
});

test("Copilot CLI runs Claude Code's settings, too: one message, in its own form", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  const asClaude = { session_id: "c", hook_event_name: "UserPromptSubmit", timestamp: "2026-05-04T03:02:01.000Z" };
  const { stdout } = await hear(repo, ["claude", "UserPromptSubmit"], JSON.stringify(asClaude));
  assert.deepEqual(Object.keys(JSON.parse(stdout) as object), ["additionalContext"]);
  assert.equal(await isNotified(repo, "copilot", "userPromptSubmitted", { sessionId: "c" }), false);
});

test("Copilot CLI with Claude Code's settings only: its own lease is its own, and status names it", async (t) => {
  const repo = installedRepo(t);
  repo.uaJson("install", "--agent", "claude,copilot");
  repo.commit("wider", { "src/b.ts": WIDER });
  const event = (name: string) =>
    isNotified(repo, "claude", name, { session_id: "c", timestamp: "2026-05-04T03:02:01Z" });
  repoAt(repo.dir, repo.base, { ...repo.env, COPILOT_AGENT_SESSION_ID: "c" }).uaJson("claim");
  assert.equal(await event("UserPromptSubmit"), false);
  assert.equal(repo.marker()?.lease?.holder, "copilot:c");
  const { agents } = repo.uaJson<{ agents: { client: string; lastCall: string | null }[] }>("status");
  assert.deepEqual(
    agents.map(({ client, lastCall }) => [client, lastCall !== null]),
    [
      ["claude", false],
      ["copilot", true],
    ],
  );
  assert.equal(await event("SessionEnd"), false);
  assert.equal(repo.marker()?.lease, null);
});

/** cursor.com/docs/agent/hooks and …/third-party-hooks */
const CURSOR = { conversation_id: "c", generation_id: "g", cursor_version: "3.24.18", workspace_roots: ["/nowhere"] };

test("Cursor runs Claude Code's settings, too: one message, in its own form, whichever of the two comes first", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  const orders: [session: string, first: string, second: string][] = [
    ["one", "claude", "cursor"],
    ["two", "cursor", "claude"],
  ];
  for (const [id, ...order] of orders) {
    const answers: string[] = [];
    for (const client of order) {
      for (const event of client === "claude" ? ["SessionStart", "sessionStart"] : ["sessionStart"]) {
        const input = { ...CURSOR, conversation_id: id, session_id: id, hook_event_name: event, cwd: repo.dir };
        answers.push((await hear(repo, [client, event], JSON.stringify(input))).stdout);
      }
    }
    const said = answers.filter((answer) => answer !== "");
    assert.deepEqual(
      said.map((answer) => Object.keys(JSON.parse(answer) as object)),
      [["additional_context"]],
    );
  }
  const tool = {
    ...CURSOR,
    session_id: "three",
    conversation_id: "three",
    hook_event_name: "postToolUse",
    cwd: repo.dir,
  };
  assert.equal(
    (await hear(repo, ["claude", "PostToolUse"], JSON.stringify(tool))).stdout,
    "",
    "it takes no text there",
  );
});

test("a transcript that is a pipe, a device or a folder does not stop the hook", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  const pipe = join(repo.base, "pipe");
  spawnSync("mkfifo", [pipe]);
  const prompt = (transcript: string) => isNotified(repo, "gemini", "BeforeAgent", { transcript_path: transcript });
  assert.equal(await prompt(pipe), true);
  // From here on the conversation was notified of something: only now its transcript is read.
  for (const transcript of [pipe, "/dev/zero", repo.dir, join(repo.base, "none")])
    assert.equal(await prompt(transcript), false, transcript);
});

test("a conversation may claim again, its end gives the lease back, and it is not notified of its own lease", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  const inside = repoAt(repo.dir, repo.base, { ...repo.env, CLAUDE_CODE_SESSION_ID: "one" });
  const lease = () => repo.marker()?.lease ?? null;
  inside.uaJson("claim");
  const first = lease();
  assert.equal(first?.holder, "claude:one");
  assert.equal(await isNotified(repo, "claude", "PostToolUse"), false);
  inside.uaJson("claim");
  assert.equal(lease()?.id, first?.id);
  assert.equal(repo.ua("claim").code, 4, "another one");
  assert.equal(await isNotified(repo, "claude", "SessionEnd", { session_id: "two" }), false);
  assert.equal(lease()?.id, first?.id);
  assert.equal(await isNotified(repo, "claude", "SessionEnd"), false);
  assert.equal(lease(), null);
  assert.equal(repo.ua("claim").code, 0);
  const second = lease();
  repo.ua("release", "--lease", first?.id ?? "");
  assert.equal(lease()?.id, second?.id, "an old lease gives back nothing of another holder's");
});

test("a hook that was killed while it recorded a message silences the others for seconds only", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": WIDER });
  const lock = join(repo.dir, ".git/ua-hooks/told/one@.@main.lock");
  mkdirSync(join(lock, ".."), { recursive: true });
  writeFileSync(lock, "");
  assert.equal(await isNotified(repo, "claude", "PostToolUse"), false);
  const before = new Date(Date.now() - 60_000);
  utimesSync(lock, before, before);
  assert.equal(await isNotified(repo, "claude", "PostToolUse"), true);
  writeFileSync(lock, "");
  const future = new Date(Date.now() + 86_400_000);
  utimesSync(lock, future, future);
  repo.commit("new", { "src/c.ts": "export const c = 1;\n" });
  assert.equal(await isNotified(repo, "claude", "PostToolUse"), true, "the clock was set back");
});

test("status says which client has run our hook, and which one awaits trust", async (t) => {
  const repo = installedRepo(t);
  const { notes } = repo.uaJson<{ notes: string[] }>("install", "--agent", "claude,codex,gemini,copilot");
  assert.deepEqual(notes.map((note) => note.split(" ")[0]).sort(), ["codex", "codex's", "copilot", "gemini"]);
  const agents = () =>
    repo.uaJson<{ agents: { client: string; trusted: boolean | null; lastCall: string | null }[] }>("status").agents;
  assert.deepEqual(
    agents().map(({ client, trusted, lastCall }) => [client, trusted, lastCall]),
    [
      ["claude", null, null],
      ["codex", false, null],
      ["gemini", false, null],
      ["copilot", false, null],
    ],
  );
  await isNotified(repo, "claude", "PostToolUse");
  const home = (path: string, text: string) => {
    mkdirSync(join(repo.base, path, ".."), { recursive: true });
    writeFileSync(join(repo.base, path), text);
  };
  home(".gemini/trustedFolders.json", JSON.stringify({ [repo.base]: "TRUST_FOLDER" }));
  home(".copilot/config.json", `// managed\n${JSON.stringify({ trustedFolders: [repo.dir] })}`);
  const hooks = hooksForCodex(repo.read(".codex/hooks.json"), join(repo.dir, ".codex/hooks.json"));
  const approved = hooks.map(({ key, hash }) => `[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`);
  home(".codex/config.toml", approved.join("\n"));
  const now = agents();
  assert.deepEqual(
    now.map(({ trusted }) => trusted),
    [null, true, true, true],
  );
  assert.ok(now[0]?.lastCall !== null);
  const notified = repo.ua("install", "--agent", "codex").stdout;
  assert.doesNotMatch(notified, /codex skips hooks/);
  assert.match(repo.ua("status").stdout, /codex is notified .*its sandbox cannot write \.git: add `ua-hooks mcp`/);
  repo.write({ ".codex/hooks.json": repo.read(".codex/hooks.json").replace('"timeout": 10', '"timeout": 9') });
  assert.equal(agents()[1]?.trusted, false, "a changed hook is asked for again");
  repo.write({ ".claude/settings.local.json": `// mine\n${repo.read(".claude/settings.local.json")}` });
  assert.match(
    repo.ua("status").stdout,
    /claude: \.claude\/settings\.local\.json has comments, which claude does not read/,
  );
});

test("status reads whom Gemini trusts as Gemini does: the longest path decides, TRUST_PARENT is the folder around it", (t) => {
  const repo = installedRepo(t);
  repo.ua("install", "--agent", "gemini");
  mkdirSync(join(repo.base, ".gemini"), { recursive: true });
  const trusted = (levels: Record<string, string>) => {
    writeFileSync(join(repo.base, ".gemini/trustedFolders.json"), JSON.stringify(levels));
    return repo.uaJson<{ agents: { trusted: boolean | null }[] }>("status").agents[0]?.trusted;
  };
  assert.equal(trusted({ [repo.base]: "TRUST_FOLDER" }), true, "a folder around it");
  assert.equal(trusted({ [repo.base]: "TRUST_FOLDER", [repo.dir]: "DO_NOT_TRUST" }), false, "but not this one");
  assert.equal(trusted({ [repo.base]: "DO_NOT_TRUST", [repo.dir]: "TRUST_FOLDER" }), true, "only this one");
  assert.equal(trusted({ [join(repo.base, "other")]: "TRUST_PARENT" }), true, "the folder around another one");
  assert.equal(trusted({ [repo.dir]: "TRUST_PARENT" }), true, "the folder around this one");
  assert.equal(
    trusted({ [join(repo.dir, "src/deep")]: "TRUST_PARENT" }),
    false,
    "the folder around it is src, in this one",
  );
  assert.equal(trusted({ [`${repo.dir}-2`]: "TRUST_FOLDER" }), false, "one whose name begins so");
  const settings = { security: { folderTrust: { enabled: false } } };
  writeFileSync(join(repo.base, ".gemini/settings.json"), JSON.stringify(settings));
  assert.equal(trusted({ [repo.dir]: "DO_NOT_TRUST" }), null, "folderTrust is off: it asks for none");
});

test("--agent auto says what it looked for and found; a shared plugin is no change; GEMINI.md gets the paragraph", (t) => {
  const repo = installedRepo(t);
  mkdirSync(join(repo.base, ".codex"));
  repo.commit("gemini", { "GEMINI.md": "# Mine\n", "opencode.json": "{}\n" });
  const { stdout } = repo.ua("install", "--agent", "auto", "--shared", "--yes");
  assert.match(stdout, /codex: found ~\/\.codex/);
  assert.match(stdout, /gemini: found GEMINI\.md/);
  assert.match(stdout, /cursor: not found \(looked for \.cursor, \.cursorrules, ~\/\.cursor\)/);
  assert.match(repo.read("GEMINI.md"), /^# Mine\n\n<!-- >>> ua-hooks >>> -->/);
  repo.commit("share");
  assert.equal(repo.uaJson("pending").state, "none");
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(repo.ua("uninstall").code, 0);
  assert.equal(repo.read("GEMINI.md"), "# Mine\n");
  assert.equal(repo.read("opencode.json"), "{}\n");
});
