import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { formatHooksWarning, formatNotification, formatUnknown } from "../../src/agents/notification.js";
import type { Marker } from "../../src/marker/marker.js";
import { hear } from "../support/notification.js";
import { installedRepo, makeRepo, type Repo } from "../support/repo.js";

const CLIENTS = ["claude", "codex", "gemini", "cursor", "copilot", "opencode"];
const MOST_WORDS = 60;

/** What a reader reads: every word but those in the list of files, of which there may be many. */
function wordsOf(message: string): string[] {
  const lines = message.split("\n").filter((line) => !/^"|^and \d+ more$/.test(line));
  return lines.join(" ").split(/\s+/);
}

/** What happened, what is wrong, what to do: each message has the three, in this order, and a command as it is typed. */
function assertReadable(message: string, what: string): void {
  const words = wordsOf(message);
  assert.ok(words.length <= MOST_WORDS, `${what}: ${words.length} words\n${message}`);
  assert.match(message, /^ua-hooks: [\s\S]*(may be wrong|noticed only|unknown)[\s\S]*/, what);
  assert.match(message, /`'[^`]+ua-hooks' (claim|run|status|doctor) ?[^`]*`|there is nothing to do here\.$/, what);
  assert.doesNotMatch(message, /\\u0060|undefined|null|\bNaN\b/, what);
}

const COMMAND = "'/home/ada/projects/a folder/shop/.git/ua-hooks/bin/ua-hooks'";
const marker = (more: Partial<Marker>) =>
  ({
    ...{
      action: "PARTIAL_UPDATE",
      estimatedTokens: 123_456,
      filesToReanalyze: ["src/a.ts", "src/b.ts"],
      deletedFiles: ["c.ts"],
    },
    ...{ worktree: { id: ".", path: "", linked: false }, fileChanges: [], lease: null, ...more },
  }) as unknown as Marker;

const MARKERS: Record<string, Marker> = {
  "one file": marker({ filesToReanalyze: ["a.ts"], deletedFiles: [] }),
  "several files": marker({ action: "ARCHITECTURE_UPDATE" }),
  "more files than fit": marker({
    filesToReanalyze: Array.from({ length: 200 }, (_, at) => `src/module/file${at}.ts`),
  }),
  "a linked worktree": marker({ worktree: { id: "feature-one", path: "", linked: true } as Marker["worktree"] }),
  "a full update": marker({ action: "FULL_UPDATE" }),
  "a lease of another holder": marker({
    lease: {
      id: "1",
      holder: "claude:0b7f0000-0000-4000-8000-000000000000",
      expiresAt: "2026-01-01T10:30:00Z",
    } as Marker["lease"],
  }),
  "a lease of a server whose client names no conversation": marker({
    lease: { id: "1", holder: "mcp:codex-mcp-client-1a2b3c", expiresAt: "2026-01-01T10:30:00Z" } as Marker["lease"],
  }),
};

/** As long as they get. */
const REASON =
  "git cat-file failed (128): fatal: unable to read tree 0123456789abcdef0123456789abcdef01234567: the repository lacks objects that this commit " +
  "needs, so it cannot be compared with what the graph was made from; fetch them and try again later";
const WARNING =
  "post-commit, post-merge, post-checkout, post-rewrite bypassed by core.hooksPath = /home/ada/projects/shop/.husky/_ (husky): run " +
  "`ua-hooks install` again";

for (const client of CLIENTS) {
  test(`every message to ${client} says what happened, what is wrong and what to do, in ${MOST_WORDS} words`, () => {
    const holder = `${client}:0b7f0000-0000-4000-8000-000000000000`;
    for (const [what, one] of Object.entries(MARKERS))
      assertReadable(formatNotification(one, COMMAND, { client, holder }), what);
    assertReadable(formatUnknown(REASON, COMMAND), "unknown");
    assertReadable(formatHooksWarning(WARNING, COMMAND), "hooks");
  });
}

/** What the client's hook prints, in the form of any client. */
async function messageFor(repo: Repo, client: string): Promise<string> {
  const input = JSON.stringify({
    session_id: `${client}-${repo.head()}`,
    sessionId: `${client}-${repo.head()}`,
    cwd: repo.dir,
  });
  const event = { gemini: "SessionStart", cursor: "sessionStart", copilot: "sessionStart", opencode: "chat.first" }[
    client
  ];
  const { stdout } = await hear(repo, [client, event ?? "SessionStart"], input);
  const texts: string[] = [];
  JSON.parse(stdout, (_, value: unknown) => {
    if (typeof value === "string" && value.startsWith("ua-hooks:")) texts.push(value);
    return value;
  });
  return texts[0] ?? assert.fail(`${client} got no message: ${stdout}`);
}

function fullRepo(t: TestContext): Repo {
  const repo = makeRepo(t);
  const files = (text: string) => Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`src/f${n}.ts`, text]));
  repo.commit("start", files("export const a = 1;\n"));
  assert.equal(repo.ua("install").code, 0);
  repo.commit("all anew", files("export function b(): void {}\n"));
  return repo;
}

test("the messages that are really sent are as short: pending, claimed, full, unknown, hooks that do not fire", async (t) => {
  const repo = installedRepo(t);
  const sent: [what: string, message: string][] = [];
  const hearOf = async (what: string, from: Repo, client: string) => sent.push([what, await messageFor(from, client)]);
  repo.commit("wider", {
    "src/b.ts": "export function twice(x: number, times: number): number {\n  return x * times;\n}\n",
  });
  await hearOf("pending", repo, "codex");
  repo.uaJson("claim", "--holder", "reviewer");
  await hearOf("claimed", repo, "claude");
  repo.uaJson("release");
  repo.uaJson("ack");
  rmSync(join(repo.dir, ".git/hooks"), { recursive: true });
  await hearOf("hooks", repo, "copilot");
  repo.write({ ".understand-anything/meta.json": "{" });
  await hearOf("unknown", repo, "gemini");
  await hearOf("full", fullRepo(t), "opencode");
  for (const [what, message] of sent) assertReadable(message, what);
  assert.deepEqual(
    sent.map(([, message]) => /`[^`]*bin\/ua-hooks' (\w+)|nothing to do/.exec(message)?.[1] ?? "none"),
    ["claim", "none", "doctor", "status", "run"],
  );
});
