import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../git/hook-events.js";

/**
 * The texts of hook files and of hook managers' files. A copy is in the state dir, so that the worker can repair hooks without
 * the package.
 */
export const TEMPLATES = ["hook.sh", "slot.sh", "lefthook.yml", "pre-commit.yaml", "prek.toml"] as const;

export function template(name: (typeof TEMPLATES)[number], stateDir: string): string {
  const own = join(import.meta.dirname, "..", "templates", name);
  return readFileSync(existsSync(own) ? own : join(stateDir, "templates", name), "utf8");
}

/** The marked block for a hook file. */
export function hookBlock(stateDir: string, event: Event): string {
  return template("hook.sh", stateDir).replaceAll("@event@", event);
}

/** The same as one line of sh, for places that hold a command. git's arguments follow it. */
export function slotLine(stateDir: string, slot: string, event: Event): string {
  return template("slot.sh", stateDir).trimEnd().replaceAll("@slot@", slot).replaceAll("@event@", event);
}
