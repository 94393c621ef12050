import { resolve } from "node:path";
import { z } from "zod";
import { explainFile } from "../../../sync/switch.js";
import { pageInput, pageOf, pageOutput } from "../page.js";
import { lineRange } from "../shapes.js";
import { defineTool } from "../tool.js";

/** Of a file, so that an answer stays short. */
const MOST_SYMBOLS = 100;

const describedBy = { describedBy: z.string().optional(), describedAt: z.string().optional() };

export const whyStale = defineTool({
  name: "why_stale",
  title: "Explain one file",
  description:
    "Reports for one file what its description is based on, how far it has drifted (none, cosmetic, body, behaviour, interface, new, gone), " +
    "each detail and symbol, which files import it (paged), and which rule ignores it.",
  input: z.object({
    path: z.string().min(1).max(4096).describe("relative to the top of the worktree, or absolute"),
    ...pageInput,
  }),
  output: z.object({
    path: z.string(),
    covered: z.boolean().describe("whether its changes count"),
    language: z.string().nullable(),
    rule: z.object({ from: z.string(), pattern: z.string(), ignores: z.boolean() }).nullable(),
    inGraph: z.boolean(),
    analysedOid: z.string().nullable(),
    headOid: z.string().nullable(),
    drift: z.string(),
    details: z.array(z.string()),
    shown: z
      .object({ id: z.string(), summary: z.string(), ...describedBy })
      .nullable()
      .describe("what the graph says about the file; without describedBy it is the author's comment, or generated"),
    partlyRead: z.boolean().optional().describe("the grammar cannot read all of it"),
    symbols: z
      .array(
        z.object({
          ...{ id: z.string(), change: z.string(), lineRange },
          asked: z.boolean().describe("whether it is to be described"),
          review: z.boolean().describe("whether its description may be false"),
          ...describedBy,
        }),
      )
      .describe(`what changed in which function or class, the first ${MOST_SYMBOLS}`),
    dependentUses: z
      .record(z.string(), z.array(z.string()))
      .describe("files that use a name that changed, with the names"),
    importers: z.array(z.string()),
    ...pageOutput,
  }),
  effect: "reads",
  async run({ path, ...wanted }, { context, stage }) {
    stage("verifying");
    const explanation = await explainFile(context, resolve(context.project.worktree.path, path));
    const { items, ...page } = pageOf(explanation.importers, `${explanation.headOid}`, wanted);
    const symbols = explanation.symbols.slice(0, MOST_SYMBOLS);
    const uses = Object.entries(explanation.dependentUses).slice(0, MOST_SYMBOLS);
    return { ...explanation, symbols, dependentUses: Object.fromEntries(uses), importers: items, ...page };
  },
});
