import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { EVENTS } from "../git/hook-events.js";
import { DEFAULTS, loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { chooseManagers, HOOK_MANAGERS, installHooks } from "./choose.js";
import { detectHookEnvironment, type HookEnvironment } from "./environment.js";
import { Transaction } from "./plan.js";
import { hooksStateOf } from "./state.js";

interface RepairResult {
  /** The files that decide which hooks git runs. */
  files: string[];
  warning: string | null;
  repaired: boolean;
}

/**
 * A hook manager's install may have removed our hooks. With `selfRepair` they are restored, in places that need no
 * confirmation and without starting another program: this may run in a hook (invariant "a checkout runs no code").
 */
export async function repairHooks(project: Project): Promise<RepairResult> {
  const environment = await detectHookEnvironment(project);
  const { warning, bypassed } = hooksStateOf(environment);
  // A config that cannot be read asks for nothing; the commands that need it report the error.
  const { selfRepair } = await loadConfig(project.root).catch(() => DEFAULTS);
  if (bypassed.length === 0 || !selfRepair) return { files: decisiveFiles(environment), warning, repaired: false };
  await putBack(environment).catch(() => {}); // a failed repair is reported like a missing one
  const after = await detectHookEnvironment(project);
  const now = hooksStateOf(after);
  return { files: decisiveFiles(after), warning: now.warning, repaired: now.bypassed.length < bypassed.length };
}

async function putBack(environment: HookEnvironment): Promise<void> {
  await installHooks(
    { ...environment, mayRun: false },
    chooseManagers(environment, null),
    async () => false,
    new Transaction(),
  );
}

/** What git or a hook manager creates, changes or removes where it takes our hooks away; also files that do not exist yet. */
export function decisiveFiles(environment: HookEnvironment): string[] {
  const { project, hooksDir, nativeDir, hooksPaths } = environment;
  const { commonDir, stateDir, worktree } = project;
  const origins = hooksPaths.map(({ origin }) => origin).filter(isAbsolute);
  const configs = [join(commonDir, "config"), join(worktree.gitDir, "config.worktree"), ...origins];
  const hooks = [hooksDir, nativeDir].flatMap((folder) => EVENTS.map((event) => join(folder, event)));
  const slots = HOOK_MANAGERS.flatMap((manager) => manager.files?.(environment) ?? []);
  const own = ["env", "shim.sh", "entry.sh"].map((name) => join(stateDir, name));
  return [...new Set([...configs, ...userConfigs(process.env), ...hooks, ...slots, ...own])];
}

/** Where git looks for a user's and a machine's config (git-config(1), "FILES"). */
function userConfigs({ GIT_CONFIG_GLOBAL: global, XDG_CONFIG_HOME: xdg }: NodeJS.ProcessEnv): string[] {
  if (global !== undefined) return [global, "/etc/gitconfig"];
  return [join(homedir(), ".gitconfig"), join(xdg || join(homedir(), ".config"), "git/config"), "/etc/gitconfig"];
}
