import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { UaError } from "../errors.js";
import { configHooks } from "./config-hooks.js";
import { type Ask, type HookEnvironment, runsConfigHooks } from "./environment.js";
import { excludeHookFiles } from "./exclude.js";
import { hooksPath } from "./hooks-path.js";
import { husky } from "./husky.js";
import { lefthook } from "./lefthook.js";
import type { HookManager, ManagerName } from "./manager.js";
import { freeNative, native } from "./native.js";
import type { FileStep, Transaction } from "./plan.js";
import { preCommit } from "./pre-commit.js";
import { simpleGitHooks } from "./simple-git-hooks.js";

/** The clone's own files last: they are planned from what the others have made of them. */
export const HOOK_MANAGERS: readonly HookManager[] = [
  configHooks,
  husky,
  lefthook,
  simpleGitHooks,
  preCommit,
  hooksPath,
  native,
];

export const MANAGER_NAMES: readonly ManagerName[] = HOOK_MANAGERS.map(({ name }) => name);

/**
 * The most durable place there is: git's own config where git reads it; else the slot of every manager that is
 * here, or the folder that git is sent to; and the clone's own hook files in any case.
 */
export function chooseManagers(environment: HookEnvironment, forced: ManagerName | null): HookManager[] {
  if (forced !== null) return forcedManagers(environment, forced);
  if (runsConfigHooks(environment)) return [configHooks, freeNative];
  const found = HOOK_MANAGERS.filter((place) => place !== configHooks && place.detect(environment));
  if (environment.owner !== "shared" || huskyIsActive(environment)) return found;
  const { scope, origin } = environment.hooksPaths.at(-1) ?? { scope: "", origin: "" };
  throw new UaError(
    "refused",
    `git takes this repository's hooks from ${environment.hooksDir} (core.hooksPath, ${scope}, ${origin}), which other repositories use too`,
    "`ua-hooks install --manager hooks-path` writes there (it does nothing in other repositories); so does git 2.54 or later without " +
      'it; or give this one its own: git config core.hooksPath "$(git rev-parse --git-common-dir)/hooks"',
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
      `there is no ${name} here to install into`,
      `without --manager the place is chosen by itself`,
    );
  }
  if (place === native && environment.owner !== "clone") {
    throw new UaError(
      "refused",
      `git does not look into ${environment.nativeDir}: core.hooksPath is ${environment.hooksDir}`,
      "install without --manager, or unset core.hooksPath first",
    );
  }
  return place === native ? [native] : [place, place === configHooks ? freeNative : native];
}

export interface InstalledHooks {
  places: ManagerName[];
  notes: string[];
}

/** Into the chosen places, one after the other, as steps of one transaction: each is planned from what the one before left. */
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
  // A manager that has no file for any of our events, or whose file may not be written, is not a place that has us.
  const held = work.dry ? places : places.filter((place) => place.holds(environment).length > 0);
  return { places: held.map(({ name }) => name), notes };
}

/** One event is one call: where we move to another place, the old one is left. */
export function removeFromOtherManagers(
  environment: HookEnvironment,
  places: readonly HookManager[],
  work: Transaction,
): void {
  const chosen = places.map(({ name }) => name);
  for (const place of HOOK_MANAGERS) if (!chosen.includes(place.name)) work.carryOut(place.undo(environment));
}

/**
 * Out of every place, also of folders that git was sent to at an earlier install (`noted`). One part after the other, each
 * planned from the files as the one before left them: some files have several of our marks.
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

/** The folders with hook files of ours, as uninstall will look for them, also after the repository has moved. */
export function foldersOf({ hooksDir, nativeDir, huskyDir, project }: HookEnvironment): string[] {
  const folders = [nativeDir, hooksDir, ...(huskyDir === null ? [] : [huskyDir])];
  return [...new Set(folders.map((folder) => relative(project.commonDir, folder)))];
}
