import { homedir } from "node:os";
import { join } from "node:path";
import type { Project } from "../repository/locate.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";

/** Understand-Anything's plugin for Claude Code: `<plugin>@<marketplace>` in `enabledPlugins`. */
const PLUGIN = /^understand-anything(@|$)/;

/**
 * Whether Understand-Anything's own hook notifies this client: its plugin has one that runs at session start and after
 * shell commands, and reads the same `autoUpdate`. Then ours sends nothing, because two messages about the same update
 * are worse than one. The nearest settings file with an entry for the plugin decides.
 */
export function notifiesItself(client: string, project: Project, env: NodeJS.ProcessEnv): boolean {
  if (client !== "claude") return false; // it has no hook for other clients
  const home = env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude");
  const { path } = project.worktree;
  const files = [
    join(path, ".claude", "settings.local.json"),
    join(path, ".claude", "settings.json"),
    join(home, "settings.json"),
  ];
  for (const file of files) {
    const enabled = pluginIn(file);
    if (enabled !== null) return enabled;
  }
  return false;
}

function pluginIn(file: string): boolean | null {
  try {
    const settings: unknown = JSON.parse(readTextIfThere(file, MOST_TEXT_BYTES) ?? "null");
    const plugins = (settings as { enabledPlugins?: unknown } | null)?.enabledPlugins;
    if (typeof plugins !== "object" || plugins === null) return null;
    const named = Object.entries(plugins).filter(([name]) => PLUGIN.test(name));
    return named.length === 0 ? null : named.some(([, enabled]) => enabled === true);
  } catch {
    return null; // settings that cannot be read enable nothing
  }
}
