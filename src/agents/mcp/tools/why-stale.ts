import { resolve } from "node:path";
import { z } from "zod";
import { explainFile } from "../../../verification/explain.js";
import { pageInput, pageOf, pageOutput } from "../page.js";
import { defineTool } from "../tool.js";

export const whyStale = defineTool({
  name: "why_stale",
  title: "The story of one file",
  description:
    "Says of one file what is known about it, how far it has drifted from that (none, cosmetic, body, interface, new, gone), " +
    "each detail, who imports it (in pages), and which rule ignores it.",
  input: z.object({ path: z.string().min(1).max(4096).describe("from the worktree's top, or absolute"), ...pageInput }),
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
    importers: z.array(z.string()),
    ...pageOutput,
  }),
  effect: "reads",
  async run({ path, ...wanted }, { context, stage }) {
    stage("verifying");
    const story = await explainFile(context, resolve(context.project.worktree.path, path));
    const { items, ...page } = pageOf(story.importers, `${story.headOid}`, wanted);
    return { ...story, importers: items, ...page };
  },
});
