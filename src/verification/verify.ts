import { existsSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import { type Head, readHead } from "../git/head.js";
import { announceMeta, isAdopted, metaSignature } from "../knowledge/adopted.js";
import {
  type ArtefactName,
  addTrackedArtefacts,
  artefactStamp,
  FINGERPRINTS,
  guardDataDir,
  hasGraph,
  liveCopy,
  META,
  readAutoUpdate,
  readMeta,
  repeatIfChanged,
  writeArtefact,
} from "../knowledge/artefacts.js";
import { keepConfigFile, returnToIgnored } from "../knowledge/left-artefacts.js";
import { isEmptyPlan, unfinishedPlan } from "../knowledge/plan.js";
import type { Writer } from "../knowledge/reconcile.js";
import {
  isMeasured,
  keepMarkersApart,
  type Marker,
  measuredTokens,
  NO_RECORDS,
  type StoredMarker,
  updateMarker,
} from "../marker/marker.js";
import { duePaths } from "../marker/questions.js";
import { hasRecords } from "../records/store.js";
import type { LoadedContext, LockedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { loadRules } from "../repository/rules.js";
import { worktreeToken } from "../repository/worktrees.js";
import { faultPoint } from "../store/fault.js";
import { stampOf } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { type Commit, type Comparison, compareWithBaseline } from "./compare.js";
import { verificationConfig } from "./config.js";
import { settleDataDir, takeBackMeta } from "./data-dir.js";
import { describesGraph, takeOverGraph } from "./graph-worktree.js";
import { takeUpLanguages } from "./new-languages.js";
import { askedFilesOf, measureTokens } from "./packets.js";
import { answeredFiles, keepBehind, keepDescribedBehind, quietFiles, withAnswered } from "./partly.js";
import { noteShared } from "./shared.js";
import { type Stamps, saveStamp, stampInputs, type VerifiedOutcome } from "./stamp.js";
import { enterWorktree, saveVerified, sharedBase, worktreeRow } from "./worktree-rows.js";

export interface Verification extends VerifiedOutcome {
  head: Head;
  /** null: nothing is pending, or its tokens were not measured. */
  marker: Marker | null;
  comparison: Comparison | null;
}

/**
 * With the lock held: Phase 0, Phase 1, and everything that follows from them, for one worktree. It saves in this order
 * (invariant "advance last"): graph, fingerprints, baseline, marker row, marker file, meta.json, verified commit, stamp.
 * If the process is killed between two of them, there is work to repeat.
 */
export async function verifyWorktree(locked: LockedContext, options: VerifyOptions = {}): Promise<Verification> {
  const verify = () => repeatIfChanged(() => verifyOnce(locked, options));
  await settleDataDir(locked, verify);
  return verify();
}

async function verifyOnce(locked: LockedContext, options: VerifyOptions): Promise<Verification> {
  const { db, lock, project } = locked;
  guardDataDir(project);
  lock.assertHeld();
  takeOverGraph(db, project);
  if (describesGraph(db, project)) await bringBackMissing(db, project);
  const seen = stampInputs(project);
  const head = await readHead(project.worktree.gitDir, project.commonDir);
  const token = worktreeToken(project.worktree);
  const row = worktreeRow(db, project.worktree.id);
  // Another worktree with that name, or the same one with its own graph now: the old verdicts are not valid.
  if (row?.token !== token || row.scope !== project.scope) enterWorktree(db, project, token);
  const finish = (found: Omit<Verification, "head">): Verification => {
    lock.assertHeld();
    saveStamp(project, head, { outcome: found.outcome, reason: found.reason }, seen);
    return { head, ...found };
  };

  const stop = stopped(db, project, head);
  if (stop !== null) return finish({ ...stop, marker: null, comparison: null });

  const config = await verificationConfig(db, project);
  const rules = await loadRules(project.root, project.dataDir, config);
  const { commit } = head;
  if (commit === null) throw new Error("unreachable: an unborn HEAD stops Phase 0");
  const context: LoadedContext = { db, project, config, rules };
  const writer: Writer = {
    ...{ context, allowTracked: options.allowTracked === true, assertHeld: () => lock.assertHeld() },
    stampWritten: (name) => stampWritten(project, name, seen),
  };
  // Once after an upgrade, before a plan or a comparison asks for them.
  if (readSetting(db, SETTINGS.descriptionsStored) === null)
    await (await import("../knowledge/file-analyses.js")).fileStoredAnalyses(context);
  const isGraphs = describesGraph(db, project);
  if (isGraphs && unfinishedPlan(db, project.scope) !== null)
    await (await import("../knowledge/reconcile.js")).resume(writer);
  if (!isAdopted(db, project)) await adopt(writer, { inGraph: isGraphs });
  if ((await takeUpLanguages(context, commit, { inGraph: isGraphs })) && isGraphs)
    await (await import("../knowledge/reconcile.js")).resume(writer);
  const known = await settleKnown(writer, { ...head, commit }, { inGraph: isGraphs, afterBatch: options.afterBatch });
  const analyzed =
    options.structural ?? (config.mode === "inline" && config.analyzer === "structural" ? "changed" : null);
  const comparison =
    analyzed === null || !isGraphs ? known : await analyzeStructure(writer, known, { full: analyzed === "all" });
  const records = await recordsForMarker(writer, comparison);
  const tokens = await tokensFor(context, comparison, options);
  if (isGraphs && (await takeBackMeta(db, project, comparison)))
    (await import("../knowledge/revive.js")).renewMeta(db, project);
  const saved = settle(writer, comparison, { token, events: options.events ?? [], records, tokens });
  const marker = saved !== null && isMeasured(saved) ? saved : null;
  return finish({ ...outcomeOf(comparison), marker, comparison });
}

const outcomeOf = ({ action, reason }: Comparison) =>
  ({ outcome: action === "SKIP" ? "settled" : "pending", reason }) as const;

/** Artefacts that git removed with a branch, or that were deleted, come back from the store. */
async function bringBackMissing(db: Db, project: Project): Promise<void> {
  const hasReturned = await returnToIgnored(db, project);
  const isHalfRevived = readSetting(db, SETTINGS.reviving, project.scope) !== null;
  const isWhole = !isHalfRevived && hasGraph(db, project);
  if (!hasReturned && isWhole && existsSync(join(project.dataDir, FINGERPRINTS))) return;
  const { renewFingerprints, revive, reviveFingerprints } = await import("../knowledge/revive.js");
  const limits = await verificationConfig(db, project);
  if (!hasReturned && isWhole) await reviveFingerprints(db, project, limits);
  else if (hasReturned) await renewFingerprints(db, project, limits);
  else await revive(db, project, limits);
}

/** Another tool or a checkout wrote the artefacts. What they lack of what is stored goes back into them. */
async function adopt(writer: Writer, { inGraph }: { inGraph: boolean }): Promise<void> {
  await (await import("../knowledge/adopt.js")).adoptBaseline(writer.context);
  if (inGraph) await (await import("../knowledge/reconcile.js")).resume(writer);
}

export interface VerifyOptions {
  /** The names of the hooks that ran since the last verification, for the marker. */
  events?: readonly string[];
  /** Tracked artefacts may be written: a person or an agent started this. */
  allowTracked?: boolean;
  /** What the structural analyzer analyzes: what changed, or everything. */
  structural?: "changed" | "all";
  /** False in a hook that git waits for: this needs the analysed texts from git. The next reader measures. */
  measuresTokens?: boolean;
  /** Called while nothing is written yet but facts, after each batch of them. It may throw, to continue later. */
  afterBatch?: () => void;
}

/**
 * Phase 0 and 1, with all stored analyses used: those that describe HEAD go into the graph (in the worktree that it
 * describes; in others they are not pending), and moved files keep theirs.
 */
async function settleKnown(
  writer: Writer,
  head: Commit,
  { inGraph, afterBatch }: { inGraph: boolean; afterBatch: VerifyOptions["afterBatch"] },
): Promise<Comparison> {
  const { context } = writer;
  const compared = await compareWithBaseline(context, head, { keep: true, afterBatch });
  const { isSettled } = await noteShared(context, compared, { inGraph });
  const comparison = isSettled ? await compareWithBaseline(context, head, { keep: true }) : compared;
  const { restores, moves, configsChanged } = comparison;
  const answered = inGraph ? [...answeredFiles(comparison), ...(await quietFiles(context, comparison))] : [];
  const isQuiet = restores.length + moves.length + answered.length === 0 && !configsChanged;
  if (isQuiet && comparison.renamedFiles.length === 0) return comparison;
  const { countPutBack, keepMoved, keepMovedTexts, planFor } = await import("../knowledge/known-plan.js");
  await keepMovedTexts(context, comparison);
  if (isQuiet) return comparison;
  const { reconcile } = await import("../knowledge/reconcile.js");
  const plan = withAnswered(await planFor(context, comparison), answered);
  keepMoved(context.db, moves);
  if (inGraph) await keepBehind(context, { moves, answered });
  if (inGraph && !isEmptyPlan(plan)) {
    await reconcile(writer, plan);
    countPutBack(context, comparison);
  } else if (comparison.moves.length === 0) return comparison;
  return compareWithBaseline(context, head, { keep: true });
}

/** Phase 2 without an LLM: runs the structural analyzer, then compares again. */
async function analyzeStructure(
  writer: Writer,
  comparison: Comparison,
  options: { full: boolean },
): Promise<Comparison> {
  const { reconcile } = await import("../knowledge/reconcile.js");
  const { structuralPlan } = await import("../knowledge/structural.js");
  const plan = await structuralPlan(writer.context, comparison, options);
  if (isEmptyPlan(plan)) return comparison;
  await keepDescribedBehind(writer.context, comparison, plan);
  await reconcile(writer, plan);
  return compareWithBaseline(
    writer.context,
    { commit: comparison.head, ...(comparison.branch === undefined ? {} : { branch: comparison.branch }) },
    { keep: true },
  );
}

/** Phase 0 stops here: there is no graph, or it is disabled. */
export function stopped(db: Db, project: Project, head: Head): VerifiedOutcome | null {
  if (!hasGraph(db, project)) {
    return { outcome: "no-graph", reason: "there is no knowledge graph; `ua-hooks install` builds one" };
  }
  if (readAutoUpdate(project) !== true) {
    return { outcome: "off", reason: "autoUpdate is not true in config.json; remove the key or set it to true" };
  }
  if (head.commit === null) return { outcome: "unborn", reason: "there is no commit yet" };
  return null;
}

/** Measured once for an update. */
async function tokensFor(
  context: LoadedContext,
  comparison: Comparison,
  { measuresTokens = true }: VerifyOptions,
): Promise<number | null> {
  if (comparison.action === "SKIP") return 0;
  const known = measuredTokens(context.db, context.project.worktree.id, comparison);
  if (known !== null || !measuresTokens) return known;
  return measureTokens(context, await askedFilesOf(context, comparison, duePaths(comparison)));
}

/** The commit that a worktree's marker counts from. */
function baseOf(db: Db, { worktree, scope }: Project): string | null {
  return worktreeRow(db, worktree.id)?.base_sha ?? sharedBase(db, scope);
}

/** Updates the records of this worktree: their history, and, if something is pending, its marker. */
export async function recordsForMarker(
  { context: { db, project, config } }: Pick<Writer, "context">,
  { action, diff, head }: Comparison,
) {
  if (!hasRecords(db)) return NO_RECORDS;
  const { openRecords } = await import("../records/verify.js");
  const { changesBetween, recordChanges, watchRecords } = await import("../records/watch.js");
  const context = { project, database: async () => db, config: async () => config };
  const worktree = await openRecords(context, diff && { ...diff, to: head });
  const base = action === "SKIP" ? null : baseOf(db, project);
  const changing = base === null ? null : changesBetween(worktree, base, head);
  changing?.catch(() => {}); // thrown where it is used; git works while the others are compared
  await watchRecords(worktree);
  return action === "SKIP" ? NO_RECORDS : recordChanges(worktree, { base, head, changed: await changing });
}

interface SettleInput extends Pick<Parameters<typeof updateMarker>[3], "events" | "records" | "tokens"> {
  token: string;
}

/** Checks the lock before every write: a suspended process may have lost it. */
function settle(
  { context: { db, project, rules }, allowTracked, assertHeld, stampWritten: note }: Writer,
  comparison: Comparison,
  { token, ...circumstances }: SettleInput,
): StoredMarker | null {
  const now = new Date().toISOString();
  assertHeld();
  addTrackedArtefacts(db, project, comparison.trackedArtefacts);
  if (describesGraph(db, project)) keepConfigFile(db, project);
  keepMarkersApart(project, comparison.trackedArtefacts);
  const marker = updateMarker(db, project, comparison, { base: baseOf(db, project), now, ...circumstances });
  const settled = comparison.action === "SKIP";
  assertHeld();
  if (settled && describesGraph(db, project) && advanceMeta(db, project, comparison.head, { allowTracked })) note(META);
  faultPoint("verify.save");
  assertHeld();
  saveVerified(db, {
    ...{ project, token, sha: comparison.head, settled },
    ...{ rules: rules.id, at: now, comparison },
  });
  faultPoint("verify.saved");
  return marker;
}

/** meta.json follows HEAD if nothing is pending; the time of analysis stays. */
function advanceMeta(db: Db, project: Project, commit: string, options: { allowTracked: boolean }): boolean {
  const asRead = artefactStamp(project, META);
  const meta = readMeta(project);
  if (meta === null || meta.gitCommitHash === commit) return false;
  announceMeta(db, project, `${commit} ${meta.lastAnalyzedAt}`);
  faultPoint("meta.write");
  writeArtefact(db, project, META, { ...meta, gitCommitHash: commit }, { ...options, asRead });
  writeSetting(db, SETTINGS.meta, [metaSignature(project)], project.scope);
  return true;
}

/** Our own writes are stamped; writes of another tool meanwhile are not. */
function stampWritten(project: Project, name: ArtefactName, seen: Stamps): void {
  const copies = name === META ? [liveCopy(project, META)] : [];
  for (const file of [join(project.dataDir, name), ...copies]) seen.set(file, stampOf(file, { own: true }));
}

type VerifiedWorktree = Verification & { comparison: NonNullable<Verification["comparison"]> };

/** Verifies, for a command that acts on the result. */
export async function verifyForUpdate(locked: LockedContext): Promise<VerifiedWorktree> {
  const found = await verifyWorktree(locked);
  if (found.comparison === null) throw new UaError("not-set-up", found.reason, "run `ua-hooks status`");
  return { ...found, comparison: found.comparison };
}
