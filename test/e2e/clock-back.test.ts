import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withEnv } from "../faults/world.js";
import { analysisOf, applyTo, GRAPH_FILE, graphOf, summaries } from "../support/agent.js";
import { installedRepo, type Repo } from "../support/repo.js";

const FUNCTION = "function:src/b.ts:twice";
const LAYER = { id: "layer:core", name: "Core", description: "What everything needs.", nodeIds: ["file:src/b.ts"] };
const CONCEPT = { id: "concept:doubling", type: "concept", name: "Doubling", tags: [], complexity: "simple" };

/** The same, by programs whose clock is some days behind. */
const behind = (repo: Repo) => withEnv(repo, { UA_HOOKS_FAULT: "*:clock=-86400000" });

/** Everything that can be written about this project. */
function written(repo: Repo, words: string) {
  const { nodes, ...rest } = analysisOf(repo, ["src/b.ts"], words);
  return {
    ...rest,
    nodes: [...nodes, { ...CONCEPT, summary: `${words}: concept` }],
    layers: [{ ...LAYER, description: `${words}: layer` }],
    tour: [{ order: 1, title: "Start", description: `${words}: tour`, nodeIds: ["file:src/b.ts"] }],
  };
}

function assertShown(repo: Repo, words: string): void {
  repo.uaJson("status");
  const { layers, tour } = graphOf(repo);
  const shown = summaries(repo);
  assert.equal(shown.get(FUNCTION), `${words}: twice`);
  assert.equal(shown.get("file:src/b.ts"), `${words}: src/b.ts`);
  assert.equal(shown.get(CONCEPT.id), `${words}: concept`);
  assert.equal(layers.find(({ id }) => id === LAYER.id)?.description, `${words}: layer`);
  assert.equal(tour[0]?.description, `${words}: tour`);
}

test("the clock was set back: what is delivered then stands, also after the graph was made anew", (t) => {
  const repo = installedRepo(t);
  applyTo(repo, written(repo, "first"));
  applyTo(behind(repo), written(repo, "second"));
  assertShown(repo, "second");
  assert.equal(behind(repo).ua("install", "--yes", "--rebuild").code, 0);
  assertShown(repo, "second");
  applyTo(behind(repo), written(repo, "first"));
  assertShown(repo, "first");
});

test("the clock was set back: what is written into the graph then stands", (t) => {
  const repo = installedRepo(t);
  applyTo(repo, written(repo, "agent"));
  repo.write({ [GRAPH_FILE]: repo.read(GRAPH_FILE).replaceAll("agent: ", "person: ") });
  behind(repo).uaJson("status");
  assertShown(repo, "person");
});

test("the clock was set back: what is written beside a tracked graph stands against what came with it", (t) => {
  const repo = installedRepo(t);
  applyTo(repo, written(repo, "agent"));
  repo.write({ [GRAPH_FILE]: repo.read(GRAPH_FILE).replaceAll("agent: ", "theirs: ") });
  repo.git("add", "-f", GRAPH_FILE);
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "the graph");
  assertShown(repo, "theirs");
  applyTo(behind(repo), written(repo, "agent"));
  repo.uaJson("export");
  assertShown(repo, "agent");
});

test("the clock was set back: a backup that is imported keeps its times", (t) => {
  const repo = installedRepo(t);
  const [backup, again] = ["first.jsonl", "again.jsonl"].map((name) => join(repo.base, name)) as [string, string];
  applyTo(repo, written(repo, "first"));
  assert.equal(repo.ua("export", "--descriptions", backup).code, 0);
  repo.git("clone", "-q", repo.dir, "../other");
  const other = repo.at(join(repo.base, "other"));
  assert.equal(other.ua("install", "--yes").code, 0);
  assert.equal(behind(other).ua("import", backup).code, 0);
  assert.equal(other.ua("export", "--descriptions", again).code, 0);
  assert.equal(readFileSync(again, "utf8"), readFileSync(backup, "utf8"));
});
