import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { isWindows, withSlashes } from "../platform/windows.js";

/** The script that runs the clone's own copy of the program (hooks/launcher.sh); from the state dir. */
export const LAUNCHER = join("bin", "ua-hooks");

/**
 * How a message names our command: by its absolute path, which leads to the clone's own program. `npx` would run what a checkout or a
 * registry has under that name (invariant "a checkout runs no code"). null where an older install wrote none. On Windows only sh starts
 * a script, and PowerShell takes a quoted name for a text.
 */
export function launcherCommand(stateDir: string, windows = isWindows): string | null {
  const file = join(stateDir, LAUNCHER);
  if (!existsSync(file)) return null;
  const quoted = `'${withSlashes(file, windows).replaceAll("'", "'\\''")}'`;
  return isExecutable(file) && !windows ? quoted : `sh ${quoted}`;
}

/** A text that names our commands, for a reader who has no `ua-hooks` on PATH. */
export function withLauncher(text: string, stateDir: string): string {
  const command = launcherCommand(stateDir);
  return command === null ? text : text.replaceAll("`ua-hooks ", () => `\`${command} `);
}

/** Not on a mount without exec rights. */
function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
