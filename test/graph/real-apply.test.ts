import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import type { GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import { applyResult } from "../../src/updates/update.js";
import { readWorktree } from "../../src/verification/read.js";
import { graphOf } from "../support/agent.js";
import { parseGraph } from "../support/parse-graph.js";
import { makeRepo, type Repo, repoAt } from "../support/repo.js";
import { loadSchemaCheck, noSchema } from "../support/understand-anything.js";
import { checkGraph } from "../support/whole-graph.js";

/** Made by Understand-Anything on its own code; lies beside the project where it is present at all. */
const fixture = resolve("../shared/fixtures/understand-anything/knowledge-graph.json");
const ROUNDS = process.env.UA_HOOKS_LONG === "1" ? 100 : 20;

/** A repository in which every file of the graph exists, with what the graph says is in it. */
function repoFor(t: Parameters<typeof makeRepo>[0], graph: KnowledgeGraph): Repo {
  const made = makeRepo(t);
  const repo = repoAt(made.dir, made.base, { ...made.env, UA_HOOKS: "0" });
  for (const path of filesOf(graph)) repo.write({ [path]: `${path}\n` });
  mkdirSync(join(repo.dir, ".understand-anything"), { recursive: true });
  const commit = repo.commit("start");
  const project = { ...graph.project, gitCommitHash: commit };
  writeFileSync(join(repo.dir, ".understand-anything/knowledge-graph.json"), JSON.stringify({ ...graph, project }));
  assert.equal(repo.ua("install", "--yes").code, 0);
  return repo;
}

const filesOf = (graph: KnowledgeGraph) => [...new Set(graph.nodes.flatMap(({ filePath }) => filePath ?? []))].sort();
const textsBut = (graph: KnowledgeGraph, path: string) =>
  graph.nodes.filter(({ filePath }) => filePath !== path).map((node) => JSON.stringify(node));

/** The file again as a model would tell it: the same nodes, one of them with other words, and one more. */
function retold(graph: KnowledgeGraph, path: string, round: number) {
  const own = graph.nodes.filter(({ filePath }) => filePath === path);
  const ids = new Set(own.map(({ id }) => id));
  const [first, ...rest] = own;
  if (first === undefined) throw new Error(`${path} has no node`);
  const id = `function:${path}:round${round}`;
  const added: GraphNode = { ...first, id, type: "function", name: `round${round}`, summary: `Round ${round}.` };
  const edges = graph.edges.filter(({ source }) => ids.has(source));
  edges.push({ source: first.id, target: id, type: "contains", direction: "forward", weight: 1 });
  return { files: [path], nodes: [{ ...first, summary: `Told in round ${round}.` }, ...rest, added], edges };
}

const skip = !existsSync(fixture) && "no sample graph here";
test(`a real graph goes through ${ROUNDS} updates by apply, with every untouched node byte-equal`, {
  skip,
}, async (t) => {
  const original = parseGraph(readFileSync(fixture, "utf8"));
  const repo = repoFor(t, original);
  const files = filesOf(original).filter((path) => /\.(ts|tsx|js|py|md)$/.test(path));
  const issuesOf = noSchema === false ? await loadSchemaCheck() : () => [];
  t.diagnostic(`Understand-Anything's own schema: ${noSchema === false ? "asked after every update" : noSchema}`);
  const known = new Set(issuesOf(original));
  for (let round = 0; round < ROUNDS; round++) {
    const path = files[(round * 7919) % files.length] ?? "";
    const before = graphOf(repo);
    repo.write({
      [path]: path.endsWith(".py") ? `def round${round}():\n    pass\n` : `export function round${round}() {}\n`,
    });
    repo.git("commit", "-q", "-a", "-m", `round ${round}`);
    const project = await locateProject({ cwd: repo.dir, env: {} });
    assert.deepEqual((await withContext(project, readWorktree)).marker?.filesToReanalyze, [path], `round ${round}`);
    const { applied, marker } = await withContext(project, (context) =>
      applyResult(context, retold(before, path, round), null),
    );
    assert.deepEqual([applied, marker], [[path], null]);
    const after = graphOf(repo);
    assert.deepEqual(checkGraph(after), []);
    assert.deepEqual(
      issuesOf(after).filter((issue) => !known.has(issue)),
      [],
    );
    // The first write brings another tool's graph into our order.
    const inOrder = (texts: string[]) => (round === 0 ? texts.sort() : texts);
    assert.deepEqual(inOrder(textsBut(after, path)), inOrder(textsBut(before, path)), `round ${round}`);
    const inbound = (graph: KnowledgeGraph) => graph.edges.filter(({ source }) => !source.includes(path)).length;
    assert.equal(inbound(after), inbound(before), "no edge of another file is lost");
  }
});
