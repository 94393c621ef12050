import type { Drift } from "../fingerprint/types.js";
import { isRegularFile, listTree } from "../git/trees.js";
import { isAdopted } from "../knowledge/adopted.js";
import { Baseline } from "../knowledge/baseline.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import type { LoadedContext } from "../repository/context.js";
import { compareWithBaseline } from "./compare.js";
import { comparePaths } from "./verdicts.js";

/** Explains one path of a worktree. */
export interface PathExplanation {
  inGraph: boolean;
  analysedOid: string | null;
  headOid: string | null;
  drift: Drift;
  details: string[];
  importers: string[];
  /** The grammar cannot read all of it: what it read is compared by symbol, the rest by its text. */
  partlyRead?: true;
}

type PathChange = Pick<PathExplanation, "drift" | "details">;

export async function explainPath(context: LoadedContext, head: string, path: string): Promise<PathExplanation> {
  const { db, project, config, rules } = context;
  const cwd = project.worktree.path;
  const baseline = new Baseline(db, project.scope, project.worktree.id);
  const [entry] = await listTree(cwd, head, [path]);
  const headOid = entry !== undefined && isRegularFile(entry.mode) ? entry.oid : null;
  const analysed = baseline.get(path);
  const inGraph = analysed?.inGraph ?? false;
  const facts = new Facts(storedFacts(db, { keep: false }), cwd, config);
  const covered = rules.covers(path, inGraph);
  const one = new Map([[path, headOid]]);
  const [alone] = covered ? (await comparePaths(one, baseline, facts, new Map())).verdicts : [];
  const { drift, details } = (await asRename(context, head, path, alone?.drift)) ?? alone ?? NOTHING;
  return {
    inGraph,
    analysedOid: analysed?.oid ?? null,
    headOid,
    drift,
    details,
    importers: baseline.importersOf(path),
    ...((await isPartlyRead(facts, path, covered ? headOid : null)) ? { partlyRead: true } : {}),
  };
}

async function isPartlyRead(facts: Facts, path: string, oid: string | null): Promise<boolean> {
  const known = oid === null ? [] : [...(await facts.of([{ path, oid }])).values()];
  return known.some(({ unreadable }) => unreadable !== undefined);
}

const NOTHING: PathChange = { drift: "none", details: [] };

/** A path that was added or deleted may be one side of a rename. */
async function asRename(
  context: LoadedContext,
  commit: string,
  path: string,
  alone: Drift | undefined,
): Promise<PathChange | null> {
  if ((alone !== "new" && alone !== "gone") || !isAdopted(context.db, context.project)) return null;
  const { renamedFiles, fileChanges } = await compareWithBaseline(context, { commit }, { keep: false });
  const left = renamedFiles.find(({ from }) => from === path);
  if (left !== undefined) return { drift: "gone", details: [`renamed to ${left.to}`] };
  return fileChanges.find(({ filePath }) => filePath === path) ?? null;
}
