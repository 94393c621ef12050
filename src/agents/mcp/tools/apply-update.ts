import { z } from "zod";
import type { AppliedAnswers } from "../../../updates/answers.js";
import { applyAnswers } from "../../../updates/answers.js";
import { parseAnswersOrResult } from "../../../updates/parse-answers.js";
import { applyResult } from "../../../updates/update.js";
import { leaseInput, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

/** Clients end the connection at an answer of some megabytes. */
const MOST_LISTED = 200;

const object = z.record(z.string(), z.unknown());

export const applyUpdate = defineTool({
  name: "apply_update",
  title: "Deliver descriptions",
  description:
    "Delivers what claim_update asked for: `descriptions` by the ids of the packets (also describeFile's), and in `unchanged` the ids whose " +
    "previous description still holds. What is in neither stays pending; an id that was not claimed is in `refused`. Or a whole analysis as " +
    "`nodes` and `edges`: `files` are the analysed files (also those without nodes; default: the filePaths of the nodes), node ids are " +
    "file:<path>, function:<path>:<name>, class:<path>:<name>; a file that changed since it was claimed stays pending.",
  input: z.object({
    descriptions: z.record(z.string(), z.unknown()).optional().describe("by id: { summary, tags?, complexity? }"),
    unchanged: z.array(z.string()).optional(),
    files: z.array(z.string()).optional(),
    nodes: z.array(object).optional().describe("{ id, type, name, filePath, lineRange?, summary, tags, complexity }"),
    edges: z.array(object).optional().describe("{ source, target, type, direction, weight }"),
    layers: z.array(object).optional().describe("{ id, name, description, nodeIds }"),
    tour: z.array(object).optional().describe("{ order, title, description, nodeIds }"),
    lease: leaseInput,
  }),
  output: z.object({
    applied: z.array(z.string()).describe(`the first ${MOST_LISTED}`),
    appliedTotal: z.number().int(),
    described: z.number().int().describe("functions, classes and files that are described now"),
    unchanged: z.number().int().describe("those whose description still holds"),
    refused: z.array(z.object({ path: z.string(), reason: z.string() })).describe(`the first ${MOST_LISTED}; or ids`),
    refusedTotal: z.number().int(),
    pending: summary.nullable().describe("what is still pending"),
  }),
  effect: "writes",
  async run({ lease, ...result }, { context, stage }) {
    // The same checks as in `ua-hooks apply`; errors name the invalid node.
    const parsed = parseAnswersOrResult(JSON.stringify(result), context.project.worktree.path);
    stage("merging");
    const { applied, described, unchanged, refused, marker } =
      "answers" in parsed
        ? answered(await applyAnswers(context, parsed.answers, lease ?? null))
        : { described: [], unchanged: [], ...(await applyResult(context, parsed.result, lease ?? null)) };
    return {
      applied: applied.slice(0, MOST_LISTED),
      appliedTotal: applied.length,
      described: described.length,
      unchanged: unchanged.length,
      refused: refused.slice(0, MOST_LISTED).map(({ path, reason }) => ({ path, reason })),
      refusedTotal: refused.length,
      pending: marker === null ? null : summarise(marker),
    };
  },
});

const answered = ({ refused, ...applied }: AppliedAnswers) => ({
  ...applied,
  refused: refused.map(({ id, reason }) => ({ path: id, reason })),
});
