import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { UaError } from "../errors.js";
import { configHooks } from "./config-hooks.js";
import { type Ask, type House, runsConfigHooks } from "./environment.js";
import { excludePlaces } from "./exclude.js";
import { hooksPath } from "./hooks-path.js";
import { husky } from "./husky.js";
import { lefthook } from "./lefthook.js";
import type { Place, PlaceName } from "./manager.js";
import { freeNative, native } from "./native.js";
import type { Step, Transaction } from "./plan.js";
import { preCommit } from "./pre-commit.js";
import { simpleGitHooks } from "./simple-git-hooks.js";

/** The clone's own files last: they are planned from what the others have made of them. */
export const PLACES: readonly Place[] = [configHooks, husky, lefthook, simpleGitHooks, preCommit, hooksPath, native];

export const PLACE_NAMES: readonly PlaceName[] = PLACES.map(({ name }) => name);

/**
 * The most durable place there is (SPEC §8): git's own config where git reads it; else the slot of every manager that is
 * here, or the folder that git is sent to; and the clone's own hook files in any case.
 */
export function choosePlaces(house: House, forced: PlaceName | null): Place[] {
  if (forced !== null) return forcedPlaces(house, forced);
  if (runsConfigHooks(house)) return [configHooks, freeNative];
  const found = PLACES.filter((place) => place !== configHooks && place.detect(house));
  if (house.owner !== "shared" || huskyIsActive(house)) return found;
  const { scope, origin } = house.hooksPaths.at(-1) ?? { scope: "", origin: "" };
  throw new UaError(
    "refused",
    `git takes this repository's hooks from ${house.hooksDir} (core.hooksPath, ${scope}, ${origin}), which other repositories use too`,
    "`ua-hooks install --manager hooks-path` writes there (it does nothing in other repositories); so does git 2.54 or later without " +
      'it; or give this one its own: git config core.hooksPath "$(git rev-parse --git-common-dir)/hooks"',
  );
}

function huskyIsActive({ hooksDir, huskyDir }: House): boolean {
  return huskyDir !== null && hooksDir.startsWith(huskyDir);
}

function forcedPlaces(house: House, name: PlaceName): Place[] {
  const place = PLACES.find((each) => each.name === name);
  if (place === undefined || !place.detect(house)) {
    throw new UaError(
      "usage",
      `there is no ${name} here to install into`,
      `without --manager the place is chosen by itself`,
    );
  }
  if (place === native && house.owner !== "clone") {
    throw new UaError(
      "refused",
      `git does not look into ${house.nativeDir}: core.hooksPath is ${house.hooksDir}`,
      "install without --manager, or unset core.hooksPath first",
    );
  }
  return place === native ? [native] : [place, place === configHooks ? freeNative : native];
}

export interface Moved {
  places: PlaceName[];
  notes: string[];
}

/** Into the chosen places, one after the other, as steps of one transaction: each is planned from what the one before left. */
export async function moveIn(house: House, places: readonly Place[], ask: Ask, work: Transaction): Promise<Moved> {
  const notes: string[] = [];
  const exclude: string[] = [];
  for (const place of places) {
    const plan = await place.plan(house, ask);
    work.carryOut(plan.steps);
    exclude.push(...(plan.exclude ?? []));
    notes.push(...(plan.notes ?? []));
  }
  work.carryOut(excludePlaces(house, exclude));
  // A manager that has no file for any of our events, or whose file may not be written, is not a place that has us.
  const held = work.dry ? places : places.filter((place) => place.holds(house).length > 0);
  return { places: held.map(({ name }) => name), notes };
}

/** One event is one call: where we move to another place, the old one is left. */
export function leaveOthers(house: House, places: readonly Place[], work: Transaction): void {
  const chosen = places.map(({ name }) => name);
  for (const place of PLACES) if (!chosen.includes(place.name)) work.carryOut(place.undo(house));
}

/**
 * Out of every place, also of folders that git was sent to at an earlier install (`noted`). One part after the other, each
 * planned from the files as the one before left them: some files have several of our marks.
 */
export function moveOut(house: House, noted: readonly string[]): (() => Step[])[] {
  const folders = noted
    .map((folder) => resolve(house.project.commonDir, folder))
    .filter((folder) => existsSync(folder));
  const earlier = folders.map((folder) => ({
    ...house,
    hooksDir: folder,
    nativeDir: folder,
    owner: "shared" as const,
  }));
  return [house, ...earlier].flatMap((each) => PLACES.map((place) => () => place.undo(each)));
}

/** The folders with hook files of ours, as uninstall will look for them, also after the repository has moved. */
export function foldersOf({ hooksDir, nativeDir, huskyDir, project }: House): string[] {
  const folders = [nativeDir, hooksDir, ...(huskyDir === null ? [] : [huskyDir])];
  return [...new Set(folders.map((folder) => relative(project.commonDir, folder)))];
}
