import { join } from "node:path";
import { isWindows } from "../platform/windows.js";
import { GEMINI_SUB_AGENT } from "./clients.js";
import { ALIAS } from "./git-alias.js";

/** The script that our entries run; it identifies them, or the alias does. */
const SCRIPT = "ua-hooks/agent.sh";

/**
 * The command in an agent's settings. It finds the state dir from the agent's folder, so that the repository can move
 * and linked worktrees work; in a clone without ua-hooks it does nothing. For sh, independent of the agent's shell. The
 * agent's folder may look like a git dir because of a checkout: a script in there must not run (invariant "a checkout
 * runs no code").
 */
export function commandFor(client: string, event: string, windows = isWindows): string {
  if (windows) return `git -c safe.bareRepository=explicit ${ALIAS} ${client} ${event}`;
  const find =
    'd=$(git -c safe.bareRepository=explicit rev-parse --git-common-dir 2>/dev/null) && [ -f "$d/ua-hooks/agent.sh" ]';
  return `sh -c '${find} && exec sh "$d/${SCRIPT}" ${client} ${event}; exit 0'`;
}

/** Not in `.opencode/`: opencode installs packages of 63 MB into such a folder. */
export const PLUGIN = ".agents/ua-hooks/opencode.js";

export function isOurEntry(entry: unknown): boolean {
  if (typeof entry === "string") return entry === `./${PLUGIN}`;
  const { command, bash, powershell } = (entry ?? {}) as Record<string, unknown>;
  const isOurs = (line: string) => line.includes(SCRIPT) || line.includes(` ${ALIAS} `);
  return [command, bash, powershell].some((line) => typeof line === "string" && isOurs(line));
}

/** One list of hooks in a settings file, and our entry in it. */
export interface SettingsEntry {
  path: string[];
  value: unknown;
}

/** What install writes for one client: entries in its settings file. */
export interface SettingsFile {
  /** Path from the top of the worktree. */
  file: string;
  shared: string;
  /** What a new settings file starts with. */
  base?: Record<string, unknown>;
  entries: readonly SettingsEntry[];
  /** A file of our own besides, and the template with its content. */
  added?: { file: string; template: string };
  /** Files of our own that earlier versions wrote. */
  former?: readonly string[];
  /** Files that show that the client is in use: in the worktree, and in the user's home. */
  signs: readonly string[];
  homes: readonly string[];
}

/** The client's time-out for our hook; ours is much shorter (agents/run.ts). */
const SECONDS = 10;

const grouped = (
  client: string,
  event: string,
  matcher: string | null,
  extra: Record<string, unknown>,
): SettingsEntry => ({
  path: ["hooks", event],
  value: {
    ...(matcher === null ? {} : { matcher }),
    hooks: [{ type: "command", command: commandFor(client, event), ...extra }],
  },
});

const claudeLike = (client: string): SettingsEntry[] => [
  grouped(client, "SessionStart", null, { timeout: SECONDS }),
  grouped(client, "PostToolUse", "Bash", { timeout: SECONDS }),
  grouped(client, "UserPromptSubmit", null, { timeout: SECONDS }),
  // Codex takes no more at the end of a session, and warns.
  grouped(client, "SessionEnd", null, { timeout: client === "codex" ? 3 : SECONDS }),
];

const copilotEntry = (event: string, more: Record<string, unknown> = {}): SettingsEntry => ({
  path: ["hooks", event],
  value: {
    type: "command",
    ...more,
    [isWindows ? "powershell" : "bash"]: commandFor("copilot", event),
    timeoutSec: SECONDS,
  },
});

const geminiExtra = { name: "ua-hooks", timeout: SECONDS * 1000 };

export const SETTINGS_FILES: ReadonlyMap<string, SettingsFile> = new Map<string, SettingsFile>([
  [
    "claude",
    {
      file: ".claude/settings.local.json",
      shared: ".claude/settings.json",
      entries: claudeLike("claude"),
      signs: [".claude", "CLAUDE.md"],
      homes: [".claude"],
    },
  ],
  [
    "codex",
    {
      ...{ file: ".codex/hooks.json", shared: ".codex/hooks.json" },
      entries: claudeLike("codex"),
      ...{ signs: [".codex"], homes: [".codex"] },
    },
  ],
  [
    "cursor",
    {
      ...{ file: ".cursor/hooks.json", shared: ".cursor/hooks.json", base: { version: 1 } },
      entries: [
        {
          path: ["hooks", "sessionStart"],
          value: { command: commandFor("cursor", "sessionStart"), timeout: SECONDS },
        },
      ],
      ...{ signs: [".cursor", ".cursorrules"], homes: [".cursor"] },
    },
  ],
  [
    "gemini",
    {
      ...{ file: ".gemini/settings.json", shared: ".gemini/settings.json" },
      entries: [
        grouped("gemini", "SessionStart", null, geminiExtra),
        grouped("gemini", "BeforeAgent", null, geminiExtra),
        grouped("gemini", "AfterTool", `run_shell_command|${GEMINI_SUB_AGENT}`, geminiExtra),
        grouped("gemini", "BeforeTool", GEMINI_SUB_AGENT, geminiExtra),
        grouped("gemini", "SessionEnd", null, geminiExtra),
      ],
      ...{ signs: [".gemini", "GEMINI.md"], homes: [".gemini"] },
    },
  ],
  [
    "copilot",
    {
      ...{ file: ".github/hooks/ua-hooks.json", shared: ".github/hooks/ua-hooks.json", base: { version: 1 } },
      entries: [
        copilotEntry("sessionStart"),
        copilotEntry("userPromptSubmitted"),
        copilotEntry("postToolUse", { matcher: "bash" }),
        copilotEntry("preCompact"),
        copilotEntry("sessionEnd"),
      ],
      ...{ signs: [".github/hooks", ".github/copilot-instructions.md"], homes: [".copilot"] },
    },
  ],
  [
    "opencode",
    {
      // opencode merges both files, so that a project's own one can stay as it is.
      ...{ file: "opencode.jsonc", shared: "opencode.json", former: [".opencode/plugins/ua-hooks.js"] },
      entries: [{ path: ["plugin"], value: `./${PLUGIN}` }],
      added: { file: PLUGIN, template: "opencode.js" },
      ...{ signs: [".opencode", "opencode.json", "opencode.jsonc"], homes: [join(".config", "opencode")] },
    },
  ],
]);

/** The update instructions as a skill: Claude Code has its own folder for skills, the others share one. */
export function skillFile(client: string): string {
  return `${client === "claude" ? ".claude" : ".agents"}/skills/ua-hooks-update/SKILL.md`;
}
