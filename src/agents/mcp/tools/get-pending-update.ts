import { z } from "zod";
import { readWorktree } from "../../../verification/read.js";
import { pageInput, pageOf, pageOutput } from "../page.js";
import { entriesOf, entry } from "../pending.js";
import { summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

export const getPendingUpdate = defineTool({
  name: "get_pending_update",
  title: "What is left to analyse",
  description:
    "Lists what an agent still has to analyse in this worktree, file by file, with what changed in each. `pending` is null " +
    "where there is nothing. claim_update takes it.",
  input: z.object(pageInput),
  output: z.object({ pending: summary.nullable(), files: z.array(entry), ...pageOutput }),
  effect: "reads",
  async run(args, { context, stage }) {
    await context.config(); // reports a config that cannot be read: hooks continue with the last valid one
    stage("verifying");
    const { marker } = await readWorktree(context);
    const entries = marker === null ? [] : entriesOf(marker);
    const { items, ...page } = pageOf(entries, `${marker?.generation ?? 0}`, args);
    return { pending: marker === null ? null : summarise(marker), files: items, ...page };
  },
});
