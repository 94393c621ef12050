import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import { compareWithClean } from "../../src/updates/run.js";
import { analysisOf, applyTo, GRAPH_FILE, graphOf, summaries } from "../support/agent.js";
import { installedRepo, type Repo, repoAt } from "../support/repo.js";
import { checkGraph } from "../support/whole-graph.js";

const POINTS = ["graph.write", "fingerprints.write", "baseline.write", "baseline.written", "meta.write"];
const wider = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";

const killedAt = (repo: Repo, point: string) =>
  repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FAULT: `${point}:kill` });

async function assertWhole(repo: Repo, when: string): Promise<void> {
  for (const name of ["knowledge-graph.json", "fingerprints.json", "meta.json"]) {
    JSON.parse(repo.read(join(".understand-anything", name)));
  }
  assert.deepEqual(checkGraph(graphOf(repo)), [], when);
  assert.deepEqual(await withContext(await locateProject({ cwd: repo.dir, env: {} }), compareWithClean), [], when);
}

for (const point of POINTS) {
  test(`killed at ${point}: apply and a switch of branches are completed by the next process`, async (t) => {
    const repo = installedRepo(t);
    const before = repo.read(GRAPH_FILE);
    repo.git("checkout", "-q", "-b", "topic");
    repo.commit("wider", { "src/b.ts": wider, "src/c.ts": "export function c(): void {}\n" });
    const result = analysisOf(repo, ["src/b.ts", "src/c.ts"], "told");
    repo.write({ "result.json": JSON.stringify(result) });
    assert.equal(killedAt(repo, point).ua("apply", "result.json").code, -1, "killed");
    assert.equal(repo.uaJson("pending").state, "none", "what was delivered is not asked for again");
    assert.equal(summaries(repo).get("file:src/c.ts"), "told: src/c.ts");
    await assertWhole(repo, "after apply");

    killedAt(repo, point).git("checkout", "-q", "main");
    assert.equal(repo.uaJson("pending").state, "none");
    assert.equal(repo.read(GRAPH_FILE), before, "byte for byte");
    await assertWhole(repo, "after the switch");

    // Killed on the way to one branch, and only asked on another.
    killedAt(repo, point).git("checkout", "-q", "topic");
    repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS: "0" }).git("checkout", "-q", "main");
    assert.equal(repo.uaJson("pending").state, "none");
    assert.equal(repo.read(GRAPH_FILE), before);
    await assertWhole(repo, "after a switch back");
    const left = readdirSync(join(repo.dir, ".understand-anything")).filter((name) => name.endsWith(".tmp"));
    assert.ok(left.length <= 3, "nothing but what a kill left");
  });
}

for (const fault of ["export.write:kill", "graph.write:kill", "fingerprints.write:kill", "export.written:kill"]) {
  test(`${fault}: no tracked file is torn, and the next export completes it`, async (t) => {
    const repo = installedRepo(t);
    repo.git("add", "-f", ".understand-anything");
    repo.commit("the artefacts");
    repo.git("mv", "src/b.ts", "src/c.ts");
    repo.commit("moved", { "src/a.ts": repo.read("src/a.ts").replace("./b.js", "./c.js") });
    assert.equal(repo.ua("ack").code, 0, "so that nothing but the export is due");
    const killed = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FAULT: fault });
    assert.equal(killed.ua("export").code, -1, "killed");
    for (const name of ["knowledge-graph.json", "fingerprints.json", "meta.json"]) {
      JSON.parse(repo.read(join(".understand-anything", name)));
    }
    assert.equal(repo.ua("export").code, 0);
    assert.ok(summaries(repo).has("file:src/c.ts") && !summaries(repo).has("file:src/b.ts"));
    repo.commit("exported");
    assert.equal(repo.uaJson("status").status, "fresh");
    await assertWhole(repo, "after the export");
  });
}

test("a deleted data dir is restored, descriptions included", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": wider });
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "told"));
  const graph = repo.read(GRAPH_FILE);
  rmSync(join(repo.dir, ".understand-anything"), { recursive: true });
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(repo.read(GRAPH_FILE), graph);
  await assertWhole(repo, "afterwards");
  repo.commit("narrower", { "src/b.ts": "export function twice(): number {\n  return 2;\n}\n" });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
});
