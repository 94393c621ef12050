import { HeadTree } from "../git/head-tree.js";
import { AtHead } from "../knowledge/at-head.js";
import { excludedBatches } from "../knowledge/counting.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import type { LoadedContext } from "../repository/context.js";
import { readDrift } from "./compare.js";

/** What is stated, at a commit, for readers; nothing is written but facts. */
export async function openAtHead({ db, project, config }: LoadedContext, commit: string): Promise<AtHead> {
  const tree = new HeadTree(project.worktree.path, commit);
  const excluded = await excludedBatches(db, project, tree);
  const facts = new Facts(storedFacts(db, { keep: false }), project.worktree.path, config);
  return new AtHead(db, { scope: project.scope, excluded, tree, facts, view: project.worktree.id });
}

/** Ids of symbols with a text that changed their behaviour since: it may be false. */
export async function reviewIds(atHead: AtHead): Promise<string[]> {
  const changed = [...readDrift(atHead.db, atHead.view).values()].filter(({ symbols }) =>
    symbols?.some(({ change }) => change === "behaviour"),
  );
  await atHead.prepare(
    changed.map(({ filePath }) => filePath),
    { texts: true },
  );
  return changed.flatMap(({ filePath, symbols = [] }) =>
    symbols.flatMap(({ id, type, name, change }) => {
      const symbol = change === "behaviour" ? atHead.file(filePath).symbols.get(type, name) : undefined;
      const isOpen = symbol !== undefined && atHead.file(filePath).text(symbol)?.nearness === "behaviour";
      return isOpen ? [id] : [];
    }),
  );
}
