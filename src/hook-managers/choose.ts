import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { UaError } from "../errors.js";
import { configHooks } from "./config-hooks.js";
import { type Ask, type HookEnvironment, runsConfigHooks } from "./environment.js";
import { excludeHookFiles } from "./exclude.js";
import { isRunnable, NO_RUN_RIGHTS } from "./hook-file.js";
import { hooksPath } from "./hooks-path.js";
import { husky } from "./husky.js";
import { lefthook } from "./lefthook.js";
import type { HookManager, ManagerName } from "./manager.js";
import { freeNative, native } from "./native.js";
import type { FileStep, Transaction } from "./plan.js";
import { preCommit } from "./pre-commit.js";
import { prek } from "./prek.js";
import { simpleGitHooks } from "./simple-git-hooks.js";
import { wrongHooksPath, wrongPathSentence } from "./wrong-path.js";

/** The clone's own files last: they are planned from what the other steps leave. */
export const HOOK_MANAGERS: readonly HookManager[] = [
  configHooks,
  husky,
  lefthook,
  simpleGitHooks,
  preCommit,
  prek,
  hooksPath,
  native,
];

export const MANAGER_NAMES: readonly ManagerName[] = HOOK_MANAGERS.map(({ name }) => name);

/**
 * The most durable place: git's config if this git supports it; else every hook manager in use, or the folder of
 * core.hooksPath; and the clone's own hook files in any case.
 */
export function chooseManagers(environment: HookEnvironment, forced: ManagerName | null): HookManager[] {
  if (forced !== null) return forcedManagers(environment, forced);
  if (runsConfigHooks(environment) && configHooks.detect(environment)) return withNative(environment, configHooks);
  const found = HOOK_MANAGERS.filter((place) => place !== configHooks && place.detect(environment));
  if (environment.owner !== "shared" || huskyIsActive(environment)) return found;
  if (wrongHooksPath(environment)?.isMissing === true) return found;
  const path = environment.hooksPaths.at(-1);
  const why = path === undefined ? "which is a link" : `core.hooksPath, ${path.scope}, ${path.origin}`;
  throw new UaError(
    "refused",
    `git takes hooks from ${environment.hooksDir} (${why}), a folder that other repositories use too`,
    "run `ua-hooks install --manager hooks-path` to write there (the hooks do nothing in other repositories), use git 2.54 or later, " +
      'or give this repository its own folder: git config core.hooksPath "$(git rev-parse --git-common-dir)/hooks"',
  );
}

function huskyIsActive({ hooksDir, huskyDir }: HookEnvironment): boolean {
  return huskyDir !== null && hooksDir.startsWith(huskyDir);
}

function forcedManagers(environment: HookEnvironment, name: ManagerName): HookManager[] {
  const place = HOOK_MANAGERS.find((each) => each.name === name);
  if (place === undefined || !place.detect(environment)) {
    throw new UaError(
      "usage",
      `${name} is not used in this repository`,
      "run `ua-hooks install` without --manager to choose the place automatically",
    );
  }
  if (place === native && environment.owner !== "clone") {
    throw new UaError(
      "refused",
      `git does not use ${environment.nativeDir}: core.hooksPath is ${environment.hooksDir}`,
      "run `ua-hooks install` without --manager, or unset core.hooksPath first",
    );
  }
  return place === native ? [native] : withNative(environment, place);
}

function withNative({ nativeIsOwn }: HookEnvironment, place: HookManager): HookManager[] {
  return nativeIsOwn ? [place, place === configHooks ? freeNative : native] : [place];
}

export interface InstalledHooks {
  places: ManagerName[];
  notes: string[];
}

/**
 * Installs into the chosen places, one after the other, in one transaction: each is planned from what the previous one
 * left.
 */
export async function installHooks(
  environment: HookEnvironment,
  places: readonly HookManager[],
  ask: Ask,
  work: Transaction,
): Promise<InstalledHooks> {
  const notes: string[] = [];
  const exclude: string[] = [];
  for (const place of places) {
    const plan = await place.plan(environment, ask);
    work.carryOut(plan.steps);
    for (const file of plan.exclude ?? []) exclude.push(file);
    for (const note of plan.notes ?? []) notes.push(note);
  }
  work.carryOut(excludeHookFiles(environment, exclude));
  const wrong = wrongHooksPath(environment);
  if (wrong !== null) notes.push(wrongPathSentence(wrong));
  if (!work.dry) for (const note of removeUnrunnable(environment, work)) notes.push(note);
  // A place without a file for our events, or with a file that may not be written, does not count as installed.
  const held = work.dry ? places : places.filter((place) => place.holds(environment).length > 0);
  return { places: held.map(({ name }) => name), notes };
}

/**
 * git prints a hint at every commit about a hook file without run rights, and a mount without them (noexec) gives a file none,
 * whatever its mode. Then no hook file of ours stays.
 */
function removeUnrunnable(environment: HookEnvironment, work: Transaction): string[] {
  const files = [native, hooksPath].flatMap((place) => {
    const dir = place === native ? environment.nativeDir : environment.hooksDir;
    return place.holds(environment).map((event) => join(dir, event));
  });
  if (files.every(isRunnable)) return [];
  for (const place of [native, hooksPath]) work.carryOut(place.undo(environment));
  const dir = dirname(files.find((file) => !isRunnable(file)) ?? environment.hooksDir);
  return [
    `${dir}: ${NO_RUN_RIGHTS}; no hooks were installed; status and other commands still find changes when they run`,
  ];
}

/** One event must start one call: after a change of place, the old place is removed. */
export function removeFromOtherManagers(
  environment: HookEnvironment,
  places: readonly HookManager[],
  work: Transaction,
): void {
  const chosen = places.map(({ name }) => name);
  for (const place of HOOK_MANAGERS) if (!chosen.includes(place.name)) work.carryOut(place.undo(environment));
}

/**
 * Removes the hooks from every place, also from folders recorded at an earlier install (`noted`). One part after the
 * other, each planned from the files that the previous one left: some files have several of our blocks.
 */
export function uninstallHooks(environment: HookEnvironment, noted: readonly string[]): (() => FileStep[])[] {
  const folders = noted
    .map((folder) => resolve(environment.project.commonDir, folder))
    .filter((folder) => existsSync(folder));
  const earlier = folders.map((folder) => ({
    ...environment,
    hooksDir: folder,
    nativeDir: folder,
    owner: "shared" as const,
  }));
  return [environment, ...earlier].flatMap((each) => HOOK_MANAGERS.map((place) => () => place.undo(each)));
}

/** The folders with our hook files, recorded for uninstall, relative so that the repository can move. */
export function foldersOf({ hooksDir, nativeDir, huskyDir, project }: HookEnvironment): string[] {
  const folders = [nativeDir, hooksDir, ...(huskyDir === null ? [] : [huskyDir])];
  return [...new Set(folders.map((folder) => relative(project.commonDir, folder)))];
}
