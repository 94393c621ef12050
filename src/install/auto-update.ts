import { join } from "node:path";
import type { FileStep, Transaction } from "../hook-managers/plan.js";
import { CONFIG, dropCopy, readArtefact, writeArtefact } from "../knowledge/artefacts.js";
import type { Project } from "../repository/locate.js";
import { isObject, parseJson } from "../store/check.js";
import { readBytes, readTextIfThere, toJson } from "../store/files.js";
import { type EnabledConfig, readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";

/** Sets `autoUpdate: true` in config.json. A value that the user chose is changed only after confirmation, and noted for uninstall. */
export async function enable(
  db: Db,
  project: Project,
  { work, mayEnable }: { work: Transaction; mayEnable: () => Promise<boolean> },
): Promise<boolean> {
  const config = readArtefact(project, CONFIG);
  if (config?.autoUpdate === true) return true;
  if (config?.autoUpdate !== undefined && !(await mayEnable())) return false;
  const file = join(project.dataDir, CONFIG);
  const before = readTextIfThere(file);
  const enabled = { ...config, autoUpdate: true };
  if (before === null) {
    writeArtefact(db, project, CONFIG, enabled, { allowTracked: true });
    return true;
  }
  const after = toJson(enabled);
  writeSetting(db, SETTINGS.enabledConfig, { before, after }, project.scope);
  const was = config?.autoUpdate === undefined ? "set to true" : `${JSON.stringify(config.autoUpdate)} is now true`;
  work.carryOut([{ file, what: `autoUpdate ${was}; uninstall restores it`, text: after }]);
  dropCopy(project, CONFIG);
  return true;
}

export interface ChangedConfig extends EnabledConfig {
  file: string;
  /** Nothing is read through a link that leads out of it. */
  home: string;
}

/** The files that `enable` changed, in these worktrees. */
export function changedConfigs(db: Db, projects: readonly Project[]): ChangedConfig[] {
  const all = projects.flatMap((project): ChangedConfig[] => {
    const noted = readSetting(db, SETTINGS.enabledConfig, project.scope);
    const home = project.root ?? project.stateDir;
    return noted === null ? [] : [{ ...noted, file: join(project.dataDir, CONFIG), home }];
  });
  return [...new Map(all.map((each) => [each.file, each])).values()];
}

export function forgetChangedConfigs(db: Db, projects: readonly Project[]): void {
  for (const { scope } of projects) writeSetting(db, SETTINGS.enabledConfig, null, scope);
}

/** Byte for byte, if no other tool wrote the file since; otherwise only our value is taken back. */
export function restoreConfigSteps({ file, home, before, after }: ChangedConfig): FileStep[] {
  const text = Buffer.from(readBytes(file, home), "latin1").toString("utf8");
  const restored = text === after ? before : withoutOurValue(text, before);
  return restored === null ? [] : [{ file, what: "autoUpdate restored", text: restored }];
}

/** null: the file is gone or cannot be read, or has another value by now. */
function withoutOurValue(text: string, before: string): string | null {
  const now = parseJson(text, isObject);
  if (now?.autoUpdate !== true) return null;
  const { autoUpdate, ...others } = now;
  const was = parseJson(before, isObject);
  return toJson(was?.autoUpdate === undefined ? others : { ...now, autoUpdate: was.autoUpdate });
}
