import { z } from "zod";
import { countBrokenLines } from "../../../citations/read.js";
import { isUaError } from "../../../errors.js";
import type { Context } from "../../../repository/context.js";
import { worktreeStatus } from "../../../sync/switch.js";
import { commit, lastKnown, summarise, summary } from "../shapes.js";
import { defineTool } from "../tool.js";

/** Limit for the list of uncommitted files; `git status` lists all. */
const SHOWN = 20;

export const getFreshness = defineTool({
  name: "get_freshness",
  title: "Is the knowledge about this code up to date?",
  description:
    "Reports whether the knowledge graph still describes the code of this worktree: fresh, pending (get_pending_update lists " +
    "the update), dirty (uncommitted changes), stale, unknown (with the reason) or uninitialized. Verified " +
    "against git before it answers.",
  input: z.object({}),
  output: z.object({
    status: z.enum(["fresh", "pending", "dirty", "stale", "unknown", "uninitialized"]),
    reason: z.string(),
    head: commit,
    branch: z.string().nullable(),
    baseline: commit,
    lastVerifiedSha: commit,
    relation: z.enum(["equal", "behind", "ahead", "diverged", "unknown"]).describe("from the baseline to HEAD"),
    commitsBehind: z.number().int(),
    commitsAhead: z.number().int(),
    dirtyFiles: z.array(z.string()).describe("the first source files with uncommitted changes"),
    dirtyTotal: z.number().int(),
    review: z.array(z.string()).describe("the first ids whose description may be false: their behaviour changed"),
    reviewTotal: z.number().int(),
    brokenLines: z
      .number()
      .int()
      .nullable()
      .describe("lines of AGENTS.md, README and docs that are no longer true (get_broken_lines lists them)"),
    pending: summary.nullable(),
    lastKnown: lastKnown.nullable().describe("while another process verifies: what was known before"),
  }),
  effect: "reads",
  async run(_args, { context, stage }) {
    stage("verifying");
    return freshnessOf(context);
  },
});

export async function freshnessOf(context: Context) {
  const { status, reason, verification, baseline, verified, distance, dirty, review, lastKnown } =
    await worktreeStatus(context);
  return {
    ...{ status, reason, baseline },
    head: verification?.head.commit ?? null,
    branch: verification?.head.branch ?? null,
    lastVerifiedSha: verified,
    ...{ relation: distance.relation, commitsBehind: distance.behind, commitsAhead: distance.ahead },
    ...{ dirtyFiles: dirty.slice(0, SHOWN), dirtyTotal: dirty.length },
    ...{ review: review.slice(0, SHOWN), reviewTotal: review.length },
    brokenLines: status === "uninitialized" || status === "unknown" ? null : await countOf(context),
    pending: verification?.marker == null ? null : summarise(verification.marker),
    lastKnown,
  };
}

/** null: git or the config cannot be read, which is said elsewhere. */
async function countOf(context: Context): Promise<number | null> {
  return countBrokenLines(await context.load()).catch((error: unknown) => {
    if (isUaError(error)) return null;
    throw error;
  });
}
