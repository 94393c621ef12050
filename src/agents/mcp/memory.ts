import { z } from "zod";
import { toDocument } from "../../records/document.js";
import type { RecordVerdict } from "../../records/types.js";

/** What the memory tools give of a record: enough to act on it, and to judge it where it drifted. */
export const memory = z.object({
  id: z.string(),
  type: z.string(),
  statement: z.string(),
  status: z.string().describe("active, historical (its subject is gone), stale (do not rely on it), draft, …"),
  stale_reason: z.string().nullable(),
  drift: z.string().nullable().describe("how far the code has moved: cosmetic, body, interface, gone"),
  drift_details: z.array(z.string()),
  subjects: z.array(z.string()).describe("where they are now, if they were renamed"),
  confidence: z.number(),
  origin: z.string(),
  created_at: z.string(),
  created_at_commit: z.string().nullable().describe("null: it has no anchor, and does not notice changes"),
});

export function toMemory(verdict: RecordVerdict): z.input<typeof memory> {
  const { id, type, statement, status, stale_reason, drift, drift_details, confidence, origin, ...rest } =
    toDocument(verdict);
  return {
    ...{ id, type, statement, status, stale_reason, drift, drift_details, confidence, origin },
    subjects: rest.subjects.map(({ subject, now }) => now ?? subject),
    ...{ created_at: rest.created_at, created_at_commit: rest.created_at_commit },
  };
}

export const subject = z
  .string()
  .min(1)
  .max(4096)
  .describe('a file ("src/a.ts"), a function or class in it ("src/a.ts#retry") or a folder ("src/queue/")');
