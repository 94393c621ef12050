import { describedAt } from "../knowledge/described.js";
import { knownFacts } from "../knowledge/facts.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import type { SymbolVerdict } from "./symbol-changes.js";
import { storedVerdicts } from "./verdicts.js";

/** Symbols that changed their behaviour since they were described, as the last verification found them. */
export function symbolsToReview(db: Db, { scope, worktree }: Pick<Project, "scope" | "worktree">): SymbolVerdict[] {
  const verdicts = [...storedVerdicts(db, worktree.id).values()];
  const heads = new Map(verdicts.map(({ filePath, oid }) => [filePath, oid]));
  const nearnessOf = describedAt(db, scope, { heads, facts: knownFacts(db) });
  return verdicts.flatMap(({ filePath: path, oid, symbols = [] }) =>
    symbols.filter(
      (symbol) => symbol.change === "behaviour" && oid !== null && nearnessOf({ path, oid }, symbol) === "behaviour",
    ),
  );
}
