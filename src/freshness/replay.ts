import { parseCount } from "../fingerprint/extract.js";
import { Pool } from "../fingerprint/pool.js";
import { diffCommits, type HistoryCommit, listCommits } from "../git/history.js";
import { isRegularFile, listTree } from "../git/trees.js";
import type { Config } from "../project/config.js";
import type { Rules } from "../project/rules.js";
import { type Action, decide, topDirectory } from "./decide.js";
import { Facts, memoryFacts } from "./facts.js";
import { foldRenames } from "./renames.js";
import { judgePairs, toPairs, type Verdict } from "./verdicts.js";

/** What the hooks would have decided for one commit, had everything before it been analysed. */
export interface Replayed {
  commit: string;
  subject: string;
  action: Action;
  reason: string;
  /** Source files that the commit touched, and those of them that would have to be analysed again. */
  changed: number;
  structural: number;
  fileChanges: Verdict[];
}

export interface ReplayOptions {
  cwd: string;
  selection: readonly string[];
  config: Config;
  rules: Rules;
  onProgress(done: number, total: number): void;
}

/** Commits per round: enough to keep all threads busy, few enough to bound memory. */
const ROUND = 50;
const KEPT_FACTS = 4_000;

/** Walks real history, oldest first. Reads only: facts are kept in memory, and go with it. */
export async function* replay({ cwd, selection, config, rules, onProgress }: ReplayOptions): AsyncGenerator<Replayed> {
  const commits = await listCommits(cwd, selection);
  const pool = new Pool(config);
  const facts = new Facts(memoryFacts(KEPT_FACTS), cwd, config, pool.run);
  const tree = new Tree(await startingPaths(cwd, commits[0], rules));
  const covers = (path: string) => rules.covers(path, false);
  try {
    for (let at = 0; at < commits.length; at += ROUND) {
      const round = commits.slice(at, at + ROUND);
      const changes = await diffCommits(cwd, round);
      const pairs = round.map(({ commit }) => toPairs(changes.get(commit) ?? [], covers));
      // All that this round needs at once, so that no thread waits for the next commit.
      const wanted = pairs.flatMap((one) =>
        [...one].flatMap(([path, [a, b]]) =>
          a === null || b === null
            ? []
            : [
                { path, oid: a },
                { path, oid: b },
              ],
        ),
      );
      await facts.of(wanted);
      for (const [index, commit] of round.entries()) {
        const verdicts = await judgePairs(pairs[index] ?? new Map(), facts);
        yield await conclude(commit, verdicts, tree, facts, cwd, config);
        onProgress(at + index + 1, commits.length);
      }
    }
  } finally {
    await pool.end();
  }
}

/** How many texts were parsed by this process so far. */
export const parsesSoFar = parseCount;

async function startingPaths(cwd: string, first: HistoryCommit | undefined, rules: Rules): Promise<string[]> {
  if (first?.parent == null) return [];
  const entries = await listTree(cwd, first.parent).catch(() => []); // the edge of a shallow clone
  return entries.filter(({ path, mode }) => isRegularFile(mode) && rules.covers(path, false)).map(({ path }) => path);
}

async function conclude(
  { commit, subject }: HistoryCommit,
  verdicts: Verdict[],
  tree: Tree,
  facts: Facts,
  cwd: string,
  config: Config,
): Promise<Replayed> {
  const { renames, verdicts: fileChanges } = await foldRenames(verdicts, facts, cwd);
  const situation = { verdicts: fileChanges, renames, graphFiles: tree.size, hasDirectory: tree.hasDirectory };
  const { action, reason, filesToReanalyze } = decide(situation, config.thresholds);
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

/** The source files there are at a point of the walk. Along side branches it is what the walk has seen so far. */
class Tree {
  readonly #paths: Set<string>;
  readonly #directories = new Map<string, number>();

  constructor(paths: Iterable<string>) {
    this.#paths = new Set();
    for (const path of paths) this.add(path);
  }

  get size(): number {
    return this.#paths.size;
  }

  readonly hasDirectory = (directory: string, except: ReadonlySet<string>): boolean => {
    let count = this.#directories.get(directory) ?? 0;
    for (const path of except) if (topDirectory(path) === directory && this.#paths.has(path)) count--;
    return count > 0;
  };

  add(path: string): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    this.#count(path, 1);
  }

  remove(path: string): void {
    if (this.#paths.delete(path)) this.#count(path, -1);
  }

  #count(path: string, by: number): void {
    const directory = topDirectory(path);
    if (directory !== null) this.#directories.set(directory, (this.#directories.get(directory) ?? 0) + by);
  }
}
