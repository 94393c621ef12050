import { z } from "zod";
import { endTask } from "../../../registry/answers.js";
import { commit } from "../shapes.js";
import { defineTool } from "../tool.js";

/** Limit for the list of touched files without a summary. */
const SHOWN = 50;

const update = z.object({
  path: z.string().min(1).max(4096).describe("relative to the top of the worktree"),
  summary: z.string().describe("what the file is for, in a few sentences"),
  content_oid: z
    .string()
    .max(64)
    .optional()
    .describe("the content that it describes: refused if the file changed since"),
});

export const fileRegistryUpdateSummaries = defineTool({
  name: "file_registry_update_summaries",
  title: "Store file summaries after a task",
  description:
    "Stores each summary for the current content of its file, all at once, and moves last_verified_sha to HEAD if every " +
    "path succeeded. Call it after a commit; `paths` or `commit` name the files of the task (default: the files of " +
    "HEAD). `untold` are touched files that got no summary. Binaries and lock files have none.",
  input: z.object({
    updates: z.array(update).max(1000).optional(),
    paths: z.array(z.string().min(1).max(4096)).max(1000).optional(),
    commit: z.string().min(1).max(200).optional(),
  }),
  output: z.object({
    updated: z.array(z.object({ path: z.string(), content_oid: z.string(), summary_updated_at: z.string() })),
    failed: z.array(z.object({ path: z.string(), reason: z.string() })),
    untold: z.array(z.string()),
    untold_total: z.number().int(),
    last_verified_sha: commit,
    advanced: z.boolean().describe("whether last_verified_sha is HEAD now"),
  }),
  effect: "writes",
  async run({ updates = [], paths = null, commit: name = null }, { context, stage }) {
    stage("storing");
    const given = updates.map(({ content_oid: oid, ...one }) =>
      oid === undefined ? one : { ...one, content_oid: oid },
    );
    const { untold, ...done } = await endTask(context, { updates: given, commit: name, paths });
    return { ...done, untold: untold.slice(0, SHOWN), untold_total: untold.length };
  },
});
