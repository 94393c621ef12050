import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { appendItems, sectionOf } from "../../src/context/append.js";
import { type ContextItem, extractItems } from "../../src/context/extract.js";
import { lastMessages } from "../../src/context/transcript.js";
import { tempDir } from "../support/repo.js";
import { agent, lines, user } from "../support/transcript.js";

process.env.TZ = "UTC";

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
  const item = (what: string): ContextItem & { section: "Key Decisions" } => ({
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

test("a transcript of 50 MB: the last messages are found behind megabytes of tool output", (t) => {
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
  const messages = lastMessages(file, new Date());
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
