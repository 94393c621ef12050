import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import type { Repo } from "./repo.js";

/** What a model would write about these files: prose, the functions it saw, and a link that no extractor finds. */
export function analysisOf(repo: Repo, paths: readonly string[], words: string) {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  for (const path of paths) {
    const file = `file:${path}`;
    const common = { filePath: path, tags: ["prose"], complexity: "simple" as const };
    nodes.push({ id: file, type: "file", name: path, summary: `${words}: ${path}`, ...common });
    for (const [, name = ""] of repo.read(path).matchAll(/export function (\w+)/g)) {
      const id = `function:${path}:${name}`;
      nodes.push({ id, type: "function", name, summary: `${words}: ${name}`, lineRange: [1, 3], ...common });
      edges.push({ source: file, target: id, type: "contains", direction: "forward", weight: 1 });
    }
    edges.push({ source: file, target: "file:src/b.ts", type: "related", direction: "forward", weight: 0.5 });
  }
  return { files: [...paths], nodes, edges };
}

export interface Applied {
  applied: string[];
  refused: { path: string; reason: string }[];
  pending: { filesToReanalyze: string[]; lease: unknown; lastError: string | null } | null;
}

/** Delivers a result the way an agent does: a file, and `apply`. */
export function applyTo(repo: Repo, result: unknown, ...args: string[]): Applied {
  const file = join(repo.base, "result.json");
  writeFileSync(file, JSON.stringify(result));
  const { code, stdout, stderr } = repo.ua("apply", file, ...args, "--json");
  if (code !== 0 && (code !== 5 || stdout === "")) throw new Error(`apply exited ${code}: ${stderr}`); // 5: nothing of it was taken
  return JSON.parse(stdout) as Applied;
}

export const GRAPH_FILE = ".understand-anything/knowledge-graph.json";

export function graphOf(repo: Repo): KnowledgeGraph {
  return JSON.parse(repo.read(GRAPH_FILE)) as KnowledgeGraph;
}

export function summaries(repo: Repo): Map<string, string> {
  return new Map(graphOf(repo).nodes.map(({ id, summary }) => [id, summary]));
}
