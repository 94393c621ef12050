import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The plugin as `enabledPlugins` and Codex's config name it: `<plugin>@<marketplace>`. */
export const THEIR_PLUGIN = "understand-anything@understand-anything";
/** What its hook says begins with this. */
export const THEIR_WORDS = "[made-up understand-anything]";

const HOOK = "hooks/speak.mjs";

/** The rule of Understand-Anything's own hooks (hooks/*.mjs of its plugin, August 2026), in our words. */
const SPEAK = `import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const folder = [".understand-anything", ".ua"].find((name) => existsSync(name)) ?? ".ua";
function load(name) {
  try {
    return JSON.parse(readFileSync(folder + "/" + name, "utf8"));
  } catch {
    return null;
  }
}
function newHead() {
  const commit = load("meta.json")?.gitCommitHash;
  if (load("config.json")?.autoUpdate !== true || !existsSync(folder + "/knowledge-graph.json")) return null;
  if (typeof commit !== "string" || commit === "") return null;
  try {
    const head = execFileSync("git", ["rev-parse", "HEAD"], { stdio: ["ignore", "pipe", "ignore"] }).toString().trim();
    return head === commit ? null : head;
  } catch {
    return null;
  }
}
const event = process.argv[2];
const input = JSON.parse(readFileSync(0, "utf8"));
const isDue = event === "SessionStart" || /git\\s+(commit|merge|cherry-pick|rebase)/.test(String(input.tool_input?.command));
const head = isDue ? newHead() : null;
if (head !== null) {
  // With the commit: Claude Code leaves out what a hook already said at an earlier start of the same session.
  const text = "${THEIR_WORDS} the graph is stale at " + head + ": update it now";
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext: text } }));
}
`;

const command = (event: string) => ({
  type: "command",
  command: `"${process.execPath}" "\${CLAUDE_PLUGIN_ROOT}/${HOOK}" ${event}`,
});

/** A marketplace with one plugin, which has that rule and nothing else. Returns the script that its hooks run. */
export function writeTheirPlugin(folder: string): string {
  const files: Record<string, unknown> = {
    ".claude-plugin/marketplace.json": {
      name: "understand-anything",
      owner: { name: "A" },
      plugins: [{ name: "understand-anything", source: "./plugin", description: "Made up for tests" }],
    },
    "plugin/.claude-plugin/plugin.json": { name: "understand-anything", version: "1.0.0", description: "Made up" },
    "plugin/hooks/hooks.json": {
      hooks: {
        SessionStart: [{ hooks: [command("SessionStart")] }],
        PostToolUse: [{ matcher: "Bash", hooks: [command("PostToolUse")] }],
      },
    },
    [`plugin/${HOOK}`]: SPEAK,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  return join(folder, "plugin", HOOK);
}
