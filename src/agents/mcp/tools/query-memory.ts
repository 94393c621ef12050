import { z } from "zod";
import { queryRecords } from "../../../records/query.js";
import { parseSubject } from "../../../records/subject.js";
import { ORIGINS, STORED, TYPES } from "../../../records/types.js";
import { openRecords } from "../../../records/verify.js";
import { memory, subject, toMemory } from "../memory.js";
import { pageInput, pageOf, pageOutput } from "../page.js";
import { defineTool } from "../tool.js";

export const queryMemory = defineTool({
  name: "query_memory",
  title: "Search the records",
  description:
    "Searches the records of this repository by text, type, origin, status or subject, newest first, checked against the " +
    "current worktree. Returns active and historical ones; stale ones with include_stale, drafts with status: draft.",
  input: z.object({
    query: z.string().max(1000).optional().describe("words that the statement must contain"),
    type: z.enum(TYPES).optional(),
    origin: z.enum(ORIGINS).optional(),
    status: z.enum([...STORED, "stale", "historical", "all"]).optional(),
    subject: subject.optional(),
    include_stale: z.boolean().optional(),
    ...pageInput,
  }),
  output: z.object({ records: z.array(memory), ...pageOutput }),
  effect: "reads",
  async run(
    { query, type, origin, status, subject: about, include_stale: includeStale = false, ...wanted },
    { context },
  ) {
    const home = context.project.worktree.path;
    const found = await queryRecords(await openRecords(context), {
      ...{ status: status ?? null, includeStale, type: type ?? null, origin: origin ?? null, text: query ?? null },
      about: about === undefined ? null : parseSubject(about, { home, cwd: home }),
    });
    const version = `${found.length} ${found[0]?.record.id ?? ""}`;
    const { items, ...page } = pageOf(found, version, wanted);
    return { records: items.map(toMemory), ...page };
  },
});
