import { z } from "zod";
import { claimUpdate } from "../../../updates/update.js";
import { pageOf, pageOutput } from "../page.js";
import { entriesOf, entry } from "../pending.js";
import { leaseInput, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

export const claimUpdateTool = defineTool({
  name: "claim_update",
  title: "Take the pending update",
  description:
    "Takes the pending update of this worktree for a while, so that nobody else does the same work, and gives its lease " +
    "and the first files. `pending` is null where there is nothing to do. Somebody else's live lease is an error that " +
    "says until when. A FULL_UPDATE is taken only with full: true.",
  input: z.object({
    holder: z.string().min(1).max(100).optional().describe("who is at it, as others will read it"),
    full: z.boolean().optional().describe("also a FULL_UPDATE"),
    lease: leaseInput.describe("a lease of one's own that is to go on"),
  }),
  output: z.object({ pending: summary.nullable(), files: z.array(entry), ...pageOutput }),
  effect: "writes",
  async run({ holder = "an agent over MCP", full = false, lease = null }, { context, stage }) {
    stage("verifying");
    const marker = await claimUpdate(context, { holder, full, renew: lease });
    if (marker === null) return { pending: null, files: [], total: 0, nextCursor: null };
    const { items, ...page } = pageOf(entriesOf(marker), `${marker.generation}`, {});
    return { pending: summarise(marker), files: items, ...page };
  },
});
