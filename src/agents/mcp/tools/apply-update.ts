import { z } from "zod";
import { parseResult } from "../../../graph/result.js";
import { applyResult } from "../../../updates/update.js";
import { leaseInput, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

/** Clients end the connection at an answer of some megabytes. */
const MOST_LISTED = 200;

const object = z.record(z.string(), z.unknown());

export const applyUpdate = defineTool({
  name: "apply_update",
  title: "Deliver an analysis",
  description:
    "Merges an analysis into the knowledge graph and moves the baseline. `files` are the analysed files (also those without " +
    "nodes; default: the filePaths of the nodes), node ids are file:<path>, function:<path>:<name>, " +
    "class:<path>:<name>. A file that changed since it was claimed stays pending, with the reason in `refused`.",
  input: z.object({
    files: z.array(z.string()).optional(),
    nodes: z.array(object).describe("{ id, type, name, filePath, lineRange?, summary, tags, complexity }"),
    edges: z.array(object).describe("{ source, target, type, direction, weight }"),
    layers: z.array(object).optional().describe("{ id, name, description, nodeIds }"),
    tour: z.array(object).optional().describe("{ order, title, description, nodeIds }"),
    lease: leaseInput,
  }),
  output: z.object({
    applied: z.array(z.string()).describe(`the first ${MOST_LISTED}`),
    appliedTotal: z.number().int(),
    refused: z.array(z.object({ path: z.string(), reason: z.string() })).describe(`the first ${MOST_LISTED}`),
    refusedTotal: z.number().int(),
    pending: summary.nullable().describe("what is still pending"),
  }),
  effect: "writes",
  async run({ lease, ...result }, { context, stage }) {
    // The same checks as in `ua-hooks apply`; errors name the invalid node.
    const parsed = parseResult(JSON.stringify(result), context.project.worktree.path);
    stage("merging");
    const { applied, refused, marker } = await applyResult(context, parsed, lease ?? null);
    return {
      applied: applied.slice(0, MOST_LISTED),
      appliedTotal: applied.length,
      refused: refused.slice(0, MOST_LISTED).map(({ path, reason }) => ({ path, reason })),
      refusedTotal: refused.length,
      pending: marker === null ? null : summarise(marker),
    };
  },
});
