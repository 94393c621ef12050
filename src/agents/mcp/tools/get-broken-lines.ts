import { z } from "zod";
import { Documents } from "../../../citations/read.js";
import { pageInput, pageOf, pageOutput } from "../page.js";
import { defineTool } from "../tool.js";

export const getBrokenLines = defineTool({
  name: "get_broken_lines",
  title: "Lines of documents that are no longer true",
  description:
    "Lists the lines of AGENTS.md, CLAUDE.md, README, CONTRIBUTING, docs/ and agents' rules that name a path, a script or a symbol that was there when " +
    "the line was written, and is gone or has moved now (paged). Uncommitted changes count. Do not rely on these lines; correct them if you may.",
  input: z.object({
    changed: z
      .boolean()
      .optional()
      .describe("also symbols that are there, but changed their interface or likely their behaviour since"),
    ...pageInput,
  }),
  output: z.object({
    documents: z.number().int(),
    citations: z.number().int(),
    broken: z.array(
      z.object({
        file: z.string(),
        line: z.number().int(),
        target: z.string(),
        kind: z.enum(["path", "script", "symbol"]),
        verdict: z.enum(["gone", "moved", "changed"]),
        to: z.string().optional().describe("where it is now, or what it is called"),
        since: z.string().describe("the commit that wrote the line"),
        detail: z.string().optional(),
      }),
    ),
    ...pageOutput,
  }),
  effect: "reads",
  async run({ changed: isChangeWanted = false, ...wanted }, { context, stage }) {
    stage("reading documents");
    const documents = await Documents.open(await context.load(), { isKept: true });
    const report = await documents.inWorkTree({ isChangeWanted });
    const found = report.broken.map(({ cited: _cited, brokenAt: _brokenAt, ...finding }) => finding);
    const { items, ...page } = pageOf(found, `${report.head}`, wanted);
    return { documents: report.documents, citations: report.citations, broken: items, ...page };
  },
});
