import { UaError } from "../errors.js";
import type { Result } from "../graph/result.js";
import { acknowledge } from "../knowledge/acknowledge.js";
import { type Delivered, deliver } from "../knowledge/deliver.js";
import { endLease, heldLease, listedAt, noteTry, takeLease } from "../marker/lease.js";
import { type Due, duePaths, type Marker } from "../marker/marker.js";
import { loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { loadRules } from "../repository/rules.js";
import { withLock } from "../store/with-lock.js";
import { dropProof, dropProofs } from "../verification/stamp.js";
import { describesGraph, judged, verifyView } from "../verification/verify.js";

/**
 * What an agent does with a marker: claim it, deliver for it, wave it through, give it back. Each verifies first, so
 * that it speaks of HEAD, and again afterwards, so that the marker says what is left.
 */

export interface ClaimOptions {
  holder: string;
  full: boolean;
  renew: string | null;
  /** How long the lease is to hold at least. */
  minutes?: number;
}

export async function claimUpdate(
  project: Project,
  options: ClaimOptions,
  signal?: AbortSignal,
): Promise<Marker | null> {
  const { leaseMinutes: minutes } = await loadConfig(project.root);
  return withLock(
    project,
    async (db, held) => {
      const { marker } = await verifyView(db, held, project, []);
      if (marker === null) return null;
      if (marker.action === "FULL_UPDATE" && !options.full) {
        const next = "claim it with --full if that is wanted, or run `ua-hooks run --full`, which needs no LLM";
        throw new UaError("usage", `a full update is never started by itself: ${marker.reason}`, next);
      }
      const claim = { ...options, minutes: Math.max(minutes, options.minutes ?? 0) };
      dropProof(project);
      const id = takeLease(db, project.view.id, claim);
      const { marker: claimed } = await verifyView(db, held, project, []);
      if (claimed === null || claimed.lease !== null) return claimed;
      // By a clock that was set ahead meanwhile it has run out before anybody heard of it.
      takeLease(db, project.view.id, { ...claim, renew: id });
      return (await verifyView(db, held, project, [])).marker;
    },
    signal,
  );
}

export interface Applied extends Delivered {
  marker: Marker | null;
}

export async function applyResult(
  project: Project,
  result: Result,
  lease: string | null,
  signal?: AbortSignal,
): Promise<Applied> {
  return withLock(
    project,
    async (db, held) => {
      const { id: view } = project.view;
      const found = await judged(db, held, project);
      const { judgement } = found;
      const claim = heldLease(db, view, lease);
      const claimed = new Map(
        claim?.generation === null || claim === null ? duePaths(judgement) : listedAt(db, view, claim.generation),
      );
      const config = await loadConfig(project.root);
      const situation = { db, project, config, rules: await loadRules(project.root, project.dataDir, config) };
      const isGraphs = describesGraph(db, project);
      const renamed = judgement.renamedFiles;
      dropProofs(project);
      const delivered = await deliver(situation, result, { commit: judgement.head, claimed, renamed, isGraphs });
      for (const { path, oid, reason } of delivered.refused) noteTry(db, view, [[path, oid]], `${path}: ${reason}`, 0);
      if ([...claimed.keys()].every((path) => delivered.applied.includes(path))) endLease(db, view);
      const { marker } = await verifyView(db, held, project, [], { byHand: true });
      return { ...delivered, marker };
    },
    signal,
  );
}

/** Nothing to say about what is listed: what was known before holds for it too. */
export async function ackUpdate(
  project: Project,
  { lease, generation }: { lease: string | null; generation: number | null },
  signal?: AbortSignal,
): Promise<{ acked: string[]; marker: Marker | null }> {
  return withLock(
    project,
    async (db, held) => {
      const { id: view } = project.view;
      const { judgement } = await judged(db, held, project);
      if (lease !== null) heldLease(db, view, lease);
      const listed = generation === null ? duePaths(judgement) : listedAt(db, view, generation);
      // An old generation speaks of the content that it listed, and of nothing that came since.
      const still = new Set(duePaths(judgement).map((due) => JSON.stringify(due)));
      const due = listed.filter((one) => still.has(JSON.stringify(one)));
      dropProofs(project);
      acknowledge(db, project, judgement, due, describesGraph(db, project));
      const after = await verifyView(db, held, project, []);
      return { acked: due.map(([path]) => path), marker: after.marker };
    },
    signal,
  );
}

export async function releaseUpdate(
  project: Project,
  { lease, error, tries = 1 }: { lease: string | null; error: string | null; tries?: number },
): Promise<Marker | null> {
  return withLock(project, async (db, held) => {
    const { id: view } = project.view;
    const { marker } = await verifyView(db, held, project, []);
    const claim = heldLease(db, view, lease);
    if (claim === null) {
      throw new UaError("usage", "nothing is claimed in this worktree", "a lease that ran out is named with --lease");
    }
    const due: Due[] = claim.generation === null ? [] : listedAt(db, view, claim.generation);
    dropProof(project);
    if (error !== null && marker !== null) noteTry(db, view, due, error, tries);
    endLease(db, view);
    return (await verifyView(db, held, project, [])).marker;
  });
}
