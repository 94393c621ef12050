import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { parseSettings } from "../../src/agents/jsonc.js";
import { withOurs, withoutOurs } from "../../src/agents/settings-entries.js";
import { isOurEntry, SETTINGS_FILES } from "../../src/agents/settings-files.js";
import { appendItems, sectionOf } from "../../src/context/append.js";
import { extractItems } from "../../src/context/extract.js";
import { lastMessages } from "../../src/context/transcript.js";
import { UaError } from "../../src/errors.js";
import { visible } from "../../src/printable.js";
import { parseLines } from "../../src/records/jsonl.js";
import { parseUpdates } from "../../src/registry/update.js";
import { type LogEntry, logPath, readLog } from "../../src/store/log.js";
import fc from "../support/fast-check.js";
import { anyJson, damaged, fuzz } from "./fuzz.js";

const dir = mkdtempSync(join(tmpdir(), "ua-hooks-fuzz-"));
after(() => rmSync(dir, { recursive: true, force: true }));

const said = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "We decided to use SQLite because it is small.",
    "The requirement is: no network.\n\nAgreed.",
    "## Key Decisions",
  ),
);
const transcript = fc
  .array(
    fc.record({
      type: fc.constantFrom("user", "assistant", "summary"),
      timestamp: fc.constantFrom("2026-01-01T10:00:00Z", "never"),
      message: fc.record({
        role: fc.constantFrom("user", "assistant"),
        id: fc.option(fc.string()),
        content: fc.oneof(
          said,
          fc.array(fc.record({ type: fc.constantFrom("text", "tool_use"), text: said })),
          anyJson(),
        ),
      }),
    }),
    { maxLength: 6 },
  )
  .map((lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

fuzz("whatever a transcript holds, what is taken from it is said once", damaged(transcript), (bytes) => {
  const file = join(dir, "transcript.jsonl");
  writeFileSync(file, bytes);
  const messages = lastMessages(file, new Date("2026-01-01T12:00:00Z"));
  assert.ok(messages.every(({ text, at }) => typeof text === "string" && !Number.isNaN(at.getTime())));
  const items = extractItems(messages).map((item) => ({ ...item, section: sectionOf(item) }));
  const once = appendItems("# Session\n", items);
  const twice = appendItems(once.text, items);
  assert.deepEqual([twice.text, twice.added], [once.text, []]);
});

const readsOrRefuses = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof UaError, `${error}`);
    return undefined;
  }
};

fuzz(
  "summaries for the registry are taken or refused with a sentence",
  fc.oneof(
    anyJson(),
    fc.record({ updates: fc.array(fc.oneof(anyJson(), fc.record({ path: anyJson(), summary: anyJson() }))) }),
  ),
  (value) => {
    for (const { path, summary } of readsOrRefuses(() => parseUpdates(value)) ?? []) {
      assert.deepEqual([typeof path, typeof summary], ["string", "string"]);
    }
  },
);

const path = fc.constantFrom("src/a.ts", "../out", "/etc/passwd", "a/../../b", "");
const record = fc.record({
  ...{ id: fc.string(), type: fc.constantFrom("decision", "gotcha", "?"), statement: fc.string({ maxLength: 1100 }) },
  ...{
    status: fc.constantFrom("draft", "active", "stale"),
    origin: fc.constantFrom("human", "agent"),
    confidence: fc.double(),
  },
  ...{ created_at: fc.string(), updated_at: fc.string(), created_at_commit: fc.oneof(fc.string(), anyJson()) },
  subjects: fc.array(fc.record({ kind: fc.constantFrom("path", "symbol", "x"), path, code_fingerprint: anyJson() })),
  ...{ evidence: fc.array(fc.record({ kind: fc.constantFrom("file", "url"), ref: path })), supersedes: anyJson() },
});
const jsonl = fc.array(fc.oneof(record, anyJson()), { maxLength: 4 });

fuzz("a file of records is taken whole or refused by its line", damaged(jsonl.map(lined)), (bytes) => {
  const records = readsOrRefuses(() => [...parseLines(bytes.toString("utf8"), "records.jsonl")]) ?? [];
  for (const { subjects, statement, confidence } of records) {
    assert.ok(statement !== "" && confidence >= 0 && confidence <= 1);
    for (const subject of subjects) assert.doesNotMatch(subject.path, /^\/|(^|\/)\.\.(\/|$)/);
  }
});

function lined(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

const entry = {
  at: "2026-01-01T10:00:00Z",
  view: ".",
  events: [],
  head: null,
  outcome: "settled",
  reason: "",
  parses: 0,
  ms: 1,
};
const log = fc.array(fc.oneof(fc.constant(entry), anyJson()), { maxLength: 4 }).map(lined);

fuzz(
  "a log that a disk garbled gives entries that can be shown",
  damaged(log),
  (bytes) => {
    writeFileSync(logPath(dir), bytes);
    for (const run of readLog(dir, 10) satisfies LogEntry[]) {
      assert.ok([run.at, run.view, run.reason, run.outcome].every((text) => typeof text === "string"));
      assert.ok(run.head === null || typeof run.head === "string");
    }
  },
  { revive: (text) => Buffer.from(String(text)) },
);

fuzz("JSON that is made visible is the same JSON", anyJson(), (value) => {
  const text = JSON.stringify(value, null, 2);
  const shown = visible(text);
  assert.deepEqual(JSON.parse(shown), JSON.parse(text));
  assert.doesNotMatch(shown, /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
});

/** Settings as people have them: hooks of their own, comments, trailing commas, any layout. */
const theirs = fc.constantFrom({ type: "command", command: "echo hi" }, { hooks: [{ type: "command", command: "x" }] });
const settings = fc
  .record(
    {
      version: fc.constantFrom(1, 2),
      permissions: anyJson(),
      hooks: fc.dictionary(
        fc.constantFrom("SessionStart", "PostToolUse", "sessionStart", "Stop", "__proto__x"),
        fc.array(theirs, { minLength: 1, maxLength: 3 }),
      ),
      other: anyJson(),
    },
    { requiredKeys: [] },
  )
  .chain((value) => fc.tuple(fc.constant(value), fc.constantFrom(0, 2, "\t"), fc.constantFrom("\n", "\r\n"), fc.nat(3)))
  .map(([value, indent, eol, comments]) => {
    const lines = JSON.stringify(value, null, indent).split("\n");
    const noted = lines.map((line, at) =>
      comments > 0 && indent !== 0 && at % (comments + 1) === 1 ? `${line} // ${at}` : line,
    );
    return `${noted.join(eol)}${eol}`;
  });

fuzz("any settings keep all they say when ours come in, come again, and go", settings, (text) => {
  for (const [client, place] of SETTINGS_FILES) {
    if (place.entries === undefined) continue;
    const file = `/x/${place.file}`;
    const merged = readsOrRefuses(() => withOurs(text, place, file));
    if (merged === undefined) continue; // `hooks` is of another kind there: refused, nothing written
    assert.equal(withOurs(merged, place, file), merged, `${client}: once is enough`);
    const rest = withoutOurs(merged, file);
    const [was, is] = [parseSettings(text, file), parseSettings(rest, file)];
    for (const [key, value] of Object.entries(place.base ?? {})) if (!(key in was) && is[key] === value) delete is[key];
    assert.deepEqual(withoutEmpty(is), withoutEmpty(was), `${client}: nothing else changed`);
    assert.equal(JSON.stringify(is).includes("ua-hooks/agent.sh"), false);
    for (const [comment] of text.matchAll(/\/\/ \d+/g))
      assert.ok(merged.includes(comment), `${client}: ${comment} is there`);
  }
});

/** Lists and groups of hooks that are empty go with ours: whose they were cannot be told. */
function withoutEmpty(all: Record<string, unknown>): unknown {
  const { hooks, ...rest } = all;
  if (typeof hooks !== "object" || hooks === null) return JSON.parse(JSON.stringify(all));
  const kept = Object.entries(hooks).filter(([, list]) => !Array.isArray(list) || list.some((one) => !isOurEntry(one)));
  return JSON.parse(JSON.stringify(kept.length === 0 ? rest : { ...rest, hooks: Object.fromEntries(kept) }));
}
