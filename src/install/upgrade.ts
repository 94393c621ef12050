import { isVersionError } from "../errors.js";
import { Transaction } from "../hook-managers/plan.js";
import { withContext } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import { readTextIfThere } from "../store/files.js";
import { upgradeDatabase } from "../store/upgrade.js";
import { prepareStateDir, runtimeSteps } from "./runtime.js";
import { newMergeScript } from "./team.js";

/**
 * Brings a clone of an older version to this one: with the lock held first the copy that the hooks run, then the database. So the
 * hooks never run a program that cannot read the database (invariant "upgrades are seamless").
 */
export async function upgradeClone(project: Project): Promise<void> {
  await upgradeDatabase(project.stateDir, () => {
    prepareStateDir(project, new Set()); // the grammars in use before are renewed
    new Transaction().carryOut([...runtimeSteps(project, executionOf(project)), ...newMergeScript(project)]);
  });
}

/** For a program that stays: what it would meet at its first question is settled before. */
export async function upgradeIfOlder(project: Project): Promise<void> {
  if (!isSetUp(project)) return;
  try {
    await withContext(project, (context) => context.database());
  } catch (error) {
    if (!isVersionError(error) || error.database !== "older") throw error;
    await upgradeClone(project);
  }
}

function executionOf({ stateDir }: Project): "detached" | "foreground" {
  const [, , mode] = (readTextIfThere(`${stateDir}/env`) ?? "").split("\n");
  return mode === "foreground" ? "foreground" : "detached";
}
