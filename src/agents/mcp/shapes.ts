import { z } from "zod";
import type { Marker } from "../../marker/marker.js";

/** Inputs and outputs that several tools share. */

export const commit = z.string().nullable().describe("commit id; null if there is none");

export const lease = z.object({ id: z.string(), holder: z.string(), expiresAt: z.string() });

/** A marker without its lists: enough for an agent to decide whether to read more. */
export const summary = z.object({
  generation: z.number().int(),
  state: z.enum(["pending", "claimed", "failed"]),
  action: z.string().describe("PARTIAL_UPDATE, ARCHITECTURE_UPDATE or FULL_UPDATE"),
  reason: z.string(),
  head: commit,
  files: z.number().int().describe("files to analyse again"),
  deleted: z.number().int(),
  renamed: z.number().int(),
  dependents: z.number().int().describe("files that import something whose interface changed; they need no analysis"),
  rerunArchitecture: z.boolean(),
  rerunTour: z.boolean(),
  estimatedTokens: z.number().int(),
  lease: lease.nullable(),
  attempts: z.number().int(),
  lastError: z.string().nullable(),
});

export function summarise(marker: Marker): z.input<typeof summary> {
  const { generation, state, action, reason, rerunArchitecture, rerunTour, estimatedTokens } = marker;
  return {
    ...{ generation, state, action, reason },
    head: marker.head.commit,
    files: marker.filesToReanalyze.length,
    deleted: marker.deletedFiles.length,
    renamed: marker.renamedFiles.length,
    dependents: marker.dependents.length,
    ...{ rerunArchitecture, rerunTour, estimatedTokens },
    ...{ lease: marker.lease, attempts: marker.attempts, lastError: marker.lastError },
  };
}

export const leaseInput = z
  .string()
  .max(100)
  .optional()
  .describe("the lease id; not needed if there is only one lease");
