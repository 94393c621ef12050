import { homedir } from "node:os";
import { join } from "node:path";
import type { Project } from "../repository/locate.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";

/** Understand-Anything's plugin for Claude Code: `<plugin>@<marketplace>` in `enabledPlugins`. */
const PLUGIN = /^understand-anything(@|$)/;

/**
 * Whether Understand-Anything's own hook speaks to this client here: its plugin brings one that runs at session start
 * and after shell commands, and it looks at the same `autoUpdate`. Then ours is silent: two voices for the same thing are
 * worse than one, and its plugin is not ours to switch off. The nearest settings file that says anything decides.
 */
export function notifiesItself(client: string, project: Project, env: NodeJS.ProcessEnv): boolean {
  if (client !== "claude") return false; // no other client runs a hook of its
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
    return null; // unreadable settings switch nothing on
  }
}
