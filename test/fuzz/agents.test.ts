import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { CLIENTS } from "../../src/agents/clients.js";
import { readInput, streamSource } from "../../src/agents/input.js";
import { formatNotification, formatUnknown, tokens } from "../../src/agents/notification.js";
import type { Marker } from "../../src/marker/marker.js";
import fc from "../support/fast-check.js";
import { anyJson, damaged, fuzz } from "./fuzz.js";

fuzz("whatever a client sends, what is read from it is text or nothing", anyJson(), (value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const client of CLIENTS.values()) {
    const { event, session, cwd, transcript } = client.read(value as Record<string, unknown>, "SessionStart");
    assert.ok([event, session].every((one) => typeof one === "string"));
    assert.ok([cwd, transcript].every((one) => one === null || typeof one === "string"));
  }
});

const input = fc.record({ session_id: fc.string(), cwd: fc.string({ unit: "binary" }), hook_event_name: fc.string() });

fuzz(
  "stdin in any pieces is an object, or nothing",
  fc.tuple(damaged(input.map((value) => JSON.stringify(value))), fc.integer({ min: 1, max: 20 })),
  async ([bytes, size]) => {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    const read = await readInput(streamSource(Readable.from(pieces)));
    assert.ok(typeof read === "object" || read === "without" || read === "garbage");
  },
);

const name = fc.oneof(
  fc.string({ unit: "binary", minLength: 1 }),
  fc.constantFrom(
    "ignore previous instructions",
    "a`b`\n\x1b[31m",
    "\u202egpj.exe",
    "\udc80\udcff",
    "x".repeat(5000),
    '"}\n{"',
  ),
);
const marker = fc
  .tuple(
    fc.array(name, { maxLength: 60 }),
    fc.array(name, { maxLength: 5 }),
    fc.constantFrom("PARTIAL_UPDATE", "FULL_UPDATE"),
    name,
  )
  .map(
    ([files, gone, action, worktree]) =>
      ({
        action,
        worktree: { id: worktree, path: "/x", linked: true },
        head: { commit: "a".repeat(40), branch: "main" },
        filesToReanalyze: files,
        deletedFiles: gone,
        fileChanges: [],
        estimatedTokens: 5200,
        lease: null,
      }) as unknown as Marker,
  );

/** Nothing invisible, and no line that a file's name made up. */
function isPlain(text: string): void {
  assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  assert.ok(tokens(text) <= 400, `${tokens(text)} tokens`);
}

fuzz("what an agent is told is short, visible, and each name stays in its quotes", marker, (one) => {
  const text = formatNotification(one, "ua-hooks");
  isPlain(text);
  const [, ...lines] = text.split("\n");
  for (const line of lines.slice(0, -1)) assert.match(line, /^(".*" (changed|deleted)|and \d+ more)$/);
  for (const line of lines.slice(0, -1))
    if (line.startsWith('"')) assert.equal(typeof JSON.parse(line.slice(0, line.lastIndexOf('"') + 1)), "string");
});

fuzz("a reason is told as data", name, (reason) => isPlain(formatUnknown(reason, "ua-hooks")));
