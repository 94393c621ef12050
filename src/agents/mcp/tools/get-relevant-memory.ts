import { z } from "zod";
import { relevantRecords } from "../../../records/relevant.js";
import { parseSubject } from "../../../records/subject.js";
import { openRecords } from "../../../records/verify.js";
import { memory, subject, toMemory } from "../memory.js";
import { defineTool } from "../tool.js";

export const getRelevantMemory = defineTool({
  name: "get_relevant_memory",
  title: "Records about these files",
  description:
    "Before working on files: the decisions, invariants, gotchas, requirements, discoveries and conventions recorded " +
    "about them, nearest first, checked against the current worktree; `holds` says in one line whose each is, whether it still holds, and what changed since. Records whose code has drifted are left " +
    "out unless include_stale is set.",
  input: z.object({
    subjects: z.array(subject).min(1).max(100),
    limit: z.number().int().min(1).max(100).optional().describe("maximum number of records, default 10"),
    include_stale: z.boolean().optional(),
  }),
  output: z.object({ records: z.array(memory) }),
  effect: "reads",
  async run({ subjects, limit = 10, include_stale: includeStale = false }, { context }) {
    const home = context.project.worktree.path;
    const asked = subjects.map((text) => parseSubject(text, { home, cwd: home }));
    const found = await relevantRecords(await openRecords(context), asked, { limit, includeStale });
    return { records: found.map(toMemory) };
  },
});
