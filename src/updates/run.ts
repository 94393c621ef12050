import { UaError } from "../errors.js";
import { announceMeta } from "../knowledge/adopted.js";
import { CONFIG, META, readMeta, unrenderedArtefacts, writeArtefact } from "../knowledge/artefacts.js";
import { importDescriptions } from "../knowledge/description-lines.js";
import { savePlan } from "../knowledge/plan.js";
import { currentTextFiles } from "../knowledge/project-texts.js";
import { registryDifferences } from "../registry/clean.js";
import { type Context, withLock } from "../repository/context.js";
import { faultPoint } from "../store/fault.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import { usesStatements } from "../sync/switch.js";
import { differencesFromClean } from "../verification/against-clean.js";
import { describesGraph } from "../verification/graph-worktree.js";
import { dropStamps } from "../verification/stamp.js";
import { type Verification, verifyForUpdate, verifyWorktree } from "../verification/verify.js";

/** Operations that only a command starts: `run`, `verify --against-clean`, `export`. */

export interface RunResult {
  /** Whether there was something to analyze. */
  done: boolean;
  verification: Verification;
}

/** `run`: analyzes everything that is pending with the structural analyzer, which needs no LLM. */
export async function runStructural(context: Context, { full }: { full: boolean }): Promise<RunResult> {
  if (usesStatements()) return (await import("./run-structure.js")).runStructural(context, { full });
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const before = await verifyForUpdate(locked);
    if (!describesGraph(db, project)) {
      const next = "run the command in that worktree, or let an agent `claim` and `apply` here";
      throw new UaError("usage", "the graph describes another worktree than this one", next);
    }
    const changed =
      before.comparison.verdicts.length > 0 || (await currentTextFiles(locked, before.comparison.head)).isChanged;
    if (!full && !changed) return { done: false, verification: before };
    dropStamps(project);
    return {
      done: true,
      verification: await verifyWorktree(locked, {
        allowTracked: true,
        structural: full ? "all" : "changed",
      }),
    };
  });
}

/** The differences between the stores and a rebuild; for the worktree that the graph describes. */
export async function compareWithClean(context: Context): Promise<string[]> {
  if (usesStatements()) return (await import("./run-structure.js")).compareWithClean(context);
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { comparison } = await verifyForUpdate(locked);
    if (!describesGraph(db, project)) {
      throw new UaError(
        "usage",
        "the graph describes another worktree than this one",
        "run the command in that worktree",
      );
    }
    return [
      ...(await differencesFromClean(await locked.load(), { commit: comparison.head }, comparison)),
      ...(await registryDifferences(db, project)),
    ];
  });
}

/** Imports descriptions, and shows them in the graph where they stand for its contents. */
export async function importIntoGraph(
  context: Context,
  text: string,
  file: string,
): Promise<{ read: number; added: number }> {
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    await verifyWorktree(locked);
    const imported = importDescriptions(db, text, file);
    if (imported.added > 0) {
      dropStamps(project);
      writeSetting(db, SETTINGS.adopted, null, project.scope);
      await verifyWorktree(locked, { allowTracked: true });
    }
    return imported;
  });
}

/** Writes the tracked artefacts that are behind what is stored. Returns their names. */
export async function exportArtefacts(context: Context): Promise<string[]> {
  if (usesStatements()) return (await import("./run-structure.js")).exportDocuments(context);
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    await verifyWorktree(locked);
    const names = unrenderedArtefacts(db, project).filter((name) => name !== CONFIG);
    if (names.length === 0 || project.root === null) return [];
    dropStamps(project);
    const commit = readSetting(db, SETTINGS.baseCommit, project.scope) ?? "";
    savePlan(db, project.scope, { commit, restores: [], structural: [], moves: [], render: true });
    faultPoint("export.write");
    const meta = readMeta(project);
    if (meta !== null) announceMeta(db, project, `${meta.gitCommitHash} ${meta.lastAnalyzedAt}`);
    if (meta !== null) writeArtefact(db, project, META, meta, { allowTracked: true });
    await verifyWorktree(locked, { allowTracked: true });
    faultPoint("export.written");
    return names;
  });
}
