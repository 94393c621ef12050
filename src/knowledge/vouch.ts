import type { FileFingerprint } from "../fingerprint/types.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import {
  analysedSymbols,
  clearAnalysedSymbols,
  notePartlyAnalysed,
  noteWhollyAnalysed,
  putAnalysedSymbols,
  symbolKey,
} from "./symbol-baseline.js";
import { symbolStates } from "./symbol-states.js";

/** Every symbol of a file is analysed at this content: in the graph, or in one linked worktree. */
export function vouchWhole(
  db: Db,
  { scope, worktree }: Project,
  { path, oid, fact }: { path: string; oid: string; fact: FileFingerprint | undefined },
  { isGraphs }: { isGraphs: boolean },
): void {
  if (isGraphs) {
    notePartlyAnalysed(db, scope, path, oid);
    noteWhollyAnalysed(db, path, oid);
    clearAnalysedSymbols(db, scope, path);
    return;
  }
  const apart = analysedSymbols(db, scope, worktree.id).get(path);
  if (apart === undefined) return;
  const states = symbolStates(path, oid, fact).filter((one) => apart.has(symbolKey(one)));
  putAnalysedSymbols(db, worktree.id, path, states);
}
