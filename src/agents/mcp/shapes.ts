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

/** verification/soon.ts */
export const lastKnown = z.object({
  status: z.enum(["fresh", "pending", "unknown"]),
  verifiedSha: commit,
  verifiedAt: z.string().nullable(),
  files: z.array(z.string()).describe("the files that were pending"),
});

/** First and last line. No tuple: Gemini CLI checks answers by an older JSON Schema, and would refuse every one that has lines. */
export const lineRange = z.array(z.number().int()).min(2).max(2).nullable();

const symbol = z.object({
  id: z.string(),
  change: z.string().describe("new, interface, behaviour, body, renamed or moved"),
  lineRange,
  previous: z.string().optional().describe("what is said of it now"),
  code: z.string().optional(),
  diff: z.string().optional().describe("its text, with what changed since it was described"),
  aging: z.boolean().optional().describe("not asked: it changed inside, its description may be false"),
});

/** What is to be described in one file (packets/packet.ts). */
export const packet = z.object({
  path: z.string(),
  language: z.string().nullable(),
  outline: z.array(z.string()).describe("the first lines of other functions and classes"),
  symbols: z.array(symbol),
  describeFile: z
    .object({
      ...{ id: z.string(), change: z.string(), previous: z.string().optional() },
      diff: z.string().optional().describe("what changed outside of functions and classes"),
      gone: z.array(z.string()).optional(),
    })
    .nullable()
    .describe("the file itself, if it is to be described"),
  others: z
    .array(
      z.object({
        ...{ id: z.string(), type: z.string(), name: z.string() },
        ...{ lineRange, previous: z.string().optional() },
      }),
    )
    .optional()
    .describe("other nodes of the file, not asked: describe those that are no longer true"),
  code: z.string().optional().describe("the whole file, if that is shorter"),
});

export const leaseInput = z
  .string()
  .max(100)
  .optional()
  .describe("the lease id; not needed if there is only one lease");
