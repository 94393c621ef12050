import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import { analysisOf, applyTo, GRAPH_FILE, graphOf } from "../support/agent.js";
import { installedRepo, type Repo } from "../support/repo.js";

const LAYER = { id: "layer:core", name: "Core", description: "What everything needs." };
const STEP = { order: 1, title: "Start", description: "Begin here.", nodeIds: ["file:src/b.ts"] };
const CONCEPT = { id: "concept:doubling", type: "concept", name: "Doubling", summary: "Twice a number." };
const LINK = { source: CONCEPT.id, target: "file:src/b.ts", type: "related", direction: "forward", weight: 0.5 };

/** A repository in which an agent delivered layers, a tour and a concept. `old`: the graph before that. */
function writtenRepo(t: TestContext): { repo: Repo; old: string } {
  const repo = installedRepo(t);
  const old = repo.read(GRAPH_FILE);
  const { files, nodes, edges } = analysisOf(repo, ["src/b.ts"], "agent");
  applyTo(repo, {
    ...{ files, nodes: [...nodes, { ...CONCEPT, tags: [], complexity: "simple" }], edges: [...edges, LINK] },
    layers: [{ ...LAYER, nodeIds: graphOf(repo).nodes.flatMap(({ id, type }) => (type === "file" ? [id] : [])) }],
    tour: [STEP],
  });
  return { repo, old };
}

function assertKept(repo: Repo): void {
  repo.uaJson("status");
  const { nodes, edges, layers, tour } = graphOf(repo);
  assert.deepEqual(tour, [STEP]);
  const [core, ...others] = layers;
  assert.deepEqual([{ ...core, nodeIds: [] }, ...others], [{ ...LAYER, nodeIds: [] }]);
  assert.ok(core?.nodeIds.includes("file:src/b.ts"));
  assert.equal(nodes.find(({ id }) => id === CONCEPT.id)?.summary, CONCEPT.summary);
  assert.ok(edges.some(({ source, target }) => source === LINK.source && target === LINK.target));
}

test("an old copy of the graph takes away neither layers, nor the tour, nor a node without a file", (t) => {
  const { repo, old } = writtenRepo(t);
  assertKept(repo);
  const bytes = repo.read(GRAPH_FILE);
  repo.write({ [GRAPH_FILE]: old });
  assertKept(repo);
  assert.equal(repo.read(GRAPH_FILE), bytes);
  assert.deepEqual(repo.uaJson<{ differences: string[] }>("verify", "--against-clean").differences, []);
});

test("what another tool writes about them stands, also against an old copy", (t) => {
  const { repo, old } = writtenRepo(t);
  const edited = repo.read(GRAPH_FILE).replace(STEP.description, "Begin there.").replace(CONCEPT.summary, "Two times.");
  repo.write({ [GRAPH_FILE]: edited });
  const assertEdited = () => {
    repo.uaJson("status");
    const { nodes, tour } = graphOf(repo);
    assert.equal(tour[0]?.description, "Begin there.");
    assert.equal(nodes.find(({ id }) => id === CONCEPT.id)?.summary, "Two times.");
  };
  assertEdited();
  repo.write({ [GRAPH_FILE]: old });
  assertEdited();
});

test("a visit to a branch that tracks an old graph: back again, layers, tour and concepts are there", (t) => {
  const { repo, old } = writtenRepo(t);
  repo.git("checkout", "-q", "-b", "tracks");
  repo.write({ [GRAPH_FILE]: old.replace('"tour": []', `"tour": [${JSON.stringify({ ...STEP, title: "Theirs" })}]`) });
  repo.git("add", "-f", GRAPH_FILE);
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "the graph");
  repo.uaJson("status");
  repo.git("checkout", "-q", "main");
  assertKept(repo);
});

test("a rebuild, and a graph that was deleted, keep them", (t) => {
  const { repo } = writtenRepo(t);
  assert.equal(repo.ua("install", "--yes", "--rebuild").code, 0);
  assertKept(repo);
  rmSync(join(repo.dir, GRAPH_FILE));
  assertKept(repo);
});

test("what the README says is no older text: a rebuild takes what it says now", (t) => {
  const repo = installedRepo(t);
  const description = () => graphOf(repo).project.description;
  repo.commit("readme", { "README.md": "# It\n\nDoubles numbers.\n" });
  assert.equal(repo.ua("install", "--yes", "--rebuild").code, 0);
  assert.equal(description(), "Doubles numbers.");
  repo.commit("readme", { "README.md": "# It\n\nTriples numbers.\n" });
  assert.equal(repo.ua("install", "--yes", "--rebuild").code, 0);
  assert.equal(description(), "Triples numbers.");
});

/** The graph as another tool wrote it then; without the concept where `concept` is null. */
function byAnotherTool(repo: Repo, made: number, concept: Partial<GraphNode> | null): string {
  const graph = graphOf(repo);
  const nodes = graph.nodes.filter(({ id }) => id !== CONCEPT.id);
  const whole = { ...CONCEPT, tags: [], complexity: "simple" as const, ...concept } as GraphNode;
  return JSON.stringify({
    ...graph,
    project: { ...graph.project, analyzedAt: new Date(made).toISOString() },
    nodes: concept === null ? nodes : [...nodes, whole],
    edges: graph.edges.filter(({ source }) => source !== CONCEPT.id),
  });
}

function arrives(repo: Repo, graph: string): string | undefined {
  repo.write({ [GRAPH_FILE]: graph });
  repo.uaJson("status");
  return graphOf(repo).nodes.find(({ id }) => id === CONCEPT.id)?.summary;
}

test("a newer graph of another tool without a concept takes it away; old copies and a rebuild do not bring it back", (t) => {
  const { repo } = writtenRepo(t);
  assertKept(repo);
  const backup = repo.read(GRAPH_FILE);
  assert.equal(arrives(repo, byAnotherTool(repo, Date.now(), null)), undefined);
  assert.equal(arrives(repo, backup), undefined);
  assert.equal(repo.ua("install", "--yes", "--rebuild").code, 0);
  assert.ok(!graphOf(repo).nodes.some(({ id }) => id === CONCEPT.id));
  assert.equal(arrives(repo, byAnotherTool(repo, Date.now(), {})), CONCEPT.summary, "a still newer one has it again");
  assert.deepEqual(repo.uaJson<{ differences: string[] }>("verify", "--against-clean").differences, []);
});

test("a concept stays against a graph that is older than it, made in the future, of no known time, or without any written text", (t) => {
  const { repo, old } = writtenRepo(t);
  assertKept(repo);
  const without = byAnotherTool(repo, Date.now(), null);
  const generated = JSON.parse(old) as KnowledgeGraph;
  const timed = (analyzedAt: string) =>
    JSON.stringify({ ...JSON.parse(without), project: { ...generated.project, analyzedAt } });
  const hour = 3_600_000;
  for (const [why, graph] of [
    ["older", byAnotherTool(repo, Date.now() - hour, null)],
    ["future", byAnotherTool(repo, Date.now() + hour, null)],
    ["no time", timed("yesterday")],
    [
      "nothing written",
      JSON.stringify({ ...generated, project: { ...generated.project, analyzedAt: new Date().toISOString() } }),
    ],
  ] as const) {
    assert.equal(arrives(repo, graph), CONCEPT.summary, why);
  }
});

test("a visit to a branch that tracks a newer graph without a concept takes nothing away", (t) => {
  const { repo } = writtenRepo(t);
  assertKept(repo);
  const newer = byAnotherTool(repo, Date.now(), null);
  const noHooks = ["-c", "core.hooksPath=/dev/null"];
  repo.git(...noHooks, "checkout", "-q", "-b", "tracks");
  repo.write({ [GRAPH_FILE]: newer });
  repo.git("add", "-f", GRAPH_FILE);
  repo.env.GIT_COMMITTER_DATE = new Date(Date.now() + 3_600_000).toISOString(); // git knows no parts of a second
  repo.git(...noHooks, "commit", "-q", "-m", "the graph");
  delete repo.env.GIT_COMMITTER_DATE;
  repo.uaJson("status");
  repo.git("checkout", "-q", "main");
  assertKept(repo);
});

test("a concept that a newer graph took away is there again where it is written anew", (t) => {
  const { repo } = writtenRepo(t);
  assertKept(repo);
  assert.equal(arrives(repo, byAnotherTool(repo, Date.now(), null)), undefined);
  const { files, nodes, edges } = analysisOf(repo, ["src/b.ts"], "agent");
  applyTo(repo, { files, nodes: [...nodes, { ...CONCEPT, tags: [], complexity: "simple" }], edges });
  assert.equal(graphOf(repo).nodes.find(({ id }) => id === CONCEPT.id)?.summary, CONCEPT.summary);
  assert.equal(arrives(repo, byAnotherTool(repo, Date.now() - 3_600_000, null)), CONCEPT.summary);
});

test("a node that has a file now is not there twice", (t) => {
  const { repo } = writtenRepo(t);
  const graph = graphOf(repo);
  const nodes = graph.nodes.map((node) => (node.id === CONCEPT.id ? { ...node, filePath: "src/b.ts" } : node));
  repo.write({ [GRAPH_FILE]: JSON.stringify({ ...graph, nodes }, null, 2) });
  repo.uaJson("status");
  const found = graphOf(repo).nodes.filter(({ id }) => id === CONCEPT.id);
  assert.deepEqual(
    found.map(({ filePath }) => filePath),
    ["src/b.ts"],
  );
});
