import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ArtefactName, FINGERPRINTS, GRAPH, META } from "../knowledge/artefacts.js";
import { removeAll } from "../platform/change-files.js";
import { NO_REDIRECT_PIN, type Project } from "../repository/locate.js";
import { readSetting, SETTINGS, type Setting, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { excludedNames } from "./exclude.js";

/** What install creates. It records them, so that uninstall knows what to remove. config.json is never among them. */
export const ARTEFACTS: readonly ArtefactName[] = [GRAPH, META, FINGERPRINTS];

/** A failed install leaves nothing new behind. `keepArtefacts`: another program wrote some meanwhile, and those stay. */
export function rememberAbsent({ worktree, stateDir, dataDir }: Project): {
  removeNew(): void;
  keepArtefacts(): void;
} {
  const isAbsent = (path: string) => !existsSync(path);
  const own = [join(worktree.gitDir, NO_REDIRECT_PIN), stateDir].filter(isAbsent);
  let artefacts = [dataDir, ...ARTEFACTS.map((name) => join(dataDir, name))].filter(isAbsent);
  return {
    removeNew: () => {
      for (const path of [...own, ...artefacts]) removeAll(path);
    },
    keepArtefacts: () => {
      artefacts = [];
    },
  };
}

/**
 * The artefacts that install created: they are excluded from git, and removed with --purge. A new database in place of a damaged one knows
 * of none; then those count that are excluded.
 */
export function recordCreated(db: Db, project: Project, wanted: readonly ArtefactName[]): ArtefactName[] {
  const isKnown = readSetting(db, SETTINGS.createdArtefacts, project.scope) !== null;
  const known = isKnown ? madeNames(db, project) : namesAmong(excludedNames(project));
  const made = [
    ...known,
    ...wanted.filter((name) => !known.includes(name) && !existsSync(join(project.dataDir, name))),
  ];
  if (made.length > known.length || (!isKnown && made.length > 0))
    writeSetting(db, SETTINGS.createdArtefacts, made, project.scope);
  return made;
}

/** Another program created the graph meanwhile: it is not ours to remove. */
export function forgetCreated(db: Db, { scope }: Project): void {
  writeSetting(db, SETTINGS.createdArtefacts, [], scope);
}

export function madeNames(db: Db, project: Project): ArtefactName[] {
  return namesAmong(readSetting(db, SETTINGS.createdArtefacts, project.scope) ?? []);
}

function namesAmong(names: readonly string[]): ArtefactName[] {
  return ARTEFACTS.filter((name) => names.includes(name));
}

export function recordFolders(db: Db, key: Setting<string[]>, folders: readonly string[]): void {
  const known = recordedFolders(db, key);
  const all = [...new Set([...known, ...folders])];
  if (all.length > known.length) writeSetting(db, key, all);
}

export function recordedFolders(db: Db, key: Setting<string[]>): string[] {
  return readSetting(db, key) ?? [];
}

export function forgetFolders(db: Db): void {
  writeSetting(db, SETTINGS.hookFolders, null);
  writeSetting(db, SETTINGS.createdFolders, null);
}
