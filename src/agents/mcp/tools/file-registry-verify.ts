import { z } from "zod";
import { type VerifyAnswer, verifyRegistry } from "../../../registry/answers.js";
import { pageInput, pageOf, pageOutput } from "../page.js";
import { commit } from "../shapes.js";
import { defineTool } from "../tool.js";

/** Limit for the list of outdated summaries; `ua-hooks registry stale` lists all. */
const SHOWN = 50;

const verdict = z.object({
  path: z.string(),
  verdict: z.enum(["match", "mismatch", "missing", "new"]),
  content_oid: z.string().nullable(),
  content_md5: z.string().nullable().describe("null unless asked for"),
  drift: z.string().nullable().describe("for a mismatch: cosmetic, body or interface; null if it is unknown"),
  summary_state: z.enum(["fresh", "aging", "stale"]).nullable().describe("null: none was written"),
  uncommitted: z.boolean(),
});

/** A verification is reported once, so further pages come from the answer of the first one. */
const lastAnswers = new Map<string, { id: string; answer: VerifyAnswer }>();
let answers = 0;

export const fileRegistryVerify = defineTool({
  name: "file_registry_verify",
  title: "Are the file summaries still correct?",
  description:
    "Compares every file of this worktree, uncommitted changes included, with the registry at the last verification: " +
    "match, mismatch, missing or new. Skips the scan if nothing can have changed. Never rewrites a summary: " +
    "`stale` lists those written for another content. Call it before you rely on summaries.",
  input: z.object({
    md5: z.boolean().optional().describe("include the md5 of each content"),
    all: z.boolean().optional().describe("also list files that match"),
    rehash: z.boolean().optional().describe("hash every file, without trusting git's index"),
    conversation: z.string().min(1).max(200).optional().describe("name of the caller; default: this server's client"),
    ...pageInput,
  }),
  output: z.object({
    action: z.enum(["none", "bootstrapped", "trusted", "verified"]),
    reason: z.string(),
    head: commit,
    last_verified_sha: commit,
    counts: z.object({ match: z.number(), mismatch: z.number(), missing: z.number(), new: z.number() }),
    compared: z.number().int(),
    hashed: z.number().int(),
    verdicts: z.array(verdict),
    stale: z.array(
      z.object({ path: z.string(), summary_state: z.enum(["fresh", "aging", "stale"]), drift: z.string() }),
    ),
    stale_total: z.number().int(),
    ...pageOutput,
  }),
  effect: "writes",
  async run({ md5 = false, all = false, rehash = false, conversation = null, ...wanted }, { context, stage }) {
    stage("verifying");
    const { project } = context;
    const key = `${project.stateDir} ${project.worktree.id}`;
    if (wanted.cursor === undefined) {
      const answer = await verifyRegistry(context, { run: conversation }, { md5, all, rehash });
      lastAnswers.set(key, { id: String(++answers), answer });
    }
    const last = lastAnswers.get(key);
    const { items, ...page } = pageOf(last?.answer.verdicts ?? [], last?.id ?? "", wanted);
    const { verdicts: _all, stale, ...rest } = last?.answer ?? NOTHING;
    return {
      ...rest,
      verdicts: items.map(({ previous_oid: _before, details: _details, ...one }) => one),
      stale: stale.slice(0, SHOWN).map(({ path, summary_state, drift }) => ({ path, summary_state, drift })),
      stale_total: stale.length,
      ...page,
    };
  },
});

/** Never returned: a cursor without an answer is refused. */
const NOTHING: VerifyAnswer = {
  ...{ action: "none", reason: "", head: null, last_verified_sha: null, compared: 0, hashed: 0 },
  ...{ counts: { match: 0, mismatch: 0, missing: 0, new: 0 }, verdicts: [], stale: [] },
};
