import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import { gitLineSync } from "../git/run.js";
import type { Project } from "../repository/locate.js";
import { isObject, parseJson } from "../store/check.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";
import { isTrustedBy } from "./client-trust.js";
import type { HookInput } from "./clients.js";
import { codexConfig, projectConfigs, tomlValues } from "./codex-config.js";

/** Where a hook of Understand-Anything's plugin would run. */
export interface TheirPlace {
  client: string;
  /** The agent's current folder: its hook looks there, not at the top of the worktree or in the main one. */
  folder: string;
  project: Project;
  env: NodeJS.ProcessEnv;
}

/** How its hook finds the graph of a folder. */
export interface TheirView {
  head: string;
  /** It speaks at its next event; otherwise as soon as HEAD moves. */
  isStale: boolean;
}

/**
 * Whether Understand-Anything's own hook speaks here; null: it never does. Its plugin must be enabled. Then the current folder decides
 * (its hooks/auto-update-state.mjs): `autoUpdate` is true, there is a graph, and meta.json has a commit, which is not HEAD.
 */
export function theirView(place: TheirPlace): TheirView | null {
  const { folder } = place;
  const dataDir = join(folder, existsSync(join(folder, ".understand-anything")) ? ".understand-anything" : ".ua");
  if (objectIn(join(dataDir, "config.json"))?.autoUpdate !== true) return null;
  if (!existsSync(join(dataDir, "knowledge-graph.json"))) return null;
  const commit = objectIn(join(dataDir, "meta.json"))?.gitCommitHash;
  if (typeof commit !== "string" || commit === "" || !isPluginEnabled(place)) return null;
  try {
    const head = gitLineSync(folder, ["rev-parse", "HEAD"]);
    return { head, isStale: head !== commit };
  } catch {
    return null; // no commit yet
  }
}

/** Whether its hook runs now (hooks/hooks.json): at a session's start, and after a shell command that looks like a commit. */
export function isTheirEvent({ event, tool, command }: HookInput): boolean {
  if (event === "SessionStart") return true;
  return event === "PostToolUse" && tool === "Bash" && /git\s+(commit|merge|cherry-pick|rebase)/.test(command);
}

/** `<plugin>@<marketplace>` */
const PLUGIN = /^understand-anything(@|$)/;

function isPluginEnabled(place: TheirPlace): boolean {
  if (place.client === "claude") return isEnabledInClaude(place.project, place.env);
  return place.client === "codex" && isEnabledInCodex(place);
}

/**
 * The first settings file with an entry for the plugin decides. Claude Code reads a project's settings in the folder that it was started in,
 * whose name it gives to its hooks; in a linked worktree it also reads the local ones of the main worktree.
 */
function isEnabledInClaude({ worktree, mainPath }: Project, env: NodeJS.ProcessEnv): boolean {
  const started = env.CLAUDE_PROJECT_DIR;
  const own = started && isWithin(worktree.path, started) ? started : worktree.path;
  const files = [
    join(own, ".claude", "settings.local.json"),
    join(mainPath ?? own, ".claude", "settings.local.json"),
    join(own, ".claude", "settings.json"),
    join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), ".claude"), "settings.json"),
  ];
  for (const file of files) {
    const plugins = objectIn(file)?.enabledPlugins;
    const named = isObject(plugins) ? Object.entries(plugins).filter(([name]) => PLUGIN.test(name)) : [];
    if (named.length > 0) return named.some(([, enabled]) => enabled === true);
  }
  return false;
}

/**
 * `[plugins."understand-anything@…"]` in the user's config or the project's. Codex skips hooks that nobody approved, those of plugins, too:
 * `[hooks.state."understand-anything@…:hooks/hooks.json:…"]`. Where ours are not approved either, it was told to run all of them.
 */
function isEnabledInCodex({ folder, project: { worktree }, env }: TheirPlace): boolean {
  const user = codexConfig(env.HOME || homedir(), env);
  const enabled = new Map<string, boolean>();
  for (const config of [user, ...projectConfigs(worktree.path, folder)]) {
    for (const { path, value } of tomlValues(config)) {
      const [table, name = "", key] = path;
      if (table === "plugins" && PLUGIN.test(name) && key === "enabled") enabled.set(name, value.startsWith("true"));
    }
  }
  if (![...enabled.values()].includes(true)) return false;
  const settings = textIn(join(worktree.path, ".codex", "hooks.json"));
  if (isTrustedBy("codex", { folder: worktree.path, env, settings }) !== true) return true;
  return [...tomlValues(user)].some(
    ({ path: [table, state, key = "", field] }) =>
      table === "hooks" && state === "state" && PLUGIN.test(key) && field === "trusted_hash",
  );
}

function isWithin(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return !isAbsolute(inside) && inside !== ".." && !inside.startsWith(`..${sep}`);
}

/** As its hook and the clients read it: what is no JSON says nothing. */
function objectIn(file: string): Record<string, unknown> | null {
  return parseJson(textIn(file) ?? "", isObject);
}

function textIn(file: string): string | null {
  try {
    return readTextIfThere(file, MOST_TEXT_BYTES);
  } catch {
    return null; // not readable, or too large
  }
}
