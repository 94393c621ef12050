import assert from "node:assert/strict";
import { test } from "node:test";
import { analysisOf, applyTo, graphOf } from "../support/agent.js";
import { installedRepo } from "../support/repo.js";
import { loadSchemaCheck, noSchema } from "../support/understand-anything.js";

test("Understand-Anything's own schema finds nothing to mend in what we write", { skip: noSchema }, async (t) => {
  const issuesOf = await loadSchemaCheck();
  assert.notDeepEqual(issuesOf({ nodes: [], edges: [] }), [], "it is its check");
  const repo = installedRepo(t);
  assert.deepEqual(issuesOf(graphOf(repo)), [], "of install");
  const body = (sum: string) => `export function twice(x: number, by = 2): number {\n  return ${sum};\n}\n`;
  repo.commit("wider", { "src/b.ts": body("x * by"), "src/new.ts": "export const one = 1;\n" });
  applyTo(repo, analysisOf(repo, ["src/b.ts"], "agent"));
  assert.deepEqual(issuesOf(graphOf(repo)), [], "of apply");
  repo.commit("another body", { "src/b.ts": body("by * x") });
  assert.equal(repo.ua("run").code, 0);
  assert.ok(graphOf(repo).nodes.some(({ describes }) => describes !== undefined));
  assert.deepEqual(issuesOf(graphOf(repo)), [], "of run");
});
