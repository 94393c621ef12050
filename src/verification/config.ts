import { trustedExecution } from "../analyzers/trust.js";
import { isUaError, messageOf } from "../errors.js";
import { type Config, checkConfig, DEFAULTS, loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { isObject } from "../store/check.js";
import { readSetting, SETTINGS, type Setting, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { saveExecution } from "./execution.js";

/** The config as a verification last read it. Its values are checked as those of a config file are. */
const LAST_VALID: Setting<object> = { key: "config:", version: 1, check: isObject, invalid: "absent" };

/** The config for a verification. One that cannot be read must not stop the hooks: they continue with the last valid one. */
export async function verificationConfig(db: Db, project: Project): Promise<Config> {
  try {
    const found = await loadConfig(project.root);
    const config = { ...found, mode: modeOf(db, found) };
    writeSetting(db, LAST_VALID, config, project.scope);
    if (project.scope === ".") saveExecution(project.stateDir, trustedExecution(db, found, project));
    return config;
  } catch (error) {
    if (!isUaError(error)) throw error;
    writeSetting(db, SETTINGS.configError, messageOf(error));
    return lastValidConfig(db, project.scope);
  }
}

/** The defaults where there is none, or none that this version can read. */
export function lastValidConfig(db: Db, scope: string): Config {
  try {
    return checkConfig(readSetting(db, LAST_VALID, scope) ?? {}, "state.db");
  } catch {
    return DEFAULTS; // another version wrote it, with other keys
  }
}

/** `install --mode` is typed in this clone, and precedes what the project's config says. */
export function modeOf(db: Db, config: Pick<Config, "mode">): Config["mode"] {
  return readSetting(db, SETTINGS.mode) ?? config.mode;
}

/** The mode that the config has is not kept: then a later change of the config counts. */
export function chooseMode(db: Db, config: Pick<Config, "mode">, mode: Config["mode"]): void {
  writeSetting(db, SETTINGS.mode, mode === config.mode ? null : mode);
}
