import { z } from "zod";
import { parseSubject } from "../../../records/subject.js";
import { EVIDENCE_KINDS, MOST_CHARACTERS, TYPES } from "../../../records/types.js";
import { openRecords } from "../../../records/verify.js";
import { addRecord } from "../../../records/write.js";
import { dropPendingStamps } from "../../../verification/stamp.js";
import { subject } from "../memory.js";
import { defineTool } from "../tool.js";

export const recordCandidate = defineTool({
  name: "record_candidate",
  title: "Propose a record",
  description:
    "Proposes one statement about the code to be stored, anchored to the current content of its subjects. It is a draft " +
    "until a person approves it. A duplicate about the same subject is refused with the id of the other. `unanchored` " +
    "is the reason if it has no anchor.",
  input: z.object({
    statement: z.string().min(1).max(MOST_CHARACTERS),
    type: z.enum(TYPES),
    subjects: z.array(subject).max(20),
    confidence: z.number().min(0).max(1).optional().describe("default 0.5"),
    evidence: z
      .array(
        z.object({
          kind: z.enum(EVIDENCE_KINDS),
          ref: z.string().min(1).max(4096),
          locator: z.string().max(200).optional().describe("lines of a file: L3-L9"),
          quote: z.string().max(1000).optional(),
        }),
      )
      .max(20)
      .optional(),
    supersedes: z.array(z.string().max(100)).max(20).optional().describe("ids that it replaces once it is approved"),
  }),
  output: z.object({
    id: z.string(),
    status: z.string(),
    anchored: z.boolean(),
    unanchored: z.string().nullable(),
    created_at_commit: z.string().nullable(),
    code_fingerprint: z.string().nullable(),
  }),
  effect: "writes",
  async run({ statement, type, subjects, confidence = 0.5, evidence = [], supersedes = [] }, { context }) {
    const { project } = context;
    const home = project.worktree.path;
    const { record, unanchored } = await addRecord(await openRecords(context), {
      ...{ statement, type, confidence, supersedes, origin: "agent" as const },
      subjects: subjects.map((text) => parseSubject(text, { home, cwd: home })),
      evidence: evidence.map(({ kind, ref, locator = null, quote = null }) => ({ kind, ref, locator, quote })),
    });
    dropPendingStamps(project);
    return {
      ...{ id: record.id, status: record.status, anchored: unanchored === null, unanchored },
      ...{ created_at_commit: record.commit, code_fingerprint: record.subjects[0]?.fingerprint ?? null },
    };
  },
});
