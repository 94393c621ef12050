import { existsSync } from "node:fs";
import { type Head, readHead } from "../git/head.js";
import { diffTrees } from "../git/trees.js";
import {
  addTrackedArtefacts,
  artefactPath,
  GRAPH,
  guardDataDir,
  readAutoUpdate,
  repeatIfChanged,
} from "../knowledge/artefacts.js";
import { computePieces } from "../knowledge/graph-pieces.js";
import {
  isMeasured,
  keepMarkersApart,
  measuredTokens,
  NO_RECORDS,
  renderMarker,
  type StoredMarker,
  saveMarkerRow,
} from "../marker/marker.js";
import { duePaths } from "../marker/questions.js";
import type { LoadedContext, LockedContext } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import { loadRules } from "../repository/rules.js";
import { worktreeToken } from "../repository/worktrees.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { isAsked } from "../verification/asked.js";
import { verificationConfig } from "../verification/config.js";
import { settleDataDir, takeBackMeta } from "../verification/data-dir.js";
import { describesGraph, takeOverGraph } from "../verification/graph-worktree.js";
import { measureTokens } from "../verification/packets.js";
import { dropStamp, saveStamp, stampInputs } from "../verification/stamp.js";
import { recordsForMarker, type Verification, type VerifyOptions } from "../verification/verify.js";
import { enterWorktree, worktreeRow } from "../verification/worktree-rows.js";
import { answerStructure } from "./answers.js";
import { type Compared, compareHead } from "./compare.js";
import { Documents, writeDocuments } from "./documents.js";
import { followFound, followRenames } from "./follow.js";
import { importDocuments } from "./import.js";
import { askedFiles, formerTexts } from "./packets.js";

export interface Synced extends Verification {
  comparison: Compared | null;
}

export interface SyncOptions extends VerifyOptions {
  /** The graph is being built: whether it is switched on is asked later. */
  isInstall?: boolean;
  /** Of the program that threads run. */
  folder?: string;
}

/** The only code that changes documents. With the lock held; if another program wrote one meanwhile, it starts anew. */
export async function sync(locked: LockedContext, options: SyncOptions = {}): Promise<Synced> {
  const once = () => repeatIfChanged(() => syncOnce(locked, options));
  await settleDataDir(locked, once);
  return once();
}

async function syncOnce(locked: LockedContext, options: SyncOptions): Promise<Synced> {
  const { db, lock, project } = locked;
  const isCommand = options.allowTracked === true;

  // observe
  guardDataDir(project);
  lock.assertHeld();
  takeOverGraph(db, project);
  // A stamp of another HEAD would hold again when that HEAD comes back, with rows of this one.
  dropStamp(project);
  const seen = stampInputs(project);
  const head = await readHead(project.worktree.gitDir, project.commonDir);
  const token = worktreeToken(project.worktree);
  const row = worktreeRow(db, project.worktree.id);
  if (row?.token !== token || row.scope !== project.scope) enterWorktree(db, project, token);
  const isGraphs = describesGraph(db, project);
  const stop = options.isInstall === true ? null : stopped(db, project, head);
  if (stop !== null || head.commit === null) return finish(locked, head, seen, { ...(stop ?? UNBORN), ...NOTHING });
  const commit = { ...head, commit: head.commit };
  const config = await verificationConfig(db, project);
  const context: LoadedContext = { db, project, config, rules: await loadRules(project.root, project.dataDir, config) };
  const documents = Documents.observe(db, project);

  // import
  const isWaiting =
    isGraphs &&
    documents.found.length > 0 &&
    (await importDocuments(context, commit, documents, { isCommand })) === "wait";
  faultPoint("sync.imported");

  // follow
  await followRenames(context, commit);

  // compare
  const keep = { keep: true, afterBatch: options.afterBatch };
  let compared = await compareHead(context, commit, keep);
  if (await followFound(context, compared)) compared = await compareHead(context, commit, keep);
  if (isGraphs && (await answerStructure(context, compared, options.structural)))
    compared = await compareHead(context, commit, keep);
  if (isGraphs) await takeBackMeta(db, project, compared);
  const marker = await settle(locked, context, compared, options);
  faultPoint("sync.compared");

  // compute
  if (isGraphs) await computePieces(context, pieceInput(compared, options));
  faultPoint("sync.computed");

  // write
  const writeMarker = () => {
    lock.assertHeld();
    faultPoint("marker.render");
    renderMarker(project, marker);
  };
  const settled = worktreeRow(db, project.worktree.id)?.base_sha ?? null;
  const counting = { scope: project.scope, excluded: compared.key.excluded };
  const write = { counting, settled, isCommand, writeMarker, assertHeld: () => lock.assertHeld() };
  if (isGraphs && !isWaiting) await writeDocuments(context, documents, write);
  else writeMarker();

  // stamp
  const outcome = compared.action === "SKIP" ? "settled" : "pending";
  const shown = marker !== null && isMeasured(marker) ? marker : null;
  for (const [file, stamp] of documents.written) seen.set(file, stamp);
  return finish(locked, head, seen, { outcome, reason: compared.reason, marker: shown, comparison: compared });
}

const NOTHING = { marker: null, comparison: null };
const UNBORN = { outcome: "unborn", reason: "there is no commit yet" } as const;

function finish(
  { lock, project }: LockedContext,
  head: Head,
  seen: ReturnType<typeof stampInputs>,
  found: Omit<Synced, "head">,
): Synced {
  lock.assertHeld();
  saveStamp(project, head, { outcome: found.outcome, reason: found.reason }, seen);
  return { head, ...found };
}

/** There is nothing to compare with, or it is switched off. */
export function stopped(db: Db, project: Project, head: Head): Pick<Verification, "outcome" | "reason"> | null {
  if (!hasGraph(db, project))
    return { outcome: "no-graph", reason: "there is no knowledge graph; `ua-hooks install` builds one" };
  if (readAutoUpdate(project) !== true)
    return { outcome: "off", reason: "autoUpdate is not true in config.json; remove the key or set it to true" };
  return head.commit === null ? UNBORN : null;
}

function hasGraph(db: Db, project: Project): boolean {
  if (existsSync(artefactPath(project, GRAPH))) return true;
  return db.get("SELECT 1 AS one FROM batches WHERE scope = ? LIMIT 1", project.scope) !== undefined;
}

/** Saves what was compared together with the marker's row and the settled commit. */
async function settle(
  { lock }: LockedContext,
  context: LoadedContext,
  compared: Compared,
  options: SyncOptions,
): Promise<StoredMarker | null> {
  const { db, project } = context;
  const records = await recordsForMarker({ context }, compared).catch((error: unknown) => {
    if (compared.action === "SKIP") return NO_RECORDS;
    throw error;
  });
  const tokens = await tokensFor(context, compared, options);
  const settled = await settledCommit(context, compared);
  const now = new Date().toISOString();
  lock.assertHeld();
  addTrackedArtefacts(db, project, compared.trackedArtefacts);
  keepMarkersApart(project, compared.trackedArtefacts);
  return db.write(() => {
    compared.save();
    const circumstances = { base: settled, now, events: options.events ?? [], records, tokens };
    const marker = saveMarkerRow(db, project, compared, circumstances);
    db.run(
      "UPDATE views SET verified_sha = ?, base_sha = ?, rules = ?, verified_at = ? WHERE id = ?",
      ...[compared.head, settled, context.rules.id, now, project.worktree.id],
    );
    return marker;
  });
}

/**
 * The last commit with nothing pending. While something is pending it is one from which a pending path differs: after an undo, or with
 * another policy, an ancestor, so that whoever compares with it finds what is pending.
 */
async function settledCommit({ db, project }: LoadedContext, compared: Compared): Promise<string | null> {
  if (compared.action === "SKIP") return compared.head;
  const before = worktreeRow(db, project.worktree.id)?.base_sha ?? baseOfGraph(db, project);
  const pending = new Set([...compared.filesToReanalyze, ...compared.deletedFiles]);
  const changes =
    before === null ? [] : await diffTrees(project.worktree.path, before, compared.head).catch(() => null); // rebased away
  if (changes === null || changes.some(({ path }) => pending.has(path))) return before;
  const { lastChange } = await import("../git/history.js");
  return (await lastChange(project.worktree.path, compared.head, [...pending])) ?? before;
}

/** A worktree that was never compared counts from the graph's. */
function baseOfGraph(db: Db, { scope }: Project): string | null {
  const sql = "SELECT base_sha FROM views WHERE scope = ? AND base_sha IS NOT NULL ORDER BY id LIMIT 1";
  return db.get<{ base_sha: string }>(sql, scope)?.base_sha ?? null;
}

/** Measured once for an update. */
async function tokensFor(
  context: LoadedContext,
  compared: Compared,
  { measuresTokens = true }: SyncOptions,
): Promise<number | null> {
  if (compared.action === "SKIP") return 0;
  const known = measuredTokens(context.db, context.project.worktree.id, compared);
  if (known !== null || !measuresTokens) return known;
  const files = await askedFiles(context, compared, duePaths(compared));
  return measureTokens(context, files, await formerTexts(compared, files));
}

export function pieceInput(compared: Compared, { folder }: SyncOptions = {}): Parameters<typeof computePieces>[1] {
  const verdicts = new Map(compared.verdicts.map((verdict) => [verdict.filePath, verdict]));
  const { atHead, key, isCovered } = compared;
  return {
    atHead,
    counting: { scope: atHead.scope, excluded: key.excluded },
    rules: key.rules,
    isCovered,
    openIds: (path) => {
      const verdict = verdicts.get(path);
      if (verdict === undefined || verdict.drift === "cosmetic") return NO_IDS;
      if (verdict.symbols === undefined) return "all";
      return new Set(verdict.symbols.filter(({ change }) => !KEPT.has(change)).map(({ id }) => id));
    },
    renamed: new Map(compared.renamedFiles.map(({ from, to }) => [from, to])),
    asksAbout: (path) => isAsked(compared.asked.get(path)),
    ...(folder === undefined ? {} : { folder }),
  };
}

const NO_IDS: ReadonlySet<string> = new Set();
const KEPT: ReadonlySet<string> = new Set(["moved", "renamed", "gone"]);
