import { z } from "zod";
import { readWorktree } from "../../../sync/switch.js";
import { BEING_VERIFIED, readSoon } from "../../../verification/soon.js";
import { pageInput, pageOf, pageOutput } from "../page.js";
import { entriesOf, entry } from "../pending.js";
import { lastKnown, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

export const getPendingUpdate = defineTool({
  name: "get_pending_update",
  title: "List the pending update",
  description:
    "Lists the files of this worktree that have to be analysed, with what changed in each. `pending` is null " +
    "if there are none, or, with `unknown`, while another process verifies. claim_update claims it.",
  input: z.object(pageInput),
  output: z.object({
    pending: summary.nullable(),
    files: z.array(entry),
    ...pageOutput,
    unknown: z.string().nullable().describe("why it is not known what is pending; lastKnown is what was known before"),
    lastKnown: lastKnown.nullable(),
  }),
  effect: "reads",
  async run(args, { context, stage }) {
    await context.config(); // reports a config that cannot be read: hooks continue with the last valid one
    stage("verifying");
    const soon = await readSoon(context, readWorktree);
    const marker = soon.found?.marker ?? null;
    const entries = marker === null ? [] : entriesOf(marker);
    const { items, ...page } = pageOf(entries, `${marker?.generation ?? 0}`, args);
    return {
      pending: marker === null ? null : summarise(marker),
      files: items,
      ...page,
      unknown: soon.found === null ? BEING_VERIFIED : null,
      lastKnown: soon.found === null ? soon.beingVerified : null,
    };
  },
});
