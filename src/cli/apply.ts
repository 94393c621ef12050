import { EXIT, UaError } from "../errors.js";
import { MAX_RESULT_BYTES, type Result } from "../graph/result.js";
import type { RefusedAnswer } from "../knowledge/answers.js";
import type { Marker } from "../marker/marker.js";
import { type Context, withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { applyAnswers } from "../updates/answers.js";
import { type Answers, parseAnswersOrResult } from "../updates/parse-answers.js";
import { applyResult } from "../updates/update.js";
import type { Command } from "./command.js";
import { readGiven } from "./given.js";
import { currentHolder } from "./holder.js";
import { atMost, count, printable, stillTrue } from "./output.js";

export const apply: Command = {
  summary: "merge an agent's analysis into the graph, and move the baseline",
  busy: "updating the graph",
  usage: "[FILE|-] [--lease ID | --undescribed]",
  example: "ua-hooks apply result.json",
  options: { lease: { type: "string" }, undescribed: { type: "boolean" } },
  help: {
    "FILE|-":
      '{ "descriptions": { "<id>": { "summary" } }, "unchanged"?: ["<id>"] } or { "files"?, "nodes", "edges" }, "layers"?, "tour"?; default: standard input',
    "--lease ID": "the lease of the claim; not needed if there is only one",
    "--undescribed": "descriptions for `claim --undescribed`",
  },
  positionals: true,
  async run({ cwd, flags, positionals, out }) {
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UaError("usage", "apply takes one result");
    const project = await projectAt(cwd);
    const given = await readGiven(cwd, file, MAX_RESULT_BYTES);
    const lease = typeof flags.lease === "string" ? flags.lease : null;
    const parsed = parseAnswersOrResult(given, project.worktree.path);
    const isUndescribed = flags.undescribed === true;
    if (isUndescribed && !("answers" in parsed))
      throw new UaError("usage", '--undescribed takes { "descriptions": { "<id>": { "summary" } } }');
    const { document, lines, taken, refused } = await withContext(project, (context) => {
      if (!("answers" in parsed)) return merge(context, parsed.result, lease);
      return isUndescribed ? describeMore(context, parsed.answers) : describe(context, parsed.answers, lease);
    });
    out.result({ schema: "ua-hooks.apply/1", ...document }, lines);
    return taken === 0 && refused > 0 ? EXIT.refused : 0;
  },
};

const left = (marker: Marker | null) =>
  marker === null ? "nothing is pending any more" : `pending: ${printable(marker.reason)}`;

/** How much was taken, and how much was not: a delivery of which nothing was taken has failed. */
type Answer = Promise<{ document: Record<string, unknown>; lines: string[]; taken: number; refused: number }>;

async function merge(context: Context, result: Result, lease: string | null): Answer {
  const { applied, refused, marker } = await applyResult(context, result, lease);
  return {
    ...{ taken: applied.length, refused: refused.length },
    document: { applied, refused, pending: marker },
    lines: [
      `${count(applied.length, "file")} applied; ${left(marker)}`,
      ...atMost(refused.map(({ path, reason }) => `  ${printable(path)} stays pending: ${reason}`)),
    ],
  };
}

async function describe(context: Context, answers: Answers, lease: string | null): Answer {
  const { applied, described, unchanged, refused, marker } = await applyAnswers(context, answers, lease);
  return {
    ...{ taken: applied.length + described.length + unchanged.length, refused: refused.length },
    document: { applied, described, unchanged, refused, pending: marker },
    lines: [
      `${count(described.length, "symbol")} described${stillTrue(unchanged)}; ${left(marker)}`,
      ...refusedLines(refused),
    ],
  };
}

async function describeMore(context: Context, answers: Answers): Answer {
  const { describeUndescribed } = await import("../updates/undescribed.js");
  const { described, refused, left: rest } = await describeUndescribed(context, answers, currentHolder());
  return {
    ...{ taken: described.length, refused: refused.length },
    document: { applied: [], described, unchanged: [], refused, left: rest },
    lines: [
      `${count(described.length, "symbol")} described; ${rest === 0 ? "every symbol has a description" : `${count(rest, "symbol")} without one`}`,
      ...refusedLines(refused),
    ],
  };
}

const refusedLines = (refused: readonly RefusedAnswer[]) =>
  atMost(refused.map(({ id, reason }) => `  ${printable(id)} was not taken: ${reason}`));
