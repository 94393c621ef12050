import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import { detectHookEnvironment } from "../hook-managers/environment.js";
import type { Project } from "../repository/locate.js";
import { stateDb } from "../store/files.js";
import { CHECKS, type DoctorCheck, staleLocks } from "./checks.js";
import { type InstallOptions, install } from "./install.js";

/** Runs all checks; hooks are tested by firing them. */
export async function examine(project: Project): Promise<DoctorCheck[]> {
  const environment = await detectHookEnvironment(project);
  const found: DoctorCheck[] = [];
  for (const check of CHECKS) for (const finding of await check(environment)) found.push(finding);
  return found;
}

/**
 * Repairs what belongs to us: hooks, program, locks of dead processes, and a damaged database, which is rebuilt from
 * git.
 */
export async function repair(
  project: Project,
  found: readonly DoctorCheck[],
  options: InstallOptions,
): Promise<string[]> {
  if (!existsSync(join(project.stateDir, "env")) && !existsSync(stateDb(project.stateDir))) {
    throw new UaError("not-set-up", "ua-hooks is not installed here", "run `ua-hooks install`");
  }
  const done: string[] = [];
  const isBroken = found.some(({ name, state }) => name === "store" && state === "problem");
  if (isBroken) {
    const file = stateDb(project.stateDir);
    const aside = `${file}.damaged-${Date.now()}`;
    for (const end of ["", "-wal", "-shm"]) if (existsSync(file + end)) renameSync(file + end, aside + end);
    done.push(`the damaged database is kept as ${aside}`);
  }
  for (const name of await staleLocks(project)) {
    rmSync(join(project.stateDir, name), { recursive: true, force: true });
    done.push(`removed ${name} of a process that is gone`);
  }
  const { steps, notes } = await install(project, { ...options, init: isBroken });
  return [...done, ...steps.map(({ what }) => what), ...notes];
}
