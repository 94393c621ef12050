import { z } from "zod";
import { UaError } from "../../../errors.js";
import { describeNode } from "../graph.js";
import { defineTool } from "../tool.js";

export const getNode = defineTool({
  name: "get_node",
  title: "One node of the knowledge graph",
  description:
    "Returns one node by its id (file:src/a.ts, function:src/a.ts:name, class:…) with its edges. `holds` says in one line whether its " +
    "description is still correct, who wrote it, and what changed since. Ask before you rely on a description.",
  input: z.object({ id: z.string().min(1).max(4096) }),
  output: z.object({
    schema: z.string(),
    node: z.record(z.string(), z.unknown()),
    holds: z.string(),
    describedBy: z
      .object({ source: z.enum(["here", "shared", "tracked"]), author: z.string().nullable(), at: z.string() })
      .nullable(),
    drift: z.string(),
    details: z.array(z.string()),
    edges: z.array(z.record(z.string(), z.unknown())),
    edgesTotal: z.number().int(),
  }),
  effect: "reads",
  async run({ id }, { context, stage }) {
    stage("verifying");
    const found = await describeNode(context, id);
    if (found === null) throw new UaError("usage", `the graph has no node ${JSON.stringify(id)}`);
    return found;
  },
});
