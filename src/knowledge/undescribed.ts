import type { LoadedContext } from "../repository/context.js";
import type { SymbolVerdict } from "../verification/symbol-changes.js";
import { sharedRows } from "./baseline.js";
import { FileKeys } from "./description-keys.js";
import { Facts, factKey, storedFacts, type WantedFact } from "./facts.js";
import { choiceContext, FileDescriptions } from "./file-descriptions.js";
import { StoredGraph } from "./stored-graph.js";
import { symbolStates } from "./symbol-states.js";

/** A symbol that the graph has a node of, and that has no description. */
export interface UndescribedSymbol {
  file: WantedFact;
  symbol: SymbolVerdict;
  /** Edges to it: calls, imports, inheritance. */
  uses: number;
}

/** What HEAD has that the baseline does not, and files that are left out. */
export interface HeadState {
  heads: ReadonlyMap<string, string | null>;
  without: ReadonlySet<string>;
}

/** Facts of so many files are in memory at a time. */
const FILES_AT_A_TIME = 500;

/** Symbols at HEAD that no description counts for, not even one of an earlier content; the most used first. */
export async function undescribedSymbols(context: LoadedContext, state: HeadState): Promise<UndescribedSymbol[]> {
  const { db, project, config } = context;
  const graph = StoredGraph.load(db, project.scope);
  if (graph === null) return [];
  const files = filesAtHead(context, graph, state);
  const uses = countUses(graph);
  const found: UndescribedSymbol[] = [];
  for (let at = 0; at < files.length; at += FILES_AT_A_TIME) {
    const some = files.slice(at, at + FILES_AT_A_TIME);
    const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(some);
    const around = choiceContext(db, project.scope);
    const oidOf = (path: string) => (state.heads.has(path) ? (state.heads.get(path) ?? null) : around.oidOf(path));
    for (const file of some) {
      const fact = facts.get(factKey(file));
      const keys = new FileKeys(file.path, file.oid, fact);
      const states = new Map(symbolStates(file.path, file.oid, fact).map((one) => [`${one.type} ${one.name}`, one]));
      const descriptions = new FileDescriptions({ ...around, oidOf }, { ...file, fact });
      for (const node of graph.piece(file.path).nodes) {
        const key = keys.of(node);
        const one = states.get(node.type === "file" ? "file " : `${key.type} ${key.name}`);
        if (one === undefined || descriptions.chooseFor(key) !== null) continue;
        states.delete(`${one.type} ${one.name}`); // two nodes of a foreign graph may be one symbol
        const { id, type, name, lineRange } = one;
        const symbol: SymbolVerdict = { id, type, name, lineRange, hash: key.hash, change: "new" };
        found.push({ file, symbol, uses: uses.get(node.id) ?? 0 });
      }
    }
  }
  return found.sort((a, b) => b.uses - a.uses);
}

function filesAtHead({ db, project }: LoadedContext, graph: StoredGraph, { heads, without }: HeadState): WantedFact[] {
  const rows = sharedRows(db, project.scope);
  return graph.paths().flatMap((path) => {
    const oid = heads.has(path) ? heads.get(path) : rows.get(path)?.oid;
    return oid === null || oid === undefined || without.has(path) ? [] : [{ path, oid }];
  });
}

const USES: ReadonlySet<string> = new Set(["calls", "imports", "inherits", "implements"]);

/** By the id of the node that is used. */
function countUses(graph: StoredGraph): Map<string, number> {
  const uses = new Map<string, number>();
  for (const path of graph.paths())
    for (const { type, target } of graph.piece(path).edges)
      if (USES.has(type)) uses.set(target, (uses.get(target) ?? 0) + 1);
  return uses;
}
