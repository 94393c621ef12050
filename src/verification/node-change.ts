import { describedContent } from "../graph/descriptions.js";
import type { GraphNode } from "../graph/types.js";
import { describedAt } from "../knowledge/described.js";
import { knownFacts } from "../knowledge/facts.js";
import { isDoubtful } from "../knowledge/holds.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { isOnlyBeside } from "./symbol-changes.js";
import { type PathVerdict, storedVerdicts } from "./verdicts.js";

/**
 * What changed at HEAD since the text of a node was written, as the last verification found it; null for nothing. Both are asked: how far the
 * code is from what was analysed, and how far that was from what the text describes.
 */
export function changeSince(db: Db, project: Pick<Project, "scope" | "worktree">, node: GraphNode): string | null {
  const changes = [changeOfCode(db, project, node), changeOfText(node)];
  return changes.find(isDoubtful) ?? changes.find((change) => change !== null) ?? null;
}

function changeOfText(node: GraphNode): string | null {
  const { needsReview } = node;
  if (needsReview !== undefined) return typeof needsReview === "string" ? needsReview : "interface";
  return describedContent(node) === undefined ? null : "body";
}

function changeOfCode(
  db: Db,
  { scope, worktree }: Pick<Project, "scope" | "worktree">,
  { id, filePath }: GraphNode,
): string | null {
  const verdict = filePath === undefined ? undefined : storedVerdicts(db, worktree.id).get(filePath);
  if (verdict === undefined) return null;
  if (verdict.symbols === undefined) return ofWholeFile(verdict);
  const symbol = verdict.symbols.find((one) => one.id === id);
  if (symbol === undefined || verdict.oid === null) return null;
  if (isOnlyBeside(symbol)) return "imports";
  const heads = new Map([[verdict.filePath, verdict.oid]]);
  const nearness = describedAt(db, scope, { heads, facts: knownFacts(db) })(
    { path: verdict.filePath, oid: verdict.oid },
    symbol,
  );
  return nearness === "exact" ? null : symbol.change;
}

const ofWholeFile = ({ drift }: PathVerdict) => (drift === "none" || drift === "cosmetic" ? null : drift);
