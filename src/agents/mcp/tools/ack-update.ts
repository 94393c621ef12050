import { z } from "zod";
import { ackUpdate } from "../../../updates/update.js";
import { leaseInput, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

export const ackUpdateTool = defineTool({
  name: "ack_update",
  title: "Mark the pending files as up to date",
  description:
    "Marks the pending files as up to date without an analysis: their descriptions still apply. With `generation`, only " +
    "the files that this generation listed and that have not changed since. They are no longer pending afterwards.",
  input: z.object({ generation: z.number().int().min(1).optional(), lease: leaseInput }),
  output: z.object({
    acked: z.array(z.string()),
    pending: summary.nullable().describe("what is still pending"),
  }),
  effect: "writes",
  async run({ generation = null, lease = null }, { context, stage }) {
    stage("verifying");
    const { acked, marker } = await ackUpdate(context, { lease, generation });
    return { acked, pending: marker === null ? null : summarise(marker) };
  },
});
