import { UaError } from "../errors.js";
import { readHead } from "../git/head.js";
import { REFRESH } from "../repository/config.js";
import { withContext } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import { locateProject } from "../repository/locate.js";
import { type Replayed, replay as replayHistory } from "../verification/replay.js";
import { type PolicyCost, policyCosts, type Totals, totalsOf } from "../verification/totals.js";
import type { Command } from "./command.js";
import { clippedTable, count, number, paint, printable, table } from "./output.js";
import { createProgress } from "./progress.js";
import { actionLabel, driftLabel } from "./verdict-lines.js";

export const replay: Command = {
  summary: "what the hooks would have decided for earlier commits",
  usage: "[RANGE | --last N] [--files] [--policies]",
  example: "ua-hooks replay --last 100",
  options: { last: { type: "string" }, files: { type: "boolean" }, policies: { type: "boolean" } },
  help: {
    "--last N": "the last N commits up to HEAD (100)",
    "--files": "also the verdict of each file",
    "--policies": "for each value of the config's `refresh`: what it would have cost, and what it would have missed",
  },
  positionals: true,
  async run({ cwd, flags, positionals, out }) {
    const project = await locateProject({ cwd, env: process.env });
    const { config, rules } = await withContext(project, async (context) => ({
      config: await context.config(),
      rules: await context.rules(),
    }));
    const { gitDir } = project.worktree;
    if ((await readHead(gitDir, project.commonDir)).commit === null && positionals.length === 0)
      throw new UaError("usage", "there is no commit yet", "replay reads earlier commits");
    const progress = createProgress("replaying", { fromStart: true });
    const started = performance.now();
    const commits: Replayed[] = [];
    const policies = flags.policies === true ? REFRESH : [config.refresh];
    const selection = selectionOf(positionals, flags.last);
    const options = { cwd: project.worktree.path, selection, config, rules, policies };
    try {
      for await (const one of replayHistory({ ...options, onProgress: progress.update })) commits.push(one);
    } finally {
      progress.end();
    }
    const totals = totalsOf(commits, config, performance.now() - started);
    const details = flags.files === true;
    const costs = flags.policies === true ? policyCosts(commits) : null;
    const shown = { totals, ...(costs === null ? {} : { policies: costs }) };
    out.result({ schema: "ua-hooks.replay/1", ...shown, commits: commits.map((one) => toDocument(one, details)) }, [
      ...commitLines(commits, details),
      ...toLines(totals),
      ...(costs === null ? [] : policyLines(costs, totals)),
      ...(isSetUp(project) ? [] : ["", paint("dim", "Nothing was written. `ua-hooks install` installs the hooks.")]),
    ]);
    return 0;
  },
};

function selectionOf(positionals: readonly string[], last: unknown): string[] {
  const [range, ...more] = positionals;
  if (more.length > 0)
    throw new UaError("usage", "replay accepts one range", "for example: ua-hooks replay v1.0..main");
  if (range !== undefined && last !== undefined) throw new UaError("usage", "a range and --last cannot be combined");
  if (range !== undefined) return ["--end-of-options", range];
  const count = last === undefined ? 100 : Number(last);
  if (!Number.isInteger(count) || count < 1) throw new UaError("usage", "--last must be a whole number above 0");
  return [`--max-count=${count}`, "HEAD"];
}

function toDocument({ fileChanges, ...one }: Replayed, details: boolean): Record<string, unknown> {
  if (!details) return one;
  return {
    ...one,
    fileChanges: fileChanges.map(({ filePath, changeLevel, drift, details: d }) => ({
      filePath,
      changeLevel,
      drift,
      details: d,
    })),
  };
}

const LEGEND = [
  "Files: of those that changed, how many changed in structure.",
  "SKIP asks no model. PARTIAL_UPDATE asks about these files, ARCHITECTURE_UPDATE also about layers and tour.",
  "FULL_UPDATE asks about everything, and never starts by itself.",
];

/** Commits that change no source file are counted: of most histories they are the larger part, and all of them are SKIP. */
function commitLines(commits: readonly Replayed[], details: boolean): string[] {
  const listed = commits.filter(({ action, changed }) => action !== "SKIP" || changed > 0);
  const left = commits.length - listed.length;
  return [
    ...(listed.length === 0 ? [] : clippedTable([HEADINGS, ...listed.flatMap((one) => toRows(one, details))])),
    ...(left === 0
      ? []
      : [paint("dim", `${count(left, "commit")} without a change of source files: SKIP, not listed`)]),
    ...(listed.length === 0 ? [] : ["", ...LEGEND.map((line) => paint("dim", line))]),
    "",
  ];
}

const HEADINGS = ["Commit", "Decision", "Files", "Subject"].map((word) => paint("dim", word));

function toRows({ commit, action, changed, structural, subject, fileChanges }: Replayed, details: boolean): string[][] {
  const row = [commit.slice(0, 10), actionLabel(action), `${structural}/${changed}`, printable(subject)];
  if (!details) return [row];
  const files = fileChanges.map((c) => [
    "",
    `  ${driftLabel(c.drift)}`,
    "",
    `${printable(c.filePath)}: ${printable(c.details.join(", "))}`,
  ]);
  return [row, ...files];
}

function toLines(totals: Totals): string[] {
  const { commits, skip, partial, architecture, full } = totals;
  return [
    `${count(commits, "commit")} in ${totals.seconds} s: ${skip} SKIP, ${partial} PARTIAL, ${architecture} ARCHITECTURE, ${full} FULL`,
    totals.changedFiles === 0
      ? "They changed no source file: nothing for an agent to do."
      : `${totals.zeroTokenShare} % of the ${count(totals.sourceCommits, "commit")} that change source needed no tokens; ` +
        `about ${count(totals.tokensNeeded, "token")} needed, ${number(totals.tokensNotSpent)} not spent on reading whole files ` +
        `(${totals.structuralFiles} of ${count(totals.changedFiles, "changed file")} need an analysis)`,
  ];
}

function policyLines(costs: readonly PolicyCost[], totals: Totals): string[] {
  const rows = costs.map(({ refresh, zeroTokenShare, tokens, ofWholeFiles, behaviourNotAsked, bodyNotAsked }) => [
    refresh,
    `${zeroTokenShare} %`,
    number(tokens),
    ofWholeFiles === null ? "" : `${Math.round(ofWholeFiles * 100)} %`,
    number(behaviourNotAsked),
    number(bodyNotAsked),
  ]);
  const head = ["refresh", "Ask no model", "Tokens", "Of whole files", "Missed: behaviour", "body"];
  const whole = number(totals.tokensOfStructuralFiles);
  return [
    "",
    ...table([head.map((one) => paint("dim", one)), ...rows]),
    "",
    `Ask no model: of the ${count(totals.sourceCommits, "commit")} that change source.`,
    `Of whole files: reading only the files that changed in structure, but whole, takes ${whole} tokens.`,
    "structural asks about every changed symbol of a file that changed in structure; behaviour about those that changed their behaviour",
    "or their interface, in any file. So it may ask for less, and still miss less.",
    "Missed: symbols that changed and that no model is asked about. After a change of behaviour the description is marked: it may be",
    "false. After a change of the body alone it is not marked, and seldom false (docs/benchmarks.md has how often).",
    'To choose one: { "refresh": "behaviour" } in .ua-hooksrc.json',
  ];
}
