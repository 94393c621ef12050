import assert from "node:assert/strict";
import { test } from "node:test";
import { UaError } from "../../src/errors.js";
import { parseResult } from "../../src/graph/result.js";

const ROOT = "/home/someone/project";
const read = (value: unknown) => parseResult(JSON.stringify(value), ROOT);
const refused = (value: unknown, said: RegExp) =>
  assert.throws(
    () => (typeof value === "string" ? parseResult(value, ROOT) : read(value)),
    (error) => error instanceof UaError && error.code === "usage" && said.test(error.message),
    String(said),
  );
const node = { id: "file:src/a.ts", type: "file", filePath: "src/a.ts", summary: "Adds.", tags: ["x"], name: "a.ts" };

test("result: what is missing gets its default, what we don't know passes through", () => {
  const { nodes, edges, files, ...rest } = read({
    nodes: [
      { ...node, colour: "red" },
      { id: "function:src/a.ts:f", type: "function", filePath: "src/a.ts", tags: null },
    ],
    edges: [{ source: "file:src/a.ts", target: "function:src/a.ts:f", type: "contains", certainty: 1 }],
  });
  assert.deepEqual(files, ["src/a.ts"], "the files of the nodes");
  assert.equal(nodes[0]?.colour, "red");
  const { name, summary, tags, complexity } = nodes[1] ?? {};
  assert.deepEqual([name, summary, tags, complexity], ["f", "", [], "moderate"]);
  assert.deepEqual(edges[0], {
    ...{ source: "file:src/a.ts", target: "function:src/a.ts:f", type: "contains", direction: "forward" },
    ...{ weight: 0.5, certainty: 1 },
  });
  assert.deepEqual(rest, {}, "no architecture and no tour unless there is one");
});

test("result: absolute paths in the project become relative, everywhere", () => {
  const result = read({
    files: [`${ROOT}/src/a.ts`, "./src/b.ts"],
    nodes: [{ ...node, id: `file:${ROOT}/src/a.ts`, filePath: `${ROOT}/src/a.ts` }],
    edges: [{ source: `file:${ROOT}/src/a.ts`, target: "file:./src/b.ts", type: "imports" }],
    layers: [{ id: "layer:src", nodeIds: [`file:${ROOT}/src/a.ts`] }],
    tour: [{ title: "Start", nodeIds: [`file:${ROOT}/src/a.ts`] }],
  });
  assert.deepEqual(result.files, ["src/a.ts", "src/b.ts"]);
  assert.deepEqual([result.nodes[0]?.id, result.nodes[0]?.filePath], ["file:src/a.ts", "src/a.ts"]);
  assert.deepEqual([result.edges[0]?.source, result.edges[0]?.target], ["file:src/a.ts", "file:src/b.ts"]);
  assert.deepEqual(result.layers?.[0], {
    id: "layer:src",
    nodeIds: ["file:src/a.ts"],
    name: "layer:src",
    description: "",
  });
  assert.deepEqual(result.tour?.[0]?.order, 1);
});

test("result: a path that leaves the project is refused, and the node named", () => {
  const out = (filePath: string) => ({ nodes: [{ ...node, id: "concept:x", filePath }], edges: [] });
  refused(out("../secret.ts"), /Node concept:x names a path outside the project: "..\/secret.ts"/);
  refused(out("/etc/passwd"), /Node concept:x names a path outside/);
  refused(out(`${ROOT}2/a.ts`), /outside the project/);
  refused(out("src/../../a.ts"), /outside the project/);
  refused({ nodes: [], edges: [], files: ["../a.ts"] }, /"files" names a path outside/);
  refused({ nodes: [{ ...node, id: "file:../a.ts", filePath: undefined }], edges: [] }, /Node file:..\/a.ts/);
});

test("result: what is wrong is named with its node, edge and field", () => {
  refused("", /It is empty/);
  refused("nope", /It is not JSON/);
  refused("```json\n{}\n```", /Markdown fence/);
  refused([], /It is a list, not an object/);
  refused({ edges: [] }, /It has no "nodes"/);
  refused({ nodes: [], edges: {} }, /Its "edges" is an object, not a list/);
  refused({ nodes: [node, { id: "x" }], edges: [] }, /Node 1 \(x\) has no "type"/);
  refused({ nodes: [{ ...node, tags: "x" }], edges: [] }, /Node 0 \(file:src\/a.ts\): "tags" is a string, not a list/);
  refused({ nodes: [{ ...node, complexity: "hard" }], edges: [] }, /"complexity" is a string, not "simple"/);
  refused({ nodes: [{ ...node, lineRange: [1] }], edges: [] }, /"lineRange" is a list, not two line numbers/);
  refused({ nodes: [], edges: [{ source: "a", target: "b" }] }, /Edge 0 \(a → b\) has no "type"/);
  refused({ nodes: [], edges: [], files: "src/a.ts" }, /"files" is a string, not a list of strings/);
  refused({ nodes: [], edges: [], layers: [{ id: "l" }] }, /Layer 0 \(l\) has no "nodeIds"/);
  refused({ nodes: [], edges: [], tour: [{ nodeIds: [] }] }, /Tour step 0 has no "title"/);
});

test("result: too deep and too large are refused before they are read", () => {
  refused(`{"nodes":[],"edges":[],"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /nested deeper than 100/);
  assert.equal(
    read({ nodes: [{ ...node, summary: '{[{["\\"'.repeat(200) }], edges: [] }).nodes.length,
    1,
    "in a string",
  );
  refused(" ".repeat(64 * 1024 * 1024 + 1), /larger than 64 MB/);
});
