import { UaError } from "../errors.js";
import { MAX_RESULT_BYTES, type Result } from "../graph/result.js";
import type { Marker } from "../marker/marker.js";
import { type Context, withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { applyAnswers } from "../updates/answers.js";
import { type Answers, parseAnswersOrResult } from "../updates/parse-answers.js";
import { applyResult } from "../updates/update.js";
import type { Command } from "./command.js";
import { readGiven } from "./given.js";
import { atMost, count, printable, stillTrue } from "./output.js";

export const apply: Command = {
  summary: "merge an agent's analysis into the graph, and move the baseline",
  usage: "[FILE|-] [--lease ID]",
  example: "ua-hooks apply result.json",
  options: { lease: { type: "string" } },
  help: {
    "FILE|-":
      '{ "descriptions": { "<id>": { "summary" } }, "unchanged"?: ["<id>"] } or { "files"?, "nodes", "edges" }, "layers"?, "tour"?; default: standard input',
    "--lease ID": "the lease of the claim; not needed if there is only one",
  },
  positionals: true,
  async run({ cwd, flags, positionals, out }) {
    const [file, ...more] = positionals;
    if (more.length > 0) throw new UaError("usage", "apply takes one result");
    const project = await projectAt(cwd);
    const given = await readGiven(cwd, file, MAX_RESULT_BYTES);
    const lease = typeof flags.lease === "string" ? flags.lease : null;
    const parsed = parseAnswersOrResult(given, project.worktree.path);
    const { document, lines } = await withContext(project, (context) =>
      "answers" in parsed ? describe(context, parsed.answers, lease) : merge(context, parsed.result, lease),
    );
    out.result({ schema: "ua-hooks.apply/1", ...document }, lines);
    return 0;
  },
};

const left = (marker: Marker | null) =>
  marker === null ? "nothing is pending any more" : `pending: ${printable(marker.reason)}`;

type Answer = Promise<{ document: Record<string, unknown>; lines: string[] }>;

async function merge(context: Context, result: Result, lease: string | null): Answer {
  const { applied, refused, marker } = await applyResult(context, result, lease);
  return {
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
    document: { applied, described, unchanged, refused, pending: marker },
    lines: [
      `${count(described.length, "symbol")} described${stillTrue(unchanged)}; ${left(marker)}`,
      ...atMost(refused.map(({ id, reason }) => `  ${printable(id)} was not taken: ${reason}`)),
    ],
  };
}
