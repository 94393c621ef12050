import { z } from "zod";
import { relevantRecords } from "../../../records/relevant.js";
import { parseSubject } from "../../../records/subject.js";
import { openRecords } from "../../../records/verify.js";
import { memory, subject, toMemory } from "../memory.js";
import { defineTool } from "../tool.js";

export const getRelevantMemory = defineTool({
  name: "get_relevant_memory",
  title: "What is known about these files",
  description:
    "Before working on files: the decisions, invariants, gotchas, requirements, discoveries and conventions that are recorded " +
    "about them, nearest first, checked against the worktree as it is. Records that the code has drifted away from are left " +
    "out unless include_stale is set.",
  input: z.object({
    subjects: z.array(subject).min(1).max(100),
    limit: z.number().int().min(1).max(100).optional().describe("at most so many, 10 where nothing is said"),
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
