import { isTestPath } from "../fingerprint/paths.js";
import type { DocComments, FileFingerprint } from "../fingerprint/types.js";
import { classSummary, complexityOf, docField, fileSummary, functionSummary } from "./descriptions.js";
import { fileId } from "./ids.js";
import { languageOf } from "./language.js";
import { layersByTopDirectory } from "./layers.js";
import { byText } from "./order.js";
import { generatedDescription, type ProjectTexts } from "./project-texts.js";
import { baseOf } from "./resolve/file-index.js";
import { type FileSymbol, symbolsOf } from "./symbols.js";
import type { GraphHead, GraphNode } from "./types.js";

export { type EdgeContext, edgeContext } from "./edge-context.js";
export { edgesOfFile, isStructuralEdge } from "./edges.js";

interface HeadInput {
  name: string;
  /** What manifests and READMEs say. */
  texts?: ProjectTexts;
  commit: string;
  analyzedAt: string;
}

/** All but nodes and edges, for these files. */
export function buildHead({ name, texts, commit, analyzedAt }: HeadInput, paths: Iterable<string>): GraphHead {
  const files = [...paths];
  const languages = new Set(files.map((path) => languageOf(path)?.tag).filter((tag) => tag !== undefined));
  return {
    version: "1.0.0",
    project: {
      name,
      languages: [...languages].sort(byText),
      frameworks: texts?.frameworks ?? [],
      description: texts?.description ?? generatedDescription(name),
      analyzedAt,
      gitCommitHash: commit,
    },
    layers: layersByTopDirectory(files, texts?.directories),
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
    summary: fp.docs?.file ?? fileSummary(path, fp, symbols.length - classes, classes),
    tags: ["file", ...base],
    complexity: complexityOf("file", fp.totalLines),
    ...docField(fp.docs?.file),
  };
  return [file, ...symbols.map((symbol) => symbolNode(path, symbol, base, fp.docs))];
}

function symbolNode(path: string, symbol: FileSymbol, base: readonly string[], docs: DocComments = {}): GraphNode {
  const kind = symbol.kind === "class" ? symbol.shape.kind : symbol.owner === undefined ? "function" : "method";
  const [start, end] = symbol.lineRange;
  const sentence = sentenceOf(symbol.kind === "class" ? docs.classes : docs.functions, symbol.name);
  return {
    id: symbol.id,
    type: symbol.type,
    name: symbol.name,
    filePath: path,
    lineRange: symbol.lineRange,
    summary: sentence ?? generatedSummary(symbol),
    tags: [kind, ...base, ...(symbol.exported ? ["exported"] : [])],
    complexity: complexityOf(symbol.kind, end - start + 1),
    ...docField(sentence),
  };
}

function generatedSummary(symbol: FileSymbol): string {
  return symbol.kind === "class"
    ? classSummary(symbol.shape, symbol)
    : functionSummary(symbol.shape, { owner: symbol.owner, exported: symbol.exported });
}

/** A function can be called `constructor`. */
function sentenceOf(docs: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return docs !== undefined && Object.hasOwn(docs, name) ? docs[name] : undefined;
}
