import { z } from "zod";
import { toDocument } from "../../records/document.js";
import { recordHolds } from "../../records/holds.js";
import type { RecordVerdict } from "../../records/types.js";

/** The fields of a record that the memory tools return: enough to use it, and to check it if it drifted. */
export const memory = z.object({
  id: z.string(),
  type: z.string(),
  statement: z.string(),
  holds: z.string().describe("in one line: whose it is, whether it still holds, and what changed since"),
  status: z.string().describe("active, historical (its subject is gone), stale (do not rely on it), draft, …"),
  stale_reason: z.string().nullable(),
  drift: z.string().nullable().describe("how far the code has drifted: cosmetic, body, interface, gone"),
  drift_details: z.array(z.string()),
  subjects: z.array(z.string()).describe("the current paths, if the subjects were renamed"),
  confidence: z.number(),
  origin: z.string(),
  created_at: z.string(),
  created_at_commit: z.string().nullable().describe("null: it has no anchor, so changes are not noticed"),
});

export function toMemory(verdict: RecordVerdict): z.input<typeof memory> {
  const { id, type, statement, status, stale_reason, drift, drift_details, confidence, origin, ...rest } =
    toDocument(verdict);
  return {
    ...{
      id,
      type,
      statement,
      holds: recordHolds(verdict),
      status,
      stale_reason,
      drift,
      drift_details,
      confidence,
      origin,
    },
    subjects: rest.subjects.map(({ subject, now }) => now ?? subject),
    ...{ created_at: rest.created_at, created_at_commit: rest.created_at_commit },
  };
}

export const subject = z
  .string()
  .min(1)
  .max(4096)
  .describe('a file ("src/a.ts"), a function or class in it ("src/a.ts#retry") or a folder ("src/queue/")');
