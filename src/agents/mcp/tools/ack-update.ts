import { z } from "zod";
import { ackUpdate } from "../../../updates/update.js";
import { leaseInput, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

export const ackUpdateTool = defineTool({
  name: "ack_update",
  title: "Take it for known",
  description:
    "Takes the pending content for known without an analysis: what was known before holds for it too. With `generation` only " +
    "what that generation listed and is still the same. Nothing is pending afterwards that was covered.",
  input: z.object({ generation: z.number().int().min(1).optional(), lease: leaseInput }),
  output: z.object({
    acked: z.array(z.string()),
    pending: summary.nullable().describe("what is left"),
  }),
  effect: "writes",
  async run({ generation = null, lease = null }, { context, stage }) {
    stage("verifying");
    const { acked, marker } = await ackUpdate(context, { lease, generation });
    return { acked, pending: marker === null ? null : summarise(marker) };
  },
});
