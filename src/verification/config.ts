import { trustedExecution } from "../analyzers/trust.js";
import { messageOf, UaError } from "../errors.js";
import { type Config, DEFAULTS, loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { getSetting, setSetting } from "../store/state.js";
import { saveExecution } from "./execution.js";

/** The config for a verification. One that cannot be read must not stop the hooks: they continue with the last valid one. */
export async function verificationConfig(db: Db, project: Project): Promise<Config> {
  const key = `config:${project.scope}`;
  try {
    const config = await loadConfig(project.root);
    const text = JSON.stringify(config);
    if (getSetting(db, key) !== text) setSetting(db, key, text);
    if (project.scope === ".") saveExecution(project.stateDir, trustedExecution(db, config, project));
    return config;
  } catch (error) {
    if (!(error instanceof UaError)) throw error;
    setSetting(db, "config.error", messageOf(error));
    const good = getSetting(db, key);
    return good === null ? DEFAULTS : { ...DEFAULTS, ...(JSON.parse(good) as Config) };
  }
}
