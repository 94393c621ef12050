import type { ClassFingerprint, FileFingerprint, FunctionFingerprint } from "../../src/fingerprint/types.js";
import { createResolver, type Resolver } from "../../src/graph/imports.js";
import { resolverConfigFiles } from "../../src/graph/resolver-configs.js";
import type { GraphEdge, GraphNode } from "../../src/graph/types.js";

/** A project as a map of paths to texts; only config files need a text. */
export function resolverFor(files: Record<string, string>): Resolver {
  const paths = Object.keys(files);
  const readable = new Set(resolverConfigFiles(paths));
  return createResolver(paths, { readText: (path) => (readable.has(path) ? files[path] : undefined) });
}

export function aFunction(name: string, over: Partial<FunctionFingerprint> = {}): FunctionFingerprint {
  return { name, params: [], exported: false, lineCount: 3, lineRange: [1, 3], signature: "", hash: "", ...over };
}

export function aClass(name: string, over: Partial<ClassFingerprint> = {}): ClassFingerprint {
  return {
    name,
    methods: [],
    properties: [],
    exported: false,
    lineCount: 10,
    lineRange: [1, 10],
    kind: "class",
    extends: [],
    implements: [],
    signature: "",
    hash: "",
    ...over,
  };
}

export function aFile(filePath: string, over: Partial<FileFingerprint> = {}): FileFingerprint {
  return {
    filePath,
    contentHash: "",
    functions: [],
    classes: [],
    imports: [],
    exports: [],
    totalLines: 20,
    hasStructuralAnalysis: true,
    extractor: "test/1",
    tokenHash: "",
    ...over,
  };
}

export function fingerprintsOf(...files: FileFingerprint[]): Map<string, FileFingerprint> {
  return new Map(files.map((file) => [file.filePath, file]));
}

export function aNode(id: string, over: Partial<GraphNode> = {}): GraphNode {
  const [type = "", filePath = "", name = filePath.slice(filePath.lastIndexOf("/") + 1)] = id.split(":");
  return { id, type, name, filePath, summary: `About ${name}`, tags: ["prose"], complexity: "simple", ...over };
}

export function anEdge(source: string, target: string, type = "imports", over: Partial<GraphEdge> = {}): GraphEdge {
  return { source, target, type, direction: "forward", weight: 0.7, ...over };
}

export const edgeText = ({ source, type, target }: GraphEdge) => `${source} ${type} ${target}`;
