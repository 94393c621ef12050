import { type Config, DEFAULTS } from "../project/config.js";
import type { Db } from "../store/sqlite.js";
import { getSetting } from "../store/state.js";

/** Whether this clone's config, as a hook last read it, hands what is pending to a command. */
export function wantsCommand(db: Db): boolean {
  const { mode, analyzer } = { ...DEFAULTS, ...(JSON.parse(getSetting(db, "config:.") ?? "{}") as Partial<Config>) };
  return mode === "inline" && analyzer !== "structural";
}
