import type { FileFingerprint } from "../fingerprint/types.js";
import { resolveCall } from "./calls.js";
import type { EdgeContext } from "./edge-context.js";
import { resolveClass } from "./heritage.js";
import { edgeKey, fileId, isFunctionId, isSymbolId } from "./ids.js";
import { byText } from "./order.js";
import { type FileSymbol, symbolsOf } from "./symbols.js";
import type { GraphEdge } from "./types.js";
import type { EdgeEnds } from "./update.js";

/** The weights that Understand-Anything uses. */
const weights = { contains: 1, imports: 0.7, exports: 0.8, inherits: 0.9, implements: 0.9, calls: 0.8 } as const;
type StructuralEdgeType = keyof typeof weights;

/** Whether the structural analyzer creates such edges; all others are kept as they are. */
export function isStructuralEdge({ source, target, type }: EdgeEnds): boolean {
  // Other tools add calls between files, endpoints and services, which the code does not name.
  if (type === "calls") return isFunctionId(source) && isSymbolId(target);
  return Object.hasOwn(weights, type);
}

function edge(type: StructuralEdgeType, source: string, target: string): GraphEdge {
  return { source, target, type, direction: "forward", weight: weights[type] };
}

interface EdgeSource {
  path: string;
  fp: FileFingerprint;
  symbols: FileSymbol[];
  context: EdgeContext;
}

/** One function for each kind of edge; add a function to add a kind. */
const makers: ((file: EdgeSource) => GraphEdge[])[] = [
  containsEdges,
  importsEdges,
  exportsEdges,
  heritageEdges,
  callsEdges,
];

/** All edges that start in this file. They depend on other files only through name resolution. */
export function edgesOfFile(path: string, fp: FileFingerprint, context: EdgeContext): GraphEdge[] {
  const file = { path, fp, symbols: symbolsOf(path, fp), context };
  const edges = new Map<string, GraphEdge>();
  for (const make of makers) {
    for (const made of make(file)) {
      const key = edgeKey(made);
      if (made.source !== made.target && !edges.has(key)) edges.set(key, made);
    }
  }
  return [...edges.values()];
}

function containsEdges({ path, symbols }: EdgeSource): GraphEdge[] {
  const classes = new Map(symbols.flatMap(({ kind, name, id }) => (kind === "class" ? [[name, id] as const] : [])));
  return symbols.map(({ id, owner }) => edge("contains", classes.get(owner ?? "") ?? fileId(path), id));
}

function importsEdges({ path, fp, context }: EdgeSource): GraphEdge[] {
  return [...new Set(context.targetsOf(path, fp).flat())]
    .filter((target) => context.hasFile(target))
    .sort(byText)
    .map((target) => edge("imports", fileId(path), fileId(target)));
}

function exportsEdges({ path, symbols }: EdgeSource): GraphEdge[] {
  return symbols
    .filter(({ exported, owner }) => exported && owner === undefined)
    .map(({ id }) => edge("exports", fileId(path), id));
}

function heritageEdges({ path, fp, symbols, context }: EdgeSource): GraphEdge[] {
  return symbols.flatMap((symbol) => {
    if (symbol.kind !== "class") return [];
    const to = (type: "inherits" | "implements", names: readonly string[]) =>
      names
        .map((name) => resolveClass(path, fp, name, context))
        .filter((target) => target !== undefined)
        .map((target) => edge(type, symbol.id, target));
    return [...to("inherits", symbol.shape.extends), ...to("implements", symbol.shape.implements)];
  });
}

/** From each function to the functions it calls and the classes it instantiates, if the name is unambiguous. */
function callsEdges({ path, fp, symbols, context }: EdgeSource): GraphEdge[] {
  return symbols.flatMap((symbol) => {
    if (symbol.kind !== "function") return [];
    const targets = (symbol.shape.calls ?? []).map((name) => resolveCall(path, fp, symbol.name, name, context));
    return targets.filter((target) => target !== undefined).map((target) => edge("calls", symbol.id, target));
  });
}
