import { isRegularFile, listTree } from "../git/trees.js";
import type { LoadedContext } from "../repository/context.js";
import type { Comparison } from "../verification/compare.js";
import { sharedRows } from "./baseline.js";
import { ABSENT } from "./known.js";
import type { GraphPlan } from "./plan.js";
import { currentTextFiles } from "./project-texts.js";

/**
 * Plans the structural analysis of every changed file, also with cosmetic changes: lines have moved, and it needs no
 * tokens. Texts from manifests and READMEs come with it.
 * `full`: every file.
 */
export async function structuralPlan(
  context: LoadedContext,
  comparison: Comparison,
  { full }: { full: boolean },
): Promise<GraphPlan> {
  const { head: commit, verdicts, fileChanges, renamedFiles } = comparison;
  const changed = verdicts.filter(({ drift }) => drift !== "none");
  const structural = new Map(changed.map(({ filePath, oid }) => [filePath, oid ?? ABSENT]));
  if (full) for (const [path, oid] of await everything(context, commit)) structural.set(path, oid);
  const { files: textFiles, isChanged } = await currentTextFiles(context, commit);
  return {
    ...{ commit, restores: [], ...(structural.size > 0 || isChanged ? { textFiles } : {}) },
    structural: [...structural].map(([path, oid]) => ({ path, oid })),
    moves: renamedFiles.map(({ from, to }) => ({ from, to })),
    drift: fileChanges.map(({ filePath, drift }) => [filePath, drift]),
  };
}

async function everything({ db, project, rules }: LoadedContext, commit: string): Promise<Map<string, string>> {
  const rows = sharedRows(db, project.scope);
  const all = new Map([...rows.keys()].map((path) => [path, ABSENT]));
  for (const { path, mode, oid } of await listTree(project.worktree.path, commit)) {
    if (isRegularFile(mode) && rules.covers(path, rows.get(path)?.inGraph === true)) all.set(path, oid);
  }
  return all;
}
