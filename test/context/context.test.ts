import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { appendItems, sectionOf } from "../../src/context/append.js";
import { extractItems, type Item } from "../../src/context/extract.js";
import { lastMessages } from "../../src/context/transcript.js";
import { listed } from "../support/records.js";
import { dist, installedRepo, type Repo, tempDir, until } from "../support/repo.js";

process.env.TZ = "UTC";

interface Said {
  role: "user" | "assistant";
  at: string;
  text: string;
}

const user = (at: string, text: string): Said => ({ role: "user", at, text });
const agent = (at: string, text: string): Said => ({ role: "assistant", at, text });

/** A line as Claude Code writes it. */
function line({ role, at, text }: Said): string {
  const content = role === "user" ? text : [{ type: "text", text }];
  const message = { role, content, ...(role === "user" ? {} : { id: `msg_${at}` }) };
  return `${JSON.stringify({ type: role, message, timestamp: `2025-11-05T${at}:00.000Z`, uuid: "x" })}\n`;
}

const lines = (...said: Said[]) => said.map(line).join("");

interface World {
  repo: Repo;
  transcript: string;
  context(): string;
  marker(): boolean;
  /** A prompt, as Claude Code tells it to its hook; nothing is ever printed. */
  prompt(): void;
  update(): Promise<void>;
}

function world(t: Parameters<typeof installedRepo>[0], session = "work"): World {
  const repo = installedRepo(t);
  repo.write({ ".claude/sessions/.active-session": `${session}\n`, [`.claude/sessions/${session}/context.md`]: "" });
  const transcript = join(repo.base, "transcript.jsonl");
  writeFileSync(transcript, "");
  const dir = join(repo.dir, ".claude/sessions", session);
  const file = join(dir, "context.md");
  const hook = { hook_event_name: "UserPromptSubmit", session_id: "s", transcript_path: transcript, cwd: repo.dir };
  return {
    ...{ repo, transcript },
    context: () => readFileSync(file, "utf8"),
    marker: () => existsSync(join(dir, ".pending-context-update")),
    prompt: () => {
      const input = join(repo.base, "input.json");
      writeFileSync(input, JSON.stringify(hook));
      const entry = join(dist, "agent.cjs");
      const said = repo.at(repo.dir).tryGit("-c", `alias.agent=!node ${entry} claude < ${input}`, "agent");
      assert.deepEqual(said, { code: 0, stdout: "", stderr: "" });
    },
    update: async () => {
      const { code, stderr } = repo.ua("context", "update", "--transcript", transcript);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    },
  };
}

/** The sections that the seed shows as an example, after what was there before. */
const EXAMPLE = `## Key Decisions

Nothing yet.

### [2025-11-05 15:42] Context Update

- [15:42] Decision: Implement Living Context system over frequent snapshots | Reasoning: User needs accurate context, not full conversation dumps
- [15:43] Agreed: 1-2s overhead acceptable if not every message
- [15:45] Technical: Dual-threshold architecture (context: 2 interactions, snapshot: 12 interactions) | Rationale: Balance freshness with performance

## Important Discoveries

None.

### [2025-11-05 15:30] Context Update

- [15:30] Discovery: Autosave never worked due to missing .active-session file | Impact: Hooks exit early, no state tracking occurs
- [15:35] Discovery: True parallelism impossible without IPC | Impact: Ruled out Option C (new hook type)

## User Requirements

### [2025-11-05 15:42] Context Update

- [15:42] Requirement: Keep context.md updated continuously | Context: User revisits sessions after days, needs accurate history
- [15:42] Constraint: Must not block every single message | Context: User values responsiveness
`;

test("the seed's example gives its sections and lines; a second run adds nothing", async (t) => {
  const { repo, transcript, update, context } = world(t);
  repo.write({
    ".claude/sessions/work/context.md": "## Key Decisions\n\nNothing yet.\n\n## Important Discoveries\n\nNone.\n",
  });
  appendFileSync(
    transcript,
    lines(
      user("15:28", "Why is there no autosave?"),
      agent(
        "15:30",
        "Turns out autosave never worked due to missing .active-session file, so hooks exit early, no state tracking occurs.",
      ),
      user("15:33", "And in parallel?"),
      agent(
        "15:35",
        "I discovered that true parallelism impossible without IPC, which means ruled out Option C (new hook type).",
      ),
    ),
  );
  await update();
  appendFileSync(
    transcript,
    lines(
      user(
        "15:42",
        "Let's go with: implement Living Context system over frequent snapshots because user needs accurate context, not full conversation dumps. " +
          "We need to keep context.md updated continuously, because user revisits sessions after days, needs accurate history. " +
          "It must not block every single message since user values responsiveness.",
      ),
      user("15:43", "Yes, 1-2s overhead acceptable if not every message."),
      agent(
        "15:45",
        "Dual-threshold architecture (context: 2 interactions, snapshot: 12 interactions) in order to balance freshness with performance.",
      ),
    ),
  );
  await update();
  assert.equal(context(), EXAMPLE);
  await update();
  await update();
  assert.equal(context(), EXAMPLE, "idempotent");
});

/** The examples that the seed gives with each of its five kinds, and the words around its keywords. */
const SENTENCES: [role: "user" | "agent", sentence: string, expected: string | null][] = [
  [
    "user",
    "We decided to implement Living Context system because keep context current without full snapshot overhead",
    "Decision: Implement Living Context system | Keep context current without full snapshot overhead",
  ],
  ["agent", "We’ll use SQLite for the queue.", "Decision: Use SQLite for the queue"],
  ["user", "I choose option B", "Decision: Option B"],
  ["user", "We have not decided to do that", null],
  ["user", "Should we say let's go with that?", null],
  ["user", "that works", "Agreed: Shall I use the outbox?"],
  [
    "user",
    "Approved: 1-2s overhead acceptable for context updates",
    "Agreed: 1-2s overhead acceptable for context updates",
  ],
  ["agent", "Yes, I can do that", null],
  ["user", "I disagree with the second point", "Disagreed: The second point"],
  ["user", "Two seconds are not acceptable", "Disagreed: Two seconds are not acceptable"],
  [
    "user",
    "Context must be accurate for future sessions because user revisits projects after days/weeks",
    "Requirement: Context must be accurate for future sessions | User revisits projects after days/weeks",
  ],
  ["user", "Tests are required", "Requirement: Tests are required"],
  ["user", "Network calls are disallowed", "Constraint: Network calls are disallowed"],
  ["user", "You should not write there", "Constraint: Should not write there"],
  ["agent", "I must look at that first", null],
  [
    "agent",
    "The root cause: autosave failed due to missing .active-session file, so hook exits immediately without tracking",
    "Discovery: Autosave failed due to missing .active-session file | Hook exits immediately without tracking",
  ],
  ["agent", "I found the bug: off by one", "Discovery: Off by one"],
  [
    "agent",
    "Design pattern: Dual-threshold system (context every 2, snapshot every 12) — balance between freshness and overhead",
    "Technical: Dual-threshold system (context every 2, snapshot every 12) | Balance between freshness and overhead",
  ],
  ["agent", "Library: zod 4", "Technical: Zod 4"],
  ["agent", "I read the library", null],
  ["user", "```\nwe must not match code\n```", null],
  ["user", "> you must not match quotes", null],
  ["user", "A | in the middle must go", "Requirement: A / in the middle must go"],
];

test("keywords, sentence by sentence", () => {
  const at = new Date("2025-11-05T15:42:00Z");
  for (const [role, text, expected] of SENTENCES) {
    const asked = { role: "agent" as const, text: "Shall I use the outbox?", at };
    const [item] = extractItems([asked, { role, text, at }]);
    const found = item === undefined ? null : `${item.kind}: ${item.what}${item.why === null ? "" : ` | ${item.why}`}`;
    assert.equal(found, expected, text);
  }
});

test("a technical choice without a rationale is context, not a decision; at most some 300 tokens an update", () => {
  assert.equal(sectionOf({ kind: "Technical", why: null }), "Technical Context");
  assert.equal(sectionOf({ kind: "Technical", why: "because" }), "Key Decisions");
  const at = new Date();
  const text = Array.from({ length: 60 }, (_, n) => `You must do thing ${n} ${"very ".repeat(60)}well.`).join(" ");
  const items = extractItems([{ role: "user", text, at }]);
  const length = items.reduce((sum, { what, why }) => sum + what.length + (why?.length ?? 0), 0);
  assert.ok(items.length > 0 && length <= 1200, `${items.length} items, ${length} characters`);
});

test("appending: into its section, under one heading, fences and line ends left alone", () => {
  const at = new Date("2025-11-05T15:42:00Z");
  const item = (what: string): Item & { section: "Key Decisions" } => ({
    kind: "Decision",
    what,
    why: null,
    at,
    section: "Key Decisions",
  });
  const before =
    "# Mine\r\n\r\n```\r\n## Key Decisions\r\n```\r\n\r\n## Key Decisions\r\n\r\nold\r\n\r\n## Other\r\n\r\nrest\r\n";
  const once = appendItems(before, [item("First")]).text;
  const block = "### [2025-11-05 15:42] Context Update\r\n\r\n- [15:42] Decision: First\r\n";
  assert.equal(once, before.replace("old\r\n\r\n", `old\r\n\r\n${block}\r\n`));
  const twice = appendItems(once, [item("Second"), item("FIRST")]);
  assert.equal(
    twice.text,
    once.replace("First\r\n", "First\r\n- [15:42] Decision: Second\r\n"),
    "under the same heading",
  );
  assert.deepEqual(
    twice.added.map(({ what }) => what),
    ["Second"],
  );
  assert.equal(
    appendItems("We use Redis for the queue.", [item("use redis")]).added.length,
    0,
    "said in prose already",
  );
});

test("every second prompt leaves a marker, the next one takes it and updates in the background; nothing is printed", async (t) => {
  const { repo, transcript, prompt, marker, context } = world(t);
  appendFileSync(transcript, lines(user("10:00", "We decided to keep it small"), agent("10:01", "Good.")));
  prompt();
  assert.equal(marker(), false);
  prompt();
  assert.equal(marker(), true);
  prompt();
  assert.equal(marker(), false);
  await until("the update is there", () => context().includes("- [10:00] Decision: Keep it small"));
  prompt();
  assert.equal(marker(), true, "the count went on");
  repo.write({ ".ua-hooksrc.json": '{"context":{"every":3}}' });
  prompt();
  prompt();
  assert.equal(marker(), false);
  prompt();
  assert.equal(marker(), true, "as often as the config says");
});

test("without a session, or where nobody uses sessions, nothing is made", async (t) => {
  const { repo, prompt } = world(t);
  repo.git("clean", "-xfdq", ".claude");
  prompt();
  prompt();
  assert.equal(existsSync(join(repo.dir, ".claude")), false);
  assert.match(repo.ua("context", "show").stderr, /no active session/);
});

test("a session's name that leads elsewhere is refused, by commands aloud and by hooks in the log", async (t) => {
  const { repo, prompt, transcript } = world(t);
  const log = () => readFileSync(join(repo.dir, ".git/ua-hooks/context/errors.log"), "utf8");
  repo.write({ "outside/context.md": "" });
  for (const name of ["../../outside", "a/b", "..", "a\\b"]) {
    repo.write({ ".claude/sessions/.active-session": name });
    const { code, stderr } = repo.ua("context", "update", "--transcript", transcript);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /is no name of a session/);
    prompt();
    assert.match(log(), /is no name of a session/);
  }
  assert.equal(readFileSync(join(repo.dir, "outside/context.md"), "utf8"), "");
  symlinkSync(repo.base, join(repo.dir, ".claude/sessions/linked"));
  repo.write({ ".claude/sessions/.active-session": "linked" });
  assert.match(repo.ua("context", "show").stderr, /symbolic link that leads out/);
});

test("transcripts that are missing, truncated or malformed: the marker goes, the context stays, the log tells", async (t) => {
  const { repo, transcript, prompt, marker, context } = world(t);
  const log = join(repo.dir, ".git/ua-hooks/context/errors.log");
  const whole = lines(user("10:00", "We decided to keep it small"), agent("10:01", "Turns out it is big."));
  const cut = line(user("10:02", "I choose red")).slice(0, 60);
  writeFileSync(transcript, `garbage\n{"type":"user"\n[1,2]\nnull\n${whole}${cut}`);
  const update = () => repo.ua("context", "update", "--transcript", transcript);
  repo.write({ ".claude/sessions/work/.pending-context-update": "" });
  assert.equal(update().code, 0);
  assert.equal(marker(), false);
  assert.match(context(), /Keep it small/);
  assert.match(context(), /It is big/);
  assert.doesNotMatch(context(), /Red/i, "a line that was cut short says nothing");
  const before = context();

  writeFileSync(transcript, "");
  assert.equal(update().code, 0);
  prompt();
  prompt();
  assert.equal(marker(), true);
  rmSync(transcript);
  prompt();
  await until("the failure is in the log", () => existsSync(log) && readFileSync(log, "utf8").includes("ENOENT"));
  assert.equal(marker(), false);
  assert.equal(context(), before);
  repo.write({ ".claude/sessions/work/.pending-context-update": "" });
  assert.match(update().stderr, /ua-hooks: .*transcript\.jsonl is not there/);
  assert.equal(marker(), false, "whoever updates takes it away, also where it fails");
});

test("50 MB cost under a second: read from the end, however far back somebody spoke", (t) => {
  const file = join(tempDir(t), "large.jsonl");
  const noise = JSON.stringify({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", content: "x".repeat(60_000) }] },
  });
  const chatter = lines(agent("09:00", "Working on it."));
  writeFileSync(file, `${noise}\n${chatter}`.repeat(800));
  appendFileSync(file, lines(user("10:00", "We decided to keep it small")));
  appendFileSync(file, `${noise}\n`.repeat(20));
  appendFileSync(file, `"${"y".repeat(3_000_000)}"\n`);
  appendFileSync(file, lines(agent("10:01", "Good.")));
  assert.ok(readFileSync(file).length > 45_000_000);
  const started = process.cpuUsage();
  const messages = lastMessages(file, new Date());
  const { user: own, system } = process.cpuUsage(started);
  assert.ok((own + system) / 1000 < 1000, `${(own + system) / 1000} ms of CPU`);
  assert.deepEqual(messages.at(-1)?.text, "Good.");
  assert.ok(messages.some(({ text }) => text.includes("decided")));
});

test("only the last two messages of each count, tools and reminders do not", (t) => {
  const file = join(tempDir(t), "t.jsonl");
  const tool = `${JSON.stringify({ type: "user", message: { role: "user", content: [{ type: "tool_result", content: "must" }] } })}\n`;
  const meta = `${JSON.stringify({ type: "user", isMeta: true, message: { role: "user", content: "meta" } })}\n`;
  const codex = `${JSON.stringify({ timestamp: "2025-11-05T10:09:00Z", type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "five" }] } })}\n`;
  writeFileSync(
    file,
    lines(
      user("10:00", "one"),
      agent("10:01", "two"),
      user("10:02", "three"),
      agent("10:03", "four"),
      agent("10:05", "six"),
    ) +
      tool +
      meta +
      codex,
  );
  const texts = lastMessages(file, new Date()).map(({ text }) => text);
  assert.deepEqual(texts, ["three", "four", "six", "five"]);
});

test("context add, show and --to-records: drafts of decisions, requirements and discoveries, once", async (t) => {
  const { repo, context } = world(t);
  const add = (...args: string[]) => assert.equal(repo.ua("context", "add", ...args).code, 0);
  add("use src/b.ts for doubling", "--kind", "Decision", "--why", "it is there");
  add("Never print", "--kind", "Constraint");
  add("It was the cache", "--kind", "Discovery", "--section", "Blockers & Resolutions");
  add("Fine", "--kind", "Agreed");
  add("fine", "--kind", "Agreed");
  assert.match(
    context(),
    /## Blockers & Resolutions\n\n### \[[^\]]+\] Context Update\n\n- \[\d\d:\d\d\] Discovery: It was the cache\n/,
  );
  assert.equal(repo.uaJson<{ items: unknown[] }>("context", "show").items.length, 4);
  const { drafts } = repo.uaJson<{ drafts: string[] }>("context", "--to-records");
  assert.equal(drafts.length, 3);
  assert.deepEqual((await listed(repo, "list", "--status", "draft")).toSorted(), drafts.toSorted());
  assert.deepEqual(await listed(repo, "list"), [], "nobody approved them");
  assert.equal(
    (await listed(repo, "list", "--status", "draft", "--subject", "src/b.ts")).length,
    1,
    "about the file that it names",
  );
  assert.deepEqual(repo.uaJson<{ drafts: string[] }>("context", "--to-records").drafts, [], "twice is once");
});
