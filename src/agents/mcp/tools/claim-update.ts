import { z } from "zod";
import { claimUpdate } from "../../../updates/update.js";
import { pageOf, pageOutput } from "../page.js";
import { entriesOf, entry } from "../pending.js";
import { leaseInput, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

export const claimUpdateTool = defineTool({
  name: "claim_update",
  title: "Claim the pending update",
  description:
    "Takes a lease on the pending update of this worktree, so that no other agent does the same work, and returns the lease " +
    "and the first files. `pending` is null if there is nothing to do. If another holder has a live lease, the error " +
    "reports until when. A FULL_UPDATE is only claimed with full: true.",
  input: z.object({
    holder: z.string().min(1).max(100).optional().describe("name of the holder, shown to others"),
    full: z.boolean().optional().describe("also a FULL_UPDATE"),
    lease: leaseInput.describe("your own lease, to be extended"),
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
