import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, type TestContext } from "node:test";
import fc from "../support/fast-check.js";
import { connect, type Session } from "../support/mcp.js";
import { installedRepo, type Repo } from "../support/repo.js";
import { anyJson, fuzz, RUNS } from "./fuzz.js";

/** One real server for all cases; it must still be the same one at the end. */
let started: Promise<{ repo: Repo; session: Session; pid: number }> | undefined;
function server() {
  started ??= (async () => {
    const t = { after } as unknown as TestContext;
    const repo = installedRepo(t);
    repo.commit("pending", {
      "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n",
    });
    const session = await connect(t, repo);
    return { repo, session, pid: session.pid() };
  })();
  return started;
}

const TOOLS = [
  ...["get_freshness", "get_pending_update", "claim_update", "apply_update", "ack_update", "why_stale", "get_node"],
  ...[
    "file_registry_verify",
    "file_registry_update_summaries",
    "get_relevant_memory",
    "record_candidate",
    "query_memory",
  ],
];
const text = fc.oneof(
  fc.constantFrom(
    "src/b.ts",
    "../../etc/passwd",
    "/etc/passwd",
    "--output=x",
    "src/b.ts\0",
    "\u202e",
    ".",
    "",
    "x".repeat(5000),
  ),
  fc.string({ unit: "binary" }),
);
const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), anyJson());
const KEYS = [
  ...[
    "path",
    "paths",
    "files",
    "updates",
    "result",
    "lease",
    "generation",
    "cursor",
    "limit",
    "worktree",
    "commit",
    "query",
  ],
  ...[
    "statement",
    "subjects",
    "type",
    "confidence",
    "status",
    "holder",
    "task",
    "session",
    "evidence",
    "text",
    "include_stale",
  ],
];
const args = fc.oneof(
  fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 6 }),
  fc.record({ result: fc.record({ files: value, nodes: value, edges: value }) }),
  fc.record({ updates: fc.array(fc.record({ path: text, summary: text }), { maxLength: 3 }) }),
  fc.record({ statement: text, type: fc.constantFrom("decision", "?"), subjects: fc.array(text, { maxLength: 3 }) }),
);

fuzz(
  "whatever a client calls a tool with, it gets an answer or a sentence, never a defect, and nothing is written elsewhere",
  fc.tuple(fc.constantFrom(...TOOLS), args),
  async ([name, given]) => {
    const { repo, session, pid } = await server();
    const result = await session.client.callTool({ name, arguments: given as Record<string, unknown> });
    const said = (result.content as { text: string }[]).map((part) => part.text).join("\n");
    assert.doesNotMatch(said, /this is a defect of ua-hooks/, name);
    assert.doesNotMatch(said.replaceAll("\n", ""), /[\u0080-\u009f\u202a-\u202e]/u, "names are shown as data");
    assert.equal(session.pid(), pid);
    assert.deepEqual(readdirSync(repo.base).sort(), ["gitconfig", "repo"]);
    assert.equal(repo.has("../etc"), false);
  },
  { runs: Math.ceil(RUNS / 3) },
);
