import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { EVENTS } from "../git/hook-events.js";
import { DEFAULTS, loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { chooseManagers, installHooks } from "./choose.js";
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
  // A config that cannot be read asks for nothing; whoever needs it says what is wrong with it.
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

function decisiveFiles({ project, hooksDir, nativeDir, huskyDir, hooksPaths, top }: HookEnvironment): string[] {
  const { commonDir, stateDir, worktree } = project;
  const origins = hooksPaths.map(({ origin }) => origin).filter(isAbsolute);
  const configs = [join(commonDir, "config"), join(worktree.gitDir, "config.worktree"), ...origins];
  const folders = [hooksDir, nativeDir, ...(huskyDir === null ? [] : [huskyDir])];
  const hooks = folders.flatMap((folder) => EVENTS.map((event) => join(folder, event)));
  const slots = ["lefthook-local.yml", ".pre-commit-config.yaml", "package.json", ".husky"].map((name) =>
    join(top, name),
  );
  const own = ["env", "shim.sh", "entry.sh"].map((name) => join(stateDir, name));
  const globals = process.env.GIT_CONFIG_GLOBAL ?? join(homedir(), ".gitconfig");
  return [...new Set([...configs, globals, ...hooks, ...slots, ...own])];
}
