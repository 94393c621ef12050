import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { EVENTS, type Event, isEvent } from "../git/hook-events.js";
import { liveGit } from "../git/live.js";
import { type HookEnvironment, runsConfigHooks } from "../hook-managers/environment.js";
import { isSimpleGitHooks } from "../hook-managers/simple-git-hooks.js";
import { eventStates } from "../hook-managers/state.js";
import { programPath } from "../platform/program-path.js";
import { readBytes } from "../store/files.js";
import { hasBlock } from "../store/marked-block.js";

/** The places whose hook ran, per event; null if the event was not tested. */
export type Fired = Record<Event, string[] | null>;

/**
 * Runs real git operations in a temporary worktree, with a variable that makes our hooks answer and exit. Nothing is
 * left: the worktree is on no branch and is removed, its objects go to a folder beside it, and our answer ends the hook
 * before other commands in it. If another command would run first, the event is not tested.
 */
export function liveFire(environment: HookEnvironment): Fired {
  const fired = Object.fromEntries(EVENTS.map((event) => [event, null])) as Fired;
  const events = EVENTS.filter((event) => isSafe(environment, event));
  if (events.length === 0) return fired;
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ua-hooks-doctor-")));
  try {
    for (const event of events) fired[event] = [];
    for (const line of fire(environment, base, events)) {
      const [event = "", way = ""] = line.split(" ");
      if (isEvent(event)) fired[event] = [...new Set([...(fired[event] ?? []), way])];
    }
    return fired;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function viaConfig(environment: HookEnvironment): boolean {
  return runsConfigHooks(environment) && eventStates(environment).some(({ places }) => places.includes("config"));
}

/** Our block is in it, before everything else. */
function isSafe(environment: HookEnvironment, event: Event): boolean {
  if (viaConfig(environment)) return true;
  const isHusky = environment.huskyDir !== null && basename(environment.hooksDir) === "_";
  const text = readBytes(join(isHusky ? (environment.huskyDir ?? "") : environment.hooksDir, event));
  return hasBlock(text) || (isSimpleGitHooks(text) && text.includes("ua-hooks/entry.sh"));
}

function fire(environment: HookEnvironment, base: string, events: readonly Event[]): string[] {
  const { worktree, commonDir } = environment.project;
  const [tree, heard, objects] = [join(base, "tree"), join(base, "heard"), join(base, "objects")];
  mkdirSync(objects);
  const env = {
    UA_HOOKS_PROBE: heard,
    PATH: programPath(worktree.path),
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(commonDir, "objects"),
  };
  const quiet = ["-c", "core.hooksPath=/dev/null"];
  const nothing = liveGit(worktree.path, ["mktree"], env);
  const commit = (...parents: string[]) =>
    liveGit(worktree.path, ["commit-tree", nothing, "-m", "trial", ...parents.flatMap((each) => ["-p", each])], env);
  const first = commit();
  // An empty tree: nothing is checked out, even in a large repository.
  liveGit(worktree.path, [...quiet, "worktree", "add", "-q", "--detach", tree, first], env);
  try {
    copyHooks(environment, tree);
    const hooked = (event: Event, ...args: string[]) =>
      liveGit(tree, [...(events.includes(event) ? steer(environment) : quiet), ...args], env);
    hooked("post-checkout", "checkout", "-q", "--detach", commit(first));
    hooked("post-commit", "commit", "-q", "--allow-empty", "--no-verify", "-m", "trial");
    const amend = events.includes("post-commit") ? "post-rewrite" : "post-commit"; // amend fires both
    hooked(amend, "commit", "-q", "--amend", "--allow-empty", "--no-verify", "-m", "trial again");
    hooked("post-merge", "merge", "-q", "--ff-only", commit(liveGit(tree, ["rev-parse", "HEAD"], env)));
    return existsSync(heard) ? readFileSync(heard, "utf8").split("\n").filter(Boolean) : [];
  } finally {
    liveGit(worktree.path, [...quiet, "worktree", "remove", "--force", tree], env);
  }
}

/**
 * Config hooks are tested without hook files, which may be others'. A configured folder is made absolute: a relative
 * one, or one in the worktree's own config, would be another one in the test worktree.
 */
function steer(environment: HookEnvironment): string[] {
  if (viaConfig(environment)) return ["-c", "core.hooksPath=/dev/null"];
  const named = environment.hooksPaths.length > 0 && environment.owner !== "work-tree";
  return named ? ["-c", `core.hooksPath=${environment.hooksDir}`] : [];
}

/** git looks for a folder in the work tree in every worktree: the test worktree gets the same files. */
function copyHooks({ owner, hooksDir, huskyDir, project }: HookEnvironment, tree: string): void {
  if (owner !== "work-tree") return;
  const folders = [hooksDir, ...(huskyDir !== null && hooksDir.startsWith(huskyDir) ? [huskyDir] : [])];
  for (const folder of folders) {
    for (const name of [...EVENTS, "h"]) {
      const file = join(folder, name);
      // A checkout can have a folder of any size there, or a link to a device.
      if (statSync(file, { throwIfNoEntry: false })?.isFile())
        cpSync(file, join(tree, relative(project.worktree.path, folder), name));
    }
  }
}
