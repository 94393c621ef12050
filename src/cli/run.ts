import { UaError } from "../errors.js";
import type { Marker } from "../marker/marker.js";
import { HEADLESS_NAMES, type HeadlessName, isHeadlessName, loadConfig } from "../repository/config.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import { runStructural } from "../updates/run.js";
import { runCommand } from "../updates/run-command.js";
import { type HeadlessOptions, type HeadlessRun, runHeadless } from "../updates/run-headless.js";
import { runUndescribed } from "../updates/run-undescribed.js";
import type { Command, Invocation } from "./command.js";
import { wholeNumber } from "./given.js";
import { count, type Out, printable, short, stillTrue } from "./output.js";

export const run: Command = {
  summary: "update the graph now",
  busy: ({ flags }) => (isHeadlessName(flags.analyzer) ? `waiting for ${flags.analyzer}` : "updating the graph"),
  usage: "[--full] [--analyzer A [--max-tokens N [--undescribed]]]",
  example: "ua-hooks run",
  options: {
    ...{ full: { type: "boolean" }, analyzer: { type: "string" }, "max-tokens": { type: "string" } },
    undescribed: { type: "boolean" },
  },
  help: {
    "--full": "analyze every file again, not only changed ones; descriptions are kept",
    "--analyzer A": "let a coding agent describe what changed, without a session: claude, copilot, gemini, opencode",
    "--max-tokens N": "with --analyzer: at most about so many tokens; a full update needs it",
    "--undescribed": "with --max-tokens: then also every symbol without a description, the most used first",
  },
  async run(invocation) {
    const { cwd, flags, out } = invocation;
    const project = await projectAt(cwd);
    const full = flags.full === true;
    const configured = (await loadConfig(project.root)).analyzer;
    const analyzer = flags.analyzer === undefined ? configured : namedAnalyzer(flags.analyzer);
    if (isHeadlessName(analyzer)) {
      const maxTokens = flags["max-tokens"] === undefined ? null : wholeNumber(flags["max-tokens"], "--max-tokens");
      const describe = flags.undescribed === true ? describeAll : describePending;
      return describe(invocation, project, { analyzer, maxTokens });
    }
    if (flags.undescribed === true)
      throw new UaError("usage", "--undescribed needs a coding agent", `--analyzer ${HEADLESS_NAMES.join(" | ")}`);
    return analyzer === "structural" ? renew(out, project, full) : analyzeByCommand(out, project, full);
  },
};

async function analyzeByCommand(out: Out, project: Project, full: boolean): Promise<number> {
  const applied = await withContext(project, (context) => runCommand(context, { full }));
  const files = applied?.applied ?? [];
  const state = applied === null ? "nothing" : "done";
  out.result({ schema: "ua-hooks.run/1", state, applied: files, pending: applied?.marker ?? null }, [
    applied === null ? "Nothing is pending." : `${count(files.length, "file")} applied`,
    ...(applied?.refused ?? []).map(({ path, reason }) => `  ${printable(path)} stays pending: ${reason}`),
  ]);
  return 0;
}

/** By the structural analyzer, without a model. */
async function renew(out: Out, project: Project, full: boolean): Promise<number> {
  const { done, verification } = await withContext(project, (context) => runStructural(context, { full }));
  const { head, marker } = verification;
  out.result({ schema: "ua-hooks.run/1", state: done ? "done" : "nothing", head, pending: marker }, [
    done
      ? `The graph now describes ${short(head.commit)}.`
      : `The graph already describes ${short(head.commit)}: nothing to do. \`ua-hooks run --full\` builds it again.`,
    ...stillPending(done ? marker : null),
  ]);
  return 0;
}

async function describePending({ out }: Invocation, project: Project, options: HeadlessOptions): Promise<number> {
  const done = await withContext(project, (context) => runHeadless(context, options));
  out.result(
    { schema: "ua-hooks.run/1", state: done === null ? "nothing" : "done", ...toDocument(done) },
    headlessLines(options.analyzer, done),
  );
  return 0;
}

async function describeAll({ out }: Invocation, project: Project, options: HeadlessOptions): Promise<number> {
  if (options.maxTokens === null)
    throw new UaError("usage", "--undescribed needs --max-tokens", "a whole project may take millions of them");
  const done = await withContext(project, (context) => runUndescribed(context, options));
  const { undescribed, stopped, described, unchanged } = done;
  const left = undescribed === null ? "" : `; without a description: ${count(undescribed, "symbol")}`;
  out.result(
    {
      ...{
        schema: "ua-hooks.run/1",
        state: described.length + unchanged.length === 0 ? "nothing" : "done",
        ...toDocument(done),
      },
      ...{ undescribed, stopped },
    },
    [
      `${options.analyzer} described ${count(described.length, "symbol")}${stillTrue(unchanged)}, about ${count(done.tokens, "token")}${left}`,
      ...(stopped === null ? [] : [`It ended there: ${printable(stopped)}`]),
    ],
  );
  return 0;
}

function namedAnalyzer(given: unknown): HeadlessName | "structural" {
  if (given === "structural" || isHeadlessName(given)) return given;
  throw new UaError(
    "usage",
    `unknown analyzer ${JSON.stringify(given)}`,
    `known: structural, ${HEADLESS_NAMES.join(", ")}`,
  );
}

const toDocument = (done: HeadlessRun | null) => ({
  ...{ applied: done?.applied ?? [], described: done?.described ?? [], unchanged: done?.unchanged ?? [] },
  tokens: done?.tokens ?? 0,
  pending: done?.marker ?? null,
});

function headlessLines(analyzer: string, done: HeadlessRun | null): string[] {
  if (done === null) return ["Nothing is pending."];
  const { described, unchanged, tokens, marker } = done;
  const left = marker === null ? "nothing is pending any more" : `pending: ${printable(marker.reason)}`;
  const answers = `${count(described.length, "symbol")}${stillTrue(unchanged)}`;
  return [`${analyzer} described ${answers}, about ${count(tokens, "token")}; ${left}`];
}

/** What no analyzer can renew: a description of a symbol that has another interface now. */
function stillPending(marker: Marker | null): string[] {
  if (marker === null) return [];
  const files = count(marker.filesToReanalyze.length, "file");
  return [`Still pending: ${files} with descriptions that may have become false. \`ua-hooks pending\` lists them.`];
}
