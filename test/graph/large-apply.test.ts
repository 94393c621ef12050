import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { GraphEdge, GraphNode } from "../../src/graph/types.js";
import { readView } from "../../src/hook/read.js";
import { applyResult } from "../../src/hook/update.js";
import { locateProject } from "../../src/project/locate.js";
import { GRAPH_FILE } from "../support/agent.js";
import { makeRepo, repoAt } from "../support/repo.js";
import { aNode, anEdge } from "./support.js";

const FILES = 5_000;
const paths = Array.from({ length: FILES }, (_, at) => `dir${at % 50}/file${String(at).padStart(5, "0")}.sql`).sort();

const skip = process.env.UA_HOOKS_LONG !== "1" && "takes long: UA_HOOKS_LONG=1";
test("one file told anew in a graph of 50,000 nodes costs about twice reading and writing it", { skip }, async (t) => {
  const made = makeRepo(t);
  const repo = repoAt(made.dir, made.base, { ...made.env, UA_HOOKS: "0" });
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  for (const [at, path] of paths.entries()) {
    nodes.push(aNode(`file:${path}`));
    for (let f = 0; f < 9; f++) nodes.push(aNode(`function:${path}:f${f}`));
    for (let f = 0; f < 9; f++) edges.push(anEdge(`file:${path}`, `function:${path}:f${f}`, "contains"));
    for (let e = 1; e <= 21; e++) edges.push(anEdge(`file:${path}`, `file:${paths[(at + e) % FILES]}`, "related"));
  }
  const start = repo.commit("start", Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
  const layers = [{ id: "layer:all", name: "", description: "", nodeIds: paths.map((path) => `file:${path}`) }];
  const about = { name: "", languages: [], frameworks: [], description: "", analyzedAt: "", gitCommitHash: start };
  mkdirSync(join(repo.dir, ".understand-anything"));
  const file = join(repo.dir, GRAPH_FILE);
  const graph = { version: "1.0.0", project: about, nodes, edges, layers, tour: [] };
  writeFileSync(file, JSON.stringify(graph, null, 2));
  assert.equal(repo.ua("install", "--yes").code, 0);
  const path = paths[2_500] ?? "";
  const spent: number[] = [];
  for (let round = 0; round < 3; round++) {
    repo.commit(`round ${round}`, { [path]: `${path} ${round}\n` });
    const project = await locateProject({ cwd: repo.dir, env: {} });
    assert.deepEqual((await readView(project)).marker?.filesToReanalyze, [path]);
    const result = { files: [path], nodes: [aNode(`file:${path}`, { summary: `round ${round}` })], edges: [] };
    const started = performance.now();
    assert.equal((await applyResult(project, result, null)).marker, null);
    spent.push(performance.now() - started);
  }
  const started = performance.now();
  writeFileSync(join(repo.base, "copy.json"), JSON.stringify(JSON.parse(readFileSync(file, "utf8")), null, 2));
  const once = performance.now() - started;
  const rounded = spent.map((ms) => ms.toFixed(0)).join(", ");
  assert.ok(Math.min(...spent) < 3 * once, "the apply judges twice and asks git besides");
  t.diagnostic(`applied in ${rounded} ms; read and written once in ${once.toFixed(0)} ms`);
});
