import { existsSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import { announceMeta, noteAdopted } from "../knowledge/adopted.js";
import { dropLiveCopy, exportArtefact, FINGERPRINTS, GRAPH, liveCopy, META, readMeta } from "../knowledge/artefacts.js";
import { registryDifferences } from "../registry/clean.js";
import { loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { loadRules } from "../repository/rules.js";
import { faultPoint } from "../store/fault.js";
import { withLock } from "../store/with-lock.js";
import { differencesFromClean } from "../verification/against-clean.js";
import { dropProofs } from "../verification/stamp.js";
import { describesGraph, judged, type Verification, verifyView } from "../verification/verify.js";

/** What only somebody who types a command starts: `run`, `verify --against-clean`, `export`. */

export interface Run {
  /** Whether there was anything to tell. */
  done: boolean;
  found: Verification;
}

/** `run`: everything that is pending done here and now by the structural analyzer, which needs no LLM. */
export async function runStructural(project: Project, full: boolean): Promise<Run> {
  return withLock(project, async (db, held) => {
    const before = await judged(db, held, project);
    if (!describesGraph(db, project)) {
      const next = "run it there, or let an agent `claim` and `apply` here";
      throw new UaError("usage", "the graph describes another worktree than this one", next);
    }
    const changed = before.judgement.verdicts.length > 0;
    if (!full && !changed) return { done: false, found: before };
    dropProofs(project);
    return {
      done: true,
      found: await verifyView(db, held, project, [], { byHand: true, structural: full ? "all" : "changed" }),
    };
  });
}

/** What the stores say that a rebuild would not; for the view that the graph describes. */
export async function proveClean(project: Project): Promise<string[]> {
  return withLock(project, async (db, held) => {
    const { judgement } = await judged(db, held, project);
    const config = await loadConfig(project.root);
    const situation = { db, project, config, rules: await loadRules(project.root, project.dataDir, config) };
    if (!describesGraph(db, project)) {
      throw new UaError("usage", "the graph describes another worktree than this one", "run it there");
    }
    return [
      ...(await differencesFromClean(situation, { commit: judgement.head }, judgement)),
      ...(await registryDifferences(db, project)),
    ];
  });
}

/** Writes the tracked artefacts from their live copies. Returns the names of those that had one. */
export async function exportArtefacts(project: Project): Promise<string[]> {
  return withLock(project, async (db, held) => {
    await verifyView(db, held, project, []);
    const names = ([GRAPH, FINGERPRINTS, META] as const).filter((name) => existsSync(liveCopy(project, name)));
    if (names.length === 0 || liveCopy(project, GRAPH) === join(project.dataDir, GRAPH)) return [];
    dropProofs(project);
    const meta = readMeta(project);
    if (meta !== null) announceMeta(db, project, `${meta.gitCommitHash} ${meta.lastAnalyzedAt}`);
    for (const name of names) {
      faultPoint("export.write");
      exportArtefact(project, name);
    }
    faultPoint("export.written");
    for (const name of names) dropLiveCopy(project, name);
    noteAdopted(db, project);
    await verifyView(db, held, project, []);
    return names;
  });
}
