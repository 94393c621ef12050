import { z } from "zod";
import { withoutCode } from "../../../packets/packet.js";
import { claimUpdate } from "../../../updates/update.js";
import { pageOf, pageOutput } from "../page.js";
import { entriesOf, entry } from "../pending.js";
import { leaseInput, packet, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

export const claimUpdateTool = defineTool({
  name: "claim_update",
  title: "Claim the pending update",
  description:
    "Takes a lease on the pending update of this worktree, so that no other agent does the same work, and returns the lease " +
    "with `packets`: per file the functions and classes to describe, as code or diff, and `describeFile` if the file itself is to be described. " +
    "Answer them with apply_update. Where `pages` is above `page`, call again with your lease and the next page. `pending` is null if there is " +
    "nothing to do. If another holder has a live lease, the error reports until when. A FULL_UPDATE is only claimed with full: true.",
  input: z.object({
    holder: z.string().min(1).max(100).optional().describe("name of the holder, shown to others"),
    full: z.boolean().optional().describe("also a FULL_UPDATE"),
    lease: leaseInput.describe("your own lease, to be extended"),
    page: z.number().int().min(1).optional().describe("which packets; above 1 only with your lease"),
    code: z.boolean().optional().describe("false: packets without code, if you read the files yourself"),
  }),
  output: z.object({
    ...{ pending: summary.nullable(), files: z.array(entry), ...pageOutput },
    packets: z.array(packet),
    ...{ page: z.number().int(), pages: z.number().int().describe("pages of packets") },
  }),
  effect: "writes",
  async run({ full = false, lease = null, page: wanted = 1, code = true, ...given }, call) {
    call.stage("verifying");
    const { holder = call.holder } = given;
    const claimed = await claimUpdate(call.context, { holder, full, renew: lease, page: lease === null ? 1 : wanted });
    if (claimed === null)
      return { pending: null, files: [], total: 0, nextCursor: null, packets: [], page: 1, pages: 1 };
    const { marker, packets: found } = claimed;
    const { items, ...listed } = pageOf(entriesOf(marker), `${marker.generation}`, {});
    const { packets, page, pages } = found ?? { packets: [], page: 1, pages: 1 };
    const shown = code ? packets : packets.map(withoutCode);
    return { pending: summarise(marker), files: items, ...listed, packets: shown, page, pages };
  },
});
