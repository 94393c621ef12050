import { existsSync } from "node:fs";
import { join } from "node:path";
import { locateProject } from "../repository/locate.js";
import { isRuntimeNewer, runtimeDir } from "../store/upgrade.js";

/**
 * Where a newer version has upgraded the clone, its copy of the program runs in place of this one, which cannot read the database.
 * Returns its exit status; null where this program is the one to run.
 */
export async function runNewer(cwd: string, args: readonly string[]): Promise<number | null> {
  const project = await locateProject({ cwd, env: process.env }).catch(() => null); // the command says why
  if (project === null || !isNewer(project.stateDir)) return null;
  const program = join(runtimeDir(project.stateDir), "cli.cjs");
  if (!existsSync(program)) return null;
  return (
    process.getBuiltinModule("node:child_process").spawnSync(process.execPath, [program, ...args], { stdio: "inherit" })
      .status ?? 6
  );
}

/** False where it cannot be read, in another user's state dir for example: the command says why. */
function isNewer(stateDir: string): boolean {
  try {
    return isRuntimeNewer(stateDir);
  } catch {
    return false;
  }
}

/** A command met the database of an older version. */
export async function upgradeAt(cwd: string): Promise<void> {
  const { upgradeClone } = await import("../install/upgrade.js");
  await upgradeClone(await locateProject({ cwd, env: process.env }));
}
