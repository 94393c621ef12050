import { extractorOf } from "../fingerprint/languages.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { nodesOfFile } from "../graph/build.js";
import { moveNode } from "../graph/rename.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import type { Comparison } from "../verification/compare.js";
import type { Restore } from "../verification/verdicts.js";
import { Baseline } from "./baseline.js";
import { undescribed } from "./deliver.js";
import { withText } from "./descriptions.js";
import { storedFacts } from "./facts.js";
import { choiceContext, FileDescriptions } from "./file-descriptions.js";
import { ABSENT, putAbsence, putAnalysis, structuralPaths } from "./known.js";
import { isOther, originOfOther, otherNodes } from "./other-nodes.js";
import { savePlan } from "./plan.js";
import { vouchWhole } from "./vouch.js";

/**
 * Marks contents as analysed without an analysis. What was said of each symbol is stored for its new content as well. In the graph's
 * worktree the structure of each file is computed anew, and what is not computed stays; a linked worktree records only for itself that it acknowledged them, because
 * its branch may never be merged.
 */
export function acknowledge(
  db: Db,
  project: Project,
  comparison: Pick<Comparison, "head" | "renamedFiles">,
  due: readonly (readonly [path: string, oid: string | null])[],
  { inGraph }: { inGraph: boolean },
): void {
  const listed = new Set(due.map(([path]) => path));
  const moves = comparison.renamedFiles.filter(({ to }) => listed.has(to)).map(({ from, to }) => ({ from, to }));
  const left = moves.map(({ from }) => [from, null] as const);
  db.write(() => {
    for (const [path, oid] of due) if (oid !== null) vouchForTexts(db, project, { path, oid }, comparison, moves);
    if (inGraph) acknowledgeInGraph(db, project, comparison.head, [...due, ...left], moves);
    else {
      const sql = "INSERT OR REPLACE INTO view_baseline(view, path, analysed_oid) VALUES(?, ?, ?)";
      for (const [path, oid] of [...due, ...left]) {
        db.run(sql, project.worktree.id, pathKey(path), oid);
        if (oid !== null) vouchWhole(db, project, { path, oid, fact: factOf(db, path, oid) }, { isGraphs: false });
      }
    }
  });
}

function acknowledgeInGraph(
  db: Db,
  project: Project,
  commit: string,
  due: readonly (readonly [path: string, oid: string | null])[],
  moves: { from: string; to: string }[],
): void {
  const at = new Date().toISOString();
  const baseline = new Baseline(db, project.scope, project.worktree.id);
  const computed = structuralPaths(db, project.scope);
  const structural: Restore[] = [];
  const restores: Restore[] = [];
  for (const [path, oid] of due) {
    const from = moves.find(({ to }) => to === path)?.from ?? path;
    const isComputed = oid !== null && computed.has(from);
    if (isComputed) structural.push({ path, oid });
    else restores.push({ path, oid: oid ?? ABSENT });
    if (oid !== null && !isComputed) {
      const known = undescribed(db, baseline, from, path, "ack");
      putAnalysis(db, path, oid, known, at);
    }
    if (oid !== null) vouchWhole(db, project, { path, oid, fact: factOf(db, path, oid) }, { isGraphs: true });
    if (oid === null || baseline.get(path) === null) putAbsence(db, path, at);
  }
  if (due.length > 0) savePlan(db, project.scope, { commit, restores, structural, moves });
}

/** The same text for the new content of each symbol, with its author and source. */
function vouchForTexts(
  db: Db,
  { scope }: Project,
  { path, oid }: { path: string; oid: string },
  { head: commit }: Pick<Comparison, "head">,
  moves: readonly { from: string; to: string }[],
): void {
  const from = moves.find(({ to }) => to === path)?.from ?? path;
  const around = choiceContext(db, scope);
  const fact = factOf(db, path, oid);
  const store = new FileDescriptions(around, { path, oid, fact });
  const formerly = fact === undefined ? undefined : { ...fact, filePath: from };
  const before = new FileDescriptions(around, { path: from, oid, fact: formerly });
  const computed = formerly === undefined ? [] : nodesOfFile(from, formerly);
  const at = new Date().toISOString();
  for (const node of [...computed, ...otherNodes(db, scope, from)]) {
    const found = isOther(node) ? originOfOther(db, from, node) : before.choose(node)?.description;
    if (found === null || found === undefined) continue;
    const { text, source, author, language } = found;
    store.put([withText(moveNode(node, from, path), text)], { source, author, at, commit, language }, "new");
  }
}

function factOf(db: Db, path: string, oid: string): FileFingerprint | undefined {
  const fact = storedFacts(db, { keep: false }).get(oid, extractorOf(path));
  return fact === null ? undefined : { ...fact, filePath: path };
}
