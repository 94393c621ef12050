import { parseCount } from "../fingerprint/extract.js";
import { diffCommits, type HistoryCommit, listCommits } from "../git/history.js";
import { isRefusal } from "../git/run.js";
import { Facts, memoryFacts, type WantedFact } from "../knowledge/facts.js";
import { Pool } from "../knowledge/pool.js";
import type { Config, RefreshPolicy } from "../repository/config.js";
import type { Rules } from "../repository/rules.js";
import { askedFiles } from "./asked.js";
import { type Action, decide } from "./decide.js";
import { foldRenames } from "./renames.js";
import { type CommitTokens, commitTokens, readTexts } from "./replay-tokens.js";
import { coveredPaths, TreePaths } from "./tree-paths.js";
import { comparePairs, type Pairs, type PathVerdict, toPairs } from "./verdicts.js";

/** What the hooks would have decided for one commit, if everything before it had been analysed. */
export interface Replayed {
  commit: string;
  subject: string;
  action: Action;
  reason: string;
  /** Source files that the commit changed, and those that need an analysis. */
  changed: number;
  structural: number;
  fileChanges: PathVerdict[];
  tokens: CommitTokens;
}

export interface ReplayOptions {
  cwd: string;
  selection: readonly string[];
  config: Config;
  rules: Rules;
  /** Which values of the config's `refresh` are measured. */
  policies: readonly RefreshPolicy[];
  onProgress(done: number, total: number): void;
}

/** Commits per call of git, and files per round: enough for all threads, few enough to limit memory. */
const COMMITS = 50;
const FILES = 200;
/** Number of functions and classes in memory, about 500 bytes each. */
const KEPT_FACTS = 150_000;

/** Walks real history, oldest first. Read only: facts are kept in memory. */
export async function* replay(options: ReplayOptions): AsyncGenerator<Replayed> {
  const { cwd, selection, config, rules, onProgress } = options;
  const commits = await listCommits(cwd, selection);
  const pool = new Pool(config, null);
  const facts = new Facts(memoryFacts(KEPT_FACTS), cwd, config, pool.run);
  const tree = new TreePaths(await startingPaths(cwd, commits[0], rules));
  const covers = (path: string) => rules.covers(path, false);
  let done = 0;
  try {
    for (let at = 0; at < commits.length; at += COMMITS) {
      const some = commits.slice(at, at + COMMITS);
      const changes = await diffCommits(cwd, some);
      const steps = some.map((commit) => ({ commit, pairs: toPairs(changes.get(commit.commit) ?? [], covers) }));
      for (const round of rounds(steps)) {
        // All files of a round at once, so that no thread waits for the next commit.
        await facts.of(round.flatMap(({ pairs }) => toCompare(pairs)));
        for (const { commit, pairs } of round) {
          const verdicts = await comparePairs(pairs, facts);
          const folded = await foldRenames(verdicts, facts, cwd);
          const texts = await readTexts(cwd, folded.verdicts);
          const tokens = commitTokens(folded.verdicts, texts, facts, options.policies);
          yield { ...conclude(commit, { verdicts, folded }, tree, config), tokens };
          onProgress(++done, commits.length);
        }
      }
    }
  } finally {
    await pool.end();
  }
}

interface ReplayStep {
  commit: HistoryCommit;
  pairs: Pairs;
}

function* rounds(steps: readonly ReplayStep[]): Generator<ReplayStep[]> {
  let round: ReplayStep[] = [];
  let files = 0;
  for (const step of steps) {
    round.push(step);
    files += step.pairs.size;
    if (files < FILES) continue;
    yield round;
    round = [];
    files = 0;
  }
  yield round;
}

/** With more new files than these, their sizes are counted in place of their packets. */
const MOST_NEW = 200;

/** Both versions of every file that has two; new files, because their packets are counted. */
function toCompare(pairs: Pairs): WantedFact[] {
  const files = [...pairs];
  const isMuch = files.filter(([, [before]]) => before === null).length > MOST_NEW;
  return files.flatMap(([path, [a, b]]) => {
    if (b === null || (a === null && isMuch)) return [];
    return (a === null ? [b] : [a, b]).map((oid) => ({ path, oid }));
  });
}

/** Number of texts that this process has parsed. */
export const parsesSoFar = parseCount;

async function startingPaths(cwd: string, first: HistoryCommit | undefined, rules: Rules): Promise<string[]> {
  if (first?.parent == null) return [];
  return coveredPaths(cwd, first.parent, rules).catch((error: unknown) => {
    if (isRefusal(error)) return []; // the edge of a shallow clone
    throw error;
  });
}

interface ReplayedVerdicts {
  verdicts: readonly PathVerdict[];
  /** The same, with renames folded into one. */
  folded: Awaited<ReturnType<typeof foldRenames>>;
}

function conclude(
  { commit, subject }: HistoryCommit,
  { verdicts, folded: { renames, verdicts: fileChanges } }: ReplayedVerdicts,
  tree: TreePaths,
  config: Config,
): Omit<Replayed, "tokens"> {
  const asked = askedFiles(fileChanges, config.refresh, () => false);
  const situation = { verdicts: fileChanges, renames, asked, graphFiles: tree.size, hasDirectory: tree.hasDirectory };
  const { action, reason, filesToReanalyze } = decide(situation, config);
  for (const { filePath, drift } of verdicts) {
    if (drift === "new") tree.add(filePath);
    if (drift === "gone") tree.remove(filePath);
  }
  return {
    commit,
    subject,
    action,
    reason,
    changed: verdicts.length,
    structural: filesToReanalyze.length,
    fileChanges,
  };
}
