import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { unpack } from "../../src/knowledge/packed.js";
import { hidesSomething } from "../../src/printable.js";
import { locateProject } from "../../src/repository/locate.js";
import { connect } from "../support/mcp.js";
import { installedRepo, type Repo, repoAt } from "../support/repo.js";
import { installInto } from "../support/round.js";
import { withState } from "../support/sound.js";

/** "Hide" in tag characters, which no font shows. */
const HIDDEN = "\u{e0048}\u{e0069}\u{e0064}\u{e0065}\u200b\u202e";
const GRAPH = ".understand-anything/knowledge-graph.json";

interface Graph {
  project: Record<string, unknown>;
  nodes: { id: string; name: string; summary: string; tags: string[] }[];
  layers: { description: string }[];
}

/** A clone of a repository that tracks its graph, with hidden text in every sentence of it. */
function cloneWithHidden(repo: Repo): Repo {
  const graph = JSON.parse(repo.read(GRAPH)) as Graph;
  graph.project.description = `A project${HIDDEN}.`;
  for (const layer of graph.layers) layer.description = `A layer${HIDDEN}.`;
  for (const node of graph.nodes) {
    node.summary = `About\tit${HIDDEN}.\nA second line.`;
    node.tags = [`tag${HIDDEN}`];
    if (node.id === "file:src/a.ts") node.name = `a.ts${HIDDEN}`;
  }
  repo.write({ [GRAPH]: JSON.stringify(graph) });
  repo.git("add", "-f", GRAPH);
  repo.git("commit", "-q", "-m", "track the graph");
  repo.git("clone", "-q", repo.dir, join(repo.base, "clone"));
  const clone = repo.at(join(repo.base, "clone"));
  installInto(clone);
  return clone;
}

test("a graph that git brought hides nothing from an agent", async (t) => {
  const clone = cloneWithHidden(installedRepo(t));
  const { call } = await connect(t, clone);
  const node = await call<Record<string, unknown>>("get_node", { id: "file:src/a.ts" });
  const text = JSON.stringify(node);
  assert.match(text, /About\\tit\.\\nA second line\./);
  assert.match(text, /"tag"/);
  assert.doesNotMatch(text, /u200b|u202e|udb40/, "also not escaped");
  assert.ok(!hidesSomething(text));
  clone.ua("export", "--descriptions", "../descriptions.jsonl");
  const exported = clone.read("../descriptions.jsonl");
  assert.match(exported, /About/);
  assert.ok(!hidesSomething(exported.replaceAll("\n", "")));
});

test("nor in the statements that the new core makes of it", async (t) => {
  const repo = installedRepo(t);
  const clone = cloneWithHidden(
    repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_CORE: "statements", UA_HOOKS_TEST_COMMANDS: "own" }),
  );
  clone.ua("status");
  const project = await locateProject({ cwd: clone.dir, env: {} });
  const texts = await withState(project, (db) => [
    ...db.all<{ text: string }>("SELECT text FROM statements WHERE text IS NOT NULL"),
    ...db.all<{ data: Uint8Array }>("SELECT data FROM slices WHERE data IS NOT NULL"),
  ]);
  const all = texts.map((row) => ("text" in row ? row.text : unpack(row.data))).join(" ");
  assert.match(all, /About\\tit\.\\nA second line\./);
  assert.match(all, /A layer\./);
  assert.ok(!hidesSomething(all));
});
