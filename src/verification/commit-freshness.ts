import { decodePath } from "../git/paths.js";
import { git, isTimeout } from "../git/run.js";
import { parseStatus, readCounts, statusOf } from "../git/status.js";
import { records } from "../git/trees.js";

/*
 * Understand-Anything's freshness calls, by the same names and shapes: a graph's commit against HEAD and the work tree,
 * for a project that is a repository or one folder of it. Paths are relative to that folder, and nothing outside of it
 * counts. `readGraphFreshness` is ours: it finds the graph by itself and knows .understandignore.
 */

export type GraphFreshnessRelation = "behind" | "ahead" | "diverged";

export type GraphFreshnessUnknownReason =
  | "missing-graph-commit"
  | "git-head-unavailable"
  | "graph-commit-unavailable"
  | "git-command-timeout"
  | "freshness-request-failed";

export interface GraphFreshnessInput {
  graphCommitHash?: string | null;
  lastAnalyzedAt?: string;
}

interface Compared {
  graphCommitHash: string;
  headCommitHash: string;
  lastAnalyzedAt?: string;
}

export type GraphFreshnessResult =
  | (Compared & {
      status: "fresh";
      changedFileCount: 0;
      changedFiles: [];
      commitsBehind: 0;
      commitsAhead: 0;
    })
  | (Compared & {
      status: "dirty";
      changedFileCount: number;
      changedFiles: string[];
      commitsBehind: 0;
      commitsAhead: 0;
    })
  | (Compared & {
      status: "stale";
      relation: GraphFreshnessRelation;
      changedFileCount: number;
      changedFiles: string[];
      commitsBehind: number;
      commitsAhead: number;
    })
  | (Partial<Compared> & { status: "unknown"; reason: GraphFreshnessUnknownReason });

/**
 * Whether a graph still describes the project at `projectDir`, given the commit that it was made from. Never throws:
 * what git cannot say is `unknown`, with a reason code.
 *
 * @example (await getGraphFreshness(process.cwd(), { graphCommitHash: meta.gitCommitHash })).status // "fresh"
 */
export async function getGraphFreshness(projectDir: string, input: GraphFreshnessInput): Promise<GraphFreshnessResult> {
  return (await getGraphFreshnessBatch(projectDir, { graph: input })).graph;
}

/**
 * The same for several graphs of one project, against one look at HEAD and the work tree.
 *
 * @example await getGraphFreshnessBatch(dir, { knowledge: { graphCommitHash: a }, domain: { graphCommitHash: b } })
 */
export async function getGraphFreshnessBatch<Key extends string>(
  projectDir: string,
  inputs: Record<Key, GraphFreshnessInput>,
): Promise<Record<Key, GraphFreshnessResult>> {
  return compareCommits(projectDir, inputs, GIT_TIMEOUT_MS);
}

const GIT_TIMEOUT_MS = 5000;

/** Everything below the project's folder but the artefacts that lie in it. */
const PROJECT = [".", ":(exclude).understand-anything", ":(exclude).ua"];

export async function compareCommits<Key extends string>(
  projectDir: string,
  inputs: Record<Key, GraphFreshnessInput>,
  timeoutMs: number,
): Promise<Record<Key, GraphFreshnessResult>> {
  const ask: GitQuestion = (args) => git(projectDir, args, { timeoutMs });
  let current: Promise<Current> | undefined;
  const entries = Object.entries<GraphFreshnessInput>(inputs).map(
    async ([key, { graphCommitHash, lastAnalyzedAt }]) => {
      const time = lastAnalyzedAt === undefined ? {} : { lastAnalyzedAt };
      const commit = graphCommitHash?.trim() ?? "";
      if (commit === "") return [key, { status: "unknown", reason: "missing-graph-commit", ...time }];
      current ??= look(ask);
      return [key, { ...(await compareCommit(ask, commit, current)), ...time }];
    },
  );
  return Object.fromEntries(await Promise.all(entries));
}

type GitQuestion = (args: readonly string[]) => Promise<Buffer>;

interface Current {
  head: string;
  dirty: string[];
}

async function look(ask: GitQuestion): Promise<Current> {
  const head = line(await ask(["rev-parse", "--verify", "HEAD^{commit}"]));
  // The folder's path in the repository: `apps/web/`, or an empty line at its top (git-rev-parse(1)).
  const prefix = decodePath((await ask(["rev-parse", "--show-prefix"])).subarray(0, -1));
  const dirty = parseStatus(await ask(statusOf(PROJECT)));
  return { head, dirty: dirty.map((path) => path.slice(prefix.length)) };
}

/** Steps in this order, so that a reason names the first thing that is missing. */
async function compareCommit(ask: GitQuestion, name: string, current: Promise<Current>): Promise<GraphFreshnessResult> {
  const known: Partial<Compared> = { graphCommitHash: name };
  let missing: GraphFreshnessUnknownReason = "git-head-unavailable";
  try {
    const { head, dirty } = await current;
    known.headCommitHash = head;
    missing = "graph-commit-unavailable";
    // The hash comes from a file that anyone may have written: git must not take it for an option or a range.
    const graph = line(await ask(["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`]));
    known.graphCommitHash = graph;
    return await compareWith(ask, { graph, head, dirty });
  } catch (error) {
    return { status: "unknown", reason: isTimeout(error) ? "git-command-timeout" : missing, ...known };
  }
}

const DIFF = [
  "diff",
  "--name-only",
  "-z",
  "--relative",
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
];

async function compareWith(
  ask: GitQuestion,
  { graph, head, dirty }: Current & { graph: string },
): Promise<GraphFreshnessResult> {
  const commits = { graphCommitHash: graph, headCommitHash: head };
  const output = await ask([...DIFF, "--ignore-submodules=none", graph, head, "--", ...PROJECT]);
  const committed = [...records(output)].map(decodePath);
  const changedFiles = [...new Set([...committed, ...dirty])].sort();
  const found = { ...commits, changedFileCount: changedFiles.length, changedFiles };
  if (committed.length > 0) {
    const between = ["rev-list", "--left-right", "--count", `${graph}...${head}`, "--"];
    const [all, own] = await Promise.all([ask(between), ask([...between, ...PROJECT])]);
    const { behind: commitsBehind, ahead: commitsAhead } = readCounts(own.toString("utf8"));
    return {
      status: "stale",
      relation: readCounts(all.toString("utf8")).relation,
      ...found,
      commitsBehind,
      commitsAhead,
    };
  }
  if (dirty.length > 0) return { status: "dirty", ...found, commitsBehind: 0, commitsAhead: 0 };
  return { status: "fresh", ...commits, changedFileCount: 0, changedFiles: [], commitsBehind: 0, commitsAhead: 0 };
}

function line(output: Buffer): string {
  return output.toString("utf8").trim();
}
