import { UaError } from "../errors.js";
import type { Result } from "../graph/result.js";
import { acknowledge } from "../knowledge/acknowledge.js";
import { type Delivered, deliver } from "../knowledge/deliver.js";
import { renewShown } from "../knowledge/shared.js";
import { countAttempt, endLease, heldLease, listedAt, takeLease } from "../marker/lease.js";
import type { Marker } from "../marker/marker.js";
import { type Due, duePaths, questionsAt, type SymbolQuestion } from "../marker/questions.js";
import { type Context, type LockedContext, withLock } from "../repository/context.js";
import { usesStatements } from "../sync/switch.js";
import type { Comparison } from "../verification/compare.js";
import { describesGraph } from "../verification/graph-worktree.js";
import { askedFilesOf, type PacketPage, packetPage } from "../verification/packets.js";
import { dropStamp, dropStamps } from "../verification/stamp.js";
import { verifyForUpdate, verifyWorktree } from "../verification/verify.js";
import { claimedPaths } from "./claimed.js";

/**
 * What an agent does with a marker: claim, apply, ack, release. Each verifies first, so that it is about HEAD, and
 * again afterwards, so that the marker shows what is left.
 */

export interface ClaimOptions {
  holder: string;
  full: boolean;
  renew: string | null;
  /** The minimum duration of the lease. */
  minutes?: number;
  /** Which page of packets is wanted; a later one is of the update that was claimed first. Without it: no packets. */
  page?: number;
}

export interface ClaimedUpdate {
  marker: Marker;
  packets: PacketPage | null;
}

export async function claimUpdate(context: Context, options: ClaimOptions): Promise<ClaimedUpdate | null> {
  if (usesStatements()) return (await import("./deliver.js")).claimUpdate(context, options);
  const { leaseMinutes: minutes } = await context.config();
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { marker } = await verifyWorktree(locked);
    if (marker === null) return null;
    if (marker.action === "FULL_UPDATE" && !options.full) {
      const next =
        "claim it with --full, give `run --analyzer` a --max-tokens, or run `ua-hooks run --full`, which needs no LLM";
      throw new UaError("usage", `a full update never starts automatically: ${marker.reason}`, next);
    }
    const keepsUpdate = options.renew !== null && (options.page ?? 1) > 1;
    const claim = { ...options, keepsUpdate, minutes: Math.max(minutes, options.minutes ?? 0) };
    dropStamp(project);
    const id = takeLease(db, project.worktree.id, claim);
    let claimed = await verifyWorktree(locked);
    if (claimed.marker?.lease === null) {
      // If the clock was set forward meanwhile, the lease would be expired before its holder got it.
      takeLease(db, project.worktree.id, { ...claim, renew: id });
      claimed = await verifyWorktree(locked);
    }
    if (claimed.marker === null || claimed.comparison === null) return null;
    const packets = options.page === undefined ? null : await claimedPackets(locked, claimed.comparison, options.page);
    return { marker: claimed.marker, packets };
  });
}

/** Of the update that the lease is for: HEAD may have moved on since the first page. */
async function claimedPackets(locked: LockedContext, comparison: Comparison, page: number): Promise<PacketPage> {
  const loaded = await locked.load();
  const files = await askedFilesOf(loaded, comparison, claimedPaths(locked, comparison, null).due);
  return packetPage(loaded, files, page);
}

/** What was asked about some files, also of an update that was claimed before HEAD moved on. */
async function claimedQuestions(
  locked: LockedContext,
  comparison: Comparison,
  due: readonly Due[],
): Promise<SymbolQuestion[]> {
  const files = await askedFilesOf(await locked.load(), comparison, due);
  const asked = new Map(files.map((file) => [file.verdict.filePath, file.asked]));
  return due.flatMap((one) => questionsAt(one, asked.get(one[0])));
}

export interface Applied extends Delivered {
  marker: Marker | null;
}

export async function applyResult(context: Context, result: Result, lease: string | null): Promise<Applied> {
  if (usesStatements()) return (await import("./deliver.js")).applyResult(context, result, lease);
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { id: worktree } = project.worktree;
    const found = await verifyForUpdate(locked);
    const { comparison } = found;
    const { due, holder } = claimedPaths(locked, comparison, lease);
    const claimed = new Map(due);
    const isGraphs = describesGraph(db, project);
    const renamed = comparison.renamedFiles;
    dropStamps(project);
    const loaded = await locked.load();
    const delivered = await deliver(loaded, result, {
      commit: comparison.head,
      claimed,
      renamed,
      holder,
      isGraphs,
    });
    if (!isGraphs) await renewShown(loaded, delivered.applied); // the graph's worktree may have the same contents
    for (const { path, oid, reason } of delivered.refused) {
      if (!claimed.has(path)) continue;
      const questions = await claimedQuestions(locked, comparison, [[path, oid]]);
      countAttempt(db, worktree, questions, { error: `${path}: ${reason}`, count: 0 });
    }
    const applied = new Set(delivered.applied);
    if ([...claimed.keys()].every((path) => applied.has(path))) endLease(db, worktree);
    const { marker } = await verifyWorktree(locked, { allowTracked: true });
    return { ...delivered, marker };
  });
}

/** No analysis for the listed files: their existing descriptions apply to the new content. */
export async function ackUpdate(
  context: Context,
  { lease, generation }: { lease: string | null; generation: number | null },
): Promise<{ acked: string[]; marker: Marker | null }> {
  if (usesStatements()) return (await import("./deliver.js")).ackUpdate(context, { lease, generation });
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { id: worktree } = project.worktree;
    const { comparison } = await verifyForUpdate(locked);
    if (lease !== null) heldLease(db, worktree, lease);
    const listed = generation === null ? duePaths(comparison) : listedAt(db, worktree, generation);
    // An old generation only covers the content that it listed.
    const still = new Set(duePaths(comparison).map((due) => JSON.stringify(due)));
    const due = listed.filter((one) => still.has(JSON.stringify(one)));
    dropStamps(project);
    acknowledge(db, project, comparison, due, { inGraph: describesGraph(db, project) });
    const after = await verifyWorktree(locked);
    return { acked: due.map(([path]) => path), marker: after.marker };
  });
}

export async function releaseUpdate(
  context: Context,
  { lease, error, tries = 1 }: { lease: string | null; error: string | null; tries?: number },
): Promise<Marker | null> {
  if (usesStatements()) return (await import("./deliver.js")).releaseUpdate(context, { lease, error, tries });
  return withLock(context, async (locked) => {
    const { db, project } = locked;
    const { id: worktree } = project.worktree;
    const { marker, comparison } = await verifyWorktree(locked);
    const claim = heldLease(db, worktree, lease);
    if (claim === null) {
      throw new UaError("usage", "nothing is claimed in this worktree", "use --lease to name an expired lease");
    }
    const due: Due[] = claim.generation === null ? [] : listedAt(db, worktree, claim.generation);
    dropStamp(project);
    if (error !== null && marker !== null && comparison !== null)
      countAttempt(db, worktree, await claimedQuestions(locked, comparison, due), { error, count: tries });
    endLease(db, worktree, claim.id);
    return (await verifyWorktree(locked)).marker;
  });
}
