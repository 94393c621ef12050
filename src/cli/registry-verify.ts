import type { VerifyAnswer } from "../registry/answers.js";
import { count, number, paint, printable, short, table } from "./output.js";
import type { Verb } from "./registry.js";

const SHOWN = 200;

/** `registry verify`, and `verify` without options. */
export const runVerification: Verb = async ({ flags, out }, context, asking) => {
  const all = flags.all === true;
  const options = { md5: flags.md5 === true, all, rehash: flags.rehash === true };
  const { verifyRegistry } = await import("../registry/answers.js");
  const answer = await verifyRegistry(context, asking, options);
  out.result({ schema: "ua-hooks.registry-verify/1", ...answer }, toLines(answer));
  const { mismatch, missing, new: came } = answer.counts;
  return flags["exit-code"] === true && mismatch + missing + came > 0 ? 1 : 0;
};

const DONE: Record<VerifyAnswer["action"], string> = {
  none: "Nothing to verify",
  bootstrapped: "Filled from git",
  trusted: "Already verified",
  verified: "Verified",
};

const COLOURS = { match: "green", mismatch: "yellow", missing: "red", new: "cyan" } as const;

function toLines({ action, reason, last_verified_sha: sha, counts, hashed, verdicts, stale }: VerifyAnswer): string[] {
  if (action === "none") return [`${DONE.none}: ${reason}.`];
  const numbers = Object.entries(counts).map(([verdict, n]) => `${number(n)} ${verdict}`);
  const why = action === "trusted" ? "" : ` (${reason})`;
  const rows = verdicts
    .slice(0, SHOWN)
    .map(({ path, verdict, drift, content_md5: md5, uncommitted, ...rest }) => [
      `  ${paint(COLOURS[verdict], verdict)}`,
      printable(path),
      verdict === "mismatch" ? (drift ?? "") : "",
      rest.summary_state === null ? "" : `summary ${rest.summary_state}`,
      [uncommitted ? "uncommitted" : "", md5 ?? ""].filter((text) => text !== "").join("  "),
    ]);
  const more = verdicts.length - rows.length;
  return [
    `${DONE[action]} at ${short(sha)}: ${numbers.join(", ")}${hashed > 0 ? `; ${count(hashed, "file")} hashed` : ""}${why}`,
    ...table(rows),
    ...(more > 0 ? [`  … and ${number(more)} more; --json lists them all`] : []),
    ...(stale.length > 0
      ? [
          `${stale.length} ${stale.length === 1 ? "summary is" : "summaries are"} out of date: \`ua-hooks registry stale\``,
        ]
      : []),
  ];
}
