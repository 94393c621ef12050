import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRepo, SMALL_PROJECT } from "../support/repo.js";

type Settings = Record<string, unknown> & { hooks?: Record<string, unknown[]> };

interface Rewriting {
  file: string;
  /** What its user has in it before install. */
  theirs: Settings;
  /** How the client writes the file anew: seen in `npm run test:clients` where it has a command for it. */
  rewrite(settings: Settings): string;
  /** What is left after uninstall. */
  left: Settings;
}

const hook = (command: string) => ({ type: "command", command });
const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const LINT = [{ matcher: "Edit", hooks: [hook("npm run lint")] }];
const reversed = (settings: Settings): Settings => Object.fromEntries(Object.entries(settings).reverse());

const CLIENTS: Record<string, Rewriting> = {
  // `claude plugin marketplace add … --scope local`, and a permission that was granted for good.
  claude: {
    file: ".claude/settings.local.json",
    theirs: { permissions: { allow: ["Bash(ls)"] }, hooks: { PostToolUse: LINT } },
    rewrite: ({ permissions: _, ...rest }) =>
      pretty({ permissions: { allow: ["Bash(ls)", "Bash(git push)"] }, ...rest, extraKnownMarketplaces: { m: {} } }),
    left: {
      permissions: { allow: ["Bash(ls)", "Bash(git push)"] },
      hooks: { PostToolUse: LINT },
      extraKnownMarketplaces: { m: {} },
    },
  },
  codex: {
    file: ".codex/hooks.json",
    theirs: { hooks: { Stop: [{ hooks: [hook("say done")] }] } },
    rewrite: ({ hooks = {} }) => JSON.stringify({ hooks: { ...hooks, PreToolUse: LINT } }),
    left: { hooks: { Stop: [{ hooks: [hook("say done")] }], PreToolUse: LINT } },
  },
  // `gemini mcp add --scope project`: what it does not know is gone, everything else in another order.
  gemini: {
    file: ".gemini/settings.json",
    theirs: { unknown: 1, ui: { theme: "GitHub" } },
    rewrite: ({ unknown: _, ...rest }) => pretty(reversed({ ...rest, mcpServers: { other: { command: "node" } } })),
    left: { mcpServers: { other: { command: "node" } }, ui: { theme: "GitHub" } },
  },
  cursor: {
    file: ".cursor/hooks.json",
    theirs: { version: 1, hooks: { stop: [{ command: "say done" }] } },
    rewrite: (settings) => pretty(reversed(settings)),
    left: { version: 1, hooks: { stop: [{ command: "say done" }] } },
  },
  copilot: {
    file: ".github/hooks/ua-hooks.json",
    theirs: { version: 1, hooks: { errorOccurred: [{ type: "command", bash: "say oh" }] } },
    rewrite: (settings) => `${JSON.stringify(settings)}\r\n`,
    left: { version: 1, hooks: { errorOccurred: [{ type: "command", bash: "say oh" }] } },
  },
  // It adds the schema at its next start.
  opencode: {
    file: "opencode.jsonc",
    theirs: { theme: "system", plugin: ["other"] },
    rewrite: (settings) => pretty({ $schema: "https://opencode.ai/config.json", ...settings }),
    left: { $schema: "https://opencode.ai/config.json", theme: "system", plugin: ["other"] },
  },
};

test("each client wrote its settings anew: uninstall removes our part only, and nothing else of ours is left", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  const all = Object.values(CLIENTS);
  for (const { file, theirs } of all) repo.write({ [file]: pretty(theirs) });
  repo.uaJson("install", "--agent", Object.keys(CLIENTS).join(","));
  for (const { file, rewrite } of all) {
    assert.match(repo.read(file), /ua-hooks\//, file);
    repo.write({ [file]: rewrite(JSON.parse(repo.read(file)) as Settings) });
  }
  assert.equal(repo.ua("uninstall").code, 0);
  for (const { file, left } of all) assert.deepEqual(JSON.parse(repo.read(file)), left, file);
  for (const folder of [".agents", ".claude/skills"]) assert.equal(repo.has(folder), false, folder);
});

test("a client wrote files anew that install had created: what is left is the client's", (t) => {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  repo.uaJson("install", "--agent", Object.keys(CLIENTS).join(","));
  for (const { file } of Object.values(CLIENTS)) {
    const settings = JSON.parse(repo.read(file)) as Settings;
    repo.write({ [file]: JSON.stringify(reversed({ ...settings, added: true })) });
  }
  assert.equal(repo.ua("uninstall").code, 0);
  for (const { file } of Object.values(CLIENTS)) {
    const { added, version: _, ...more } = JSON.parse(repo.read(file)) as Settings;
    assert.deepEqual([added, more], [true, {}], file);
  }
});
