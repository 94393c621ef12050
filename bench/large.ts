import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GraphEdge, GraphNode } from "../src/graph/types.js";
import { withContext } from "../src/repository/context.js";
import { locateProject } from "../src/repository/locate.js";
import { applyResult } from "../src/updates/update.js";
import { readWorktree } from "../src/verification/read.js";
import type { Part } from "./bench.js";
import { interleave, row } from "./measure.js";
import { git, installOurs, makeRepo, type Place } from "./repos.js";

const FILES = 5_000;
const NODES_EACH = 10;
const EDGES_EACH = 30;

const aNode = (id: string, type: string, filePath: string): GraphNode => ({
  ...{ id, type, name: id.slice(id.lastIndexOf(":") + 1), filePath, summary: `About ${id}`, tags: ["prose"] },
  complexity: "simple",
});

const anEdge = (source: string, target: string, type: string): GraphEdge => ({
  ...{ source, target, type, direction: "forward", weight: 0.7 },
});

/** 50,000 nodes and 150,000 edges about files without a grammar, so that nothing is measured but the graph. */
function prepare(place: Place, paths: readonly string[]): void {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  for (const [at, path] of paths.entries()) {
    const file = `file:${path}`;
    nodes.push(aNode(file, "file", path));
    for (let f = 1; f < NODES_EACH; f++) {
      nodes.push(aNode(`function:${path}:f${f}`, "function", path));
      edges.push(anEdge(file, `function:${path}:f${f}`, "contains"));
    }
    for (let e = NODES_EACH; e <= EDGES_EACH; e++)
      edges.push(anEdge(file, `file:${paths[(at + e) % FILES]}`, "related"));
    writeAt(place, path, `${path}\n`);
  }
  git(place, "add", "-A");
  git(place, "commit", "-q", "-m", "start");
  const layers = [{ id: "layer:all", name: "", description: "", nodeIds: paths.map((path) => `file:${path}`) }];
  const gitCommitHash = git(place, "rev-parse", "HEAD").trim();
  const project = { name: "", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash };
  const graph = { version: "1.0.0", project, nodes, edges, layers, tour: [] };
  writeAt(place, GRAPH, JSON.stringify(graph, null, 2));
  installOurs(place, "--yes");
}

const GRAPH = ".understand-anything/knowledge-graph.json";

function writeAt({ dir }: Place, path: string, text: string): void {
  mkdirSync(join(dir, path, ".."), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** One file of a large graph analyzed again, against reading and writing that graph once. */
export const largeGraphRows: Part = async ({ base, rounds }) => {
  const place = makeRepo(base, "graph", 1);
  const paths = Array.from({ length: FILES }, (_, at) => `dir${at % 50}/file${String(at).padStart(5, "0")}.sql`).sort();
  prepare(place, paths);
  const path = paths[FILES / 2] ?? "";
  let round = 0;
  const samples = await interleave(rounds(21), {
    once: () => {
      const started = performance.now();
      const graph: unknown = JSON.parse(readFileSync(join(place.dir, GRAPH), "utf8"));
      writeFileSync(join(place.dir, "../copy.json"), `${JSON.stringify(graph, null, 2)}\n`);
      return performance.now() - started;
    },
    apply: async () => {
      writeAt(place, path, `${path} ${round}\n`);
      git({ ...place, env: { ...place.env, UA_HOOKS: "0" } }, "commit", "-q", "-a", "-m", `round ${round}`);
      const project = await locateProject({ cwd: place.dir, env: {} });
      await withContext(project, readWorktree);
      const file = { ...aNode(`file:${path}`, "file", path), summary: `round ${round++}` };
      const started = performance.now();
      const { marker } = await withContext(project, (context) =>
        applyResult(context, { files: [path], nodes: [file], edges: [] }, null),
      );
      if (marker !== null) throw new Error(`still pending: ${marker.reason}`);
      return performance.now() - started;
    },
  });
  const what = "one file analyzed again in 50,000 nodes and 150,000 edges ÷ reading and writing the graph";
  return [row(what, samples.get("apply") ?? [], samples.get("once") ?? [], 2)];
};
