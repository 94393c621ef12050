import { isTestPath } from "../fingerprint/paths.js";
import type { FileFingerprint } from "../fingerprint/types.js";
import { classSummary, complexityOf, fileSummary, functionSummary } from "./descriptions.js";
import { edgeContext } from "./edge-context.js";
import { edgesOfFile } from "./edges.js";
import { fileId } from "./ids.js";
import type { Resolver } from "./imports.js";
import { languageOf } from "./language.js";
import { layersByTopDirectory } from "./layers.js";
import { byText } from "./order.js";
import { baseOf } from "./resolve/file-index.js";
import { type FileSymbol, symbolsOf } from "./symbols.js";
import type { GraphNode, KnowledgeGraph } from "./types.js";

export { type EdgeContext, edgeContext } from "./edge-context.js";
export { edgesOfFile, isStructuralEdge } from "./edges.js";

export interface BuildInput {
  name: string;
  commit: string;
  analyzedAt: string;
  fingerprints: ReadonlyMap<string, FileFingerprint>;
  resolver: Resolver;
}

/** Builds the structural graph, file by file in the order of paths, so that one file can be rebuilt alone. */
export function buildGraph({ name, commit, analyzedAt, fingerprints, resolver }: BuildInput): KnowledgeGraph {
  const files = [...fingerprints].sort(([a], [b]) => byText(a, b));
  const context = edgeContext(fingerprints, resolver);
  const languages = new Set(files.map(([path]) => languageOf(path)?.tag).filter((tag) => tag !== undefined));
  return {
    version: "1.0.0",
    project: {
      name,
      languages: [...languages].sort(byText),
      frameworks: [],
      description: `Structure of ${name}, as its source files show it`,
      analyzedAt,
      gitCommitHash: commit,
    },
    nodes: files.flatMap(([path, fp]) => nodesOfFile(path, fp)),
    edges: files.flatMap(([path, fp]) => edgesOfFile(path, fp, context)),
    layers: layersByTopDirectory(fingerprints.keys()),
    tour: [],
  };
}

/** The file's own node first, then its declarations by position. Depends only on the file. */
export function nodesOfFile(path: string, fp: FileFingerprint): GraphNode[] {
  const symbols = symbolsOf(path, fp);
  const base = [languageOf(path)?.tag, isTestPath(path) ? "test" : undefined].filter((tag) => tag !== undefined);
  const classes = symbols.filter(({ kind }) => kind === "class").length;
  const file: GraphNode = {
    id: fileId(path),
    type: "file",
    name: baseOf(path),
    filePath: path,
    summary: fileSummary(path, fp, symbols.length - classes, classes),
    tags: ["file", ...base],
    complexity: complexityOf("file", fp.totalLines),
  };
  return [file, ...symbols.map((symbol) => symbolNode(path, symbol, base))];
}

function symbolNode(path: string, symbol: FileSymbol, base: readonly string[]): GraphNode {
  const kind = symbol.kind === "class" ? symbol.shape.kind : symbol.owner === undefined ? "function" : "method";
  const [start, end] = symbol.lineRange;
  return {
    id: symbol.id,
    type: symbol.kind,
    name: symbol.name,
    filePath: path,
    lineRange: symbol.lineRange,
    summary:
      symbol.kind === "class"
        ? classSummary(symbol.shape, symbol.exported)
        : functionSummary(symbol.shape, symbol.owner, symbol.exported),
    tags: [kind, ...base, ...(symbol.exported ? ["exported"] : [])],
    complexity: complexityOf(symbol.kind, end - start + 1),
  };
}
