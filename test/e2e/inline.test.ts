import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import { compareWithClean } from "../../src/updates/run.js";
import { analysisOf, applyTo, GRAPH_FILE, graphOf, summaries } from "../support/agent.js";
import { installedRepo } from "../support/repo.js";

const wider = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";

test("inline: every commit is in the graph when git returns, cosmetic ones too, and words are kept", async (t) => {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": wider });
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "told"));
  repo.commit("inline from now on", { ".ua-hooksrc.json": JSON.stringify({ mode: "inline" }) });
  const nodeOf = (id: string) => graphOf(repo).nodes.find((node) => node.id === id);

  repo.commit("a comment", { "src/b.ts": `// one\n// two\n${wider}` });
  assert.deepEqual(nodeOf("function:src/b.ts:twice")?.lineRange, [3, 5], "lines have moved");
  assert.equal(nodeOf("function:src/b.ts:twice")?.summary, "told: twice");
  assert.equal(nodeOf("function:src/b.ts:twice")?.needsReview, undefined);

  repo.commit("changed, new, gone", {
    "src/b.ts": wider.replace("by = 2", "by = 2, more = 1"),
    "src/c.ts": 'import { twice } from "./b.js";\n\nexport function c(): number {\n  return twice(1);\n}\n',
  });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"], "a sentence about another interface is not fresh");
  assert.equal(nodeOf("function:src/b.ts:twice")?.summary, "told: twice");
  assert.ok(graphOf(repo).edges.some(({ source, target }) => source === "file:src/c.ts" && target === "file:src/b.ts"));
  repo.git("rm", "-q", "tools/run.py");
  repo.commit("gone");
  assert.equal(summaries(repo).has("file:tools/run.py"), false);
  assert.match(repo.ua("run").stdout, /1 file with descriptions that may have become false/);
  assert.equal(applyTo(repo, analysisOf(repo, ["src/b.ts"], "anew")).pending, null);
  assert.equal(nodeOf("function:src/b.ts:twice")?.summary, "anew: twice");
  assert.deepEqual(await withContext(await locateProject({ cwd: repo.dir, env: {} }), compareWithClean), []);
});

test("run does what is pending, says when there is nothing to do, and --full tells everything anew", (t) => {
  const repo = installedRepo(t);
  assert.equal(repo.uaJson("run").state, "nothing");
  assert.match(repo.ua("run").stdout, /--full/);
  repo.commit("wider", { "src/b.ts": wider });
  assert.equal(repo.uaJson("run").state, "done");
  assert.equal(repo.marker(), null);
  assert.equal(summaries(repo).get("function:src/b.ts:twice"), "Exported function with 2 parameters");
  const graph = graphOf(repo);
  assert.equal(repo.uaJson("run", "--full").state, "done");
  assert.deepEqual({ ...graphOf(repo), project: 0 }, { ...graph, project: 0 });

  const many = Array.from({ length: 8 }, (_, at) => [`src/m${at}.ts`, `export const m${at} = ${at};\n`]);
  repo.commit("many", Object.fromEntries(many));
  assert.equal(repo.marker()?.action, "FULL_UPDATE");
  assert.equal(repo.ua("claim").code, 2, "never started by itself");
  assert.equal(repo.uaJson("claim", "--full").state, "claimed");
  assert.equal(repo.uaJson("run", "--full").pending, null);
  assert.equal(repo.marker(), null);
});

test("tracked artefacts: hooks write the store only, typed commands and export write the tracked file", (t) => {
  const repo = installedRepo(t);
  repo.git("add", "-f", ".understand-anything/knowledge-graph.json", ".understand-anything/fingerprints.json");
  repo.git("add", "-f", ".understand-anything/meta.json");
  repo.commit("the artefacts");
  const tracked = repo.read(GRAPH_FILE);
  repo.git("mv", "src/b.ts", "src/c.ts");
  repo.commit("moved");
  assert.equal(repo.git("status", "--porcelain"), "");
  assert.equal(repo.read(GRAPH_FILE), tracked);
  assert.equal(existsSync(join(repo.dir, ".git/ua-hooks/data/knowledge-graph.json")), false, "there is no second copy");
  assert.ok((repo.uaJson<{ written: string[] }>("export").written ?? []).includes("knowledge-graph.json"));
  assert.ok(summaries(repo).has("file:src/c.ts"));
  repo.commit("exported");
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(repo.git("status", "--porcelain"), "");
});
