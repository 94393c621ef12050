import assert from "node:assert/strict";
import { test } from "node:test";
import { hooksForCodex, isTrustedByCodex } from "../../src/agents/codex-trust.js";

const FILE = "/home/ada/shop/.codex/hooks.json";
const FIND =
  'd=$(git -c safe.bareRepository=explicit rev-parse --git-common-dir 2>/dev/null) && [ -f "$d/ua-hooks/agent.sh" ]';
const entry = (event: string, timeout: number) => ({
  hooks: [
    { type: "command", command: `sh -c '${FIND} && exec sh "$d/ua-hooks/agent.sh" codex ${event}; exit 0'`, timeout },
  ],
});
const SETTINGS = {
  hooks: {
    SessionStart: [entry("SessionStart", 10)],
    PostToolUse: [{ matcher: "Bash", ...entry("PostToolUse", 10) }],
    UserPromptSubmit: [entry("UserPromptSubmit", 10)],
    SessionEnd: [entry("SessionEnd", 3)],
  },
};

/** What `hooks/list` of Codex 0.169.0's app server says of these settings. */
const APPROVED: Record<string, string> = {
  session_start: "sha256:1e6188819002a41bf35d865d90902c52115b2cf61ca469aa1b51558db8858e05",
  post_tool_use: "sha256:c5975ba09529ce56fd96f01e874dd7ed4f1155a8f4c4e26249e39c2d79b24742",
  user_prompt_submit: "sha256:f3879005f381bc46f013f73e2bda860d8fa39422aa2024eb25159900242f4499",
  session_end: "sha256:512ce024593ca0c66e9a7f3fd7010b7aef63014b2e0bc84697743a51de9c352e",
};

const tables = (more: Record<string, string> = {}) =>
  Object.entries(APPROVED)
    .map(([event, hash]) => `[hooks.state."${FILE}:${event}:0:0"]\n${more[event] ?? ""}trusted_hash = "${hash}"\n`)
    .join("\n");

const isTrusted = (config: string, settings: object = SETTINGS) =>
  isTrustedByCodex(JSON.stringify(settings), FILE, config);

test("codex: our hooks have the keys and hashes that it gives them", () => {
  assert.deepEqual(
    Object.fromEntries(hooksForCodex(JSON.stringify(SETTINGS), FILE).map(({ key, hash }) => [key, hash])),
    Object.fromEntries(Object.entries(APPROVED).map(([event, hash]) => [`${FILE}:${event}:0:0`, hash])),
  );
});

test("codex trusts our hooks only where it approved each of them, as it is now", () => {
  assert.equal(isTrusted(tables()), true);
  assert.equal(isTrusted(`[projects."/home/ada/shop"]\ntrust_level = "trusted"\n\n${tables()}[other]\nx = 1\n`), true);
  const inline = Object.entries(APPROVED).map(
    ([event, hash]) => `"${FILE}:${event}:0:0" = { trusted_hash = "${hash}" }`,
  );
  assert.equal(isTrusted(`[hooks.state]\n${inline.join("\n")}\n`), true);

  assert.equal(isTrusted(""), false);
  assert.equal(isTrusted(tables().replace(/session_end/, "stop")), false, "one of them was never approved");
  assert.equal(isTrusted(tables({ session_start: "enabled = false\n" })), false, "switched off");
  const changed = { hooks: { ...SETTINGS.hooks, SessionStart: [entry("SessionStart", 20)] } };
  assert.equal(isTrusted(tables(), changed), false, "changed since: it asks again");
  const moved = { hooks: { ...SETTINGS.hooks, SessionStart: [entry("x", 1), entry("SessionStart", 10)] } };
  assert.equal(isTrusted(tables(), moved), false, "another hook stands in its place");
  const foreign = { hooks: { Stop: [{ hooks: [{ type: "command", command: "make" }] }], ...SETTINGS.hooks } };
  assert.equal(isTrusted(tables(), foreign), true, "hooks of others do not count");
  assert.equal(isTrusted(tables(), {}), false);
  assert.equal(
    isTrusted(`[hooks.state."${FILE}:session_start:0:0"]\n\n${tables().split("\n\n").slice(1).join("\n\n")}`),
    false,
  );
});
