import assert from "node:assert/strict";
import { UaError } from "../../src/errors.js";
import { conflictSides } from "../../src/graph/conflict.js";
import { GraphError } from "../../src/graph/errors.js";
import { mergeGraphUpdate } from "../../src/graph/merge.js";
import { parseResult } from "../../src/graph/result.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import { checkConfig } from "../../src/repository/config.js";
import { parseJsonObject } from "../../src/store/files.js";
import fc from "../support/fast-check.js";
import { parseGraph } from "../support/parse-graph.js";
import { checkGraph } from "../support/whole-graph.js";
import { anyJson, damaged, fuzz } from "./fuzz.js";

const path = fc.constantFrom(
  "src/a.ts",
  "src/b.ts",
  "lib/c.py",
  "../out.ts",
  "/etc/passwd",
  "src/../../x",
  "é\u202e.ts",
);
const id = fc
  .tuple(fc.constantFrom("file:", "function:", "class:", ""), path, fc.constantFrom("", ":f", ":C.f"))
  .map((parts) => parts.join(""));
const node = fc.record(
  {
    id,
    type: fc.constantFrom("file", "function", "class", "document"),
    name: fc.string(),
    filePath: path,
    summary: fc.string(),
    tags: fc.array(fc.string()),
    complexity: fc.constantFrom("simple", "moderate", "complex", "?"),
    extra: anyJson(),
  },
  { requiredKeys: ["id", "type"] },
);
const edge = fc.record(
  {
    source: id,
    target: id,
    type: fc.constantFrom("contains", "imports", "calls"),
    direction: fc.constantFrom("forward", "both"),
    weight: fc.double(),
  },
  { requiredKeys: ["source", "target", "type"] },
);
const layer = fc.record(
  { id: fc.string(), name: fc.string(), description: fc.string(), nodeIds: fc.array(id) },
  { requiredKeys: ["id", "nodeIds"] },
);
const graph = fc.record(
  {
    version: fc.constant("1.0.0"),
    project: fc.record({
      name: fc.string(),
      languages: fc.array(fc.string()),
      frameworks: fc.array(fc.string()),
      description: fc.string(),
      analyzedAt: fc.string(),
      gitCommitHash: fc.string(),
    }),
    nodes: fc.array(node, { maxLength: 6 }),
    edges: fc.array(edge, { maxLength: 6 }),
    layers: fc.array(layer, { maxLength: 3 }),
    tour: fc.array(anyJson(), { maxLength: 2 }),
  },
  { requiredKeys: ["project", "nodes", "edges"] },
);

const readsOrRefuses = <T>(read: () => T, refusal: new (...rest: never[]) => Error): T | undefined => {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof refusal, `${error}`);
    return undefined;
  }
};

fuzz("a graph of any shape is read or refused with a sentence", fc.oneof(graph, anyJson()), (value) => {
  const read = readsOrRefuses(() => parseGraph(JSON.stringify(value) ?? ""), GraphError);
  if (read !== undefined) for (const problem of checkGraph(read)) assert.match(problem, /\.$/);
});

fuzz(
  "a graph's text that is damaged is read or refused",
  damaged(graph.map((value) => JSON.stringify(value, null, 2))),
  (bytes) => {
    readsOrRefuses(() => parseGraph(bytes), GraphError);
  },
);

fuzz("a delivered result is taken or refused, and no path in it leads out", fc.oneof(graph, anyJson()), (value) => {
  const result = readsOrRefuses(() => parseResult(JSON.stringify(value) ?? "", "/home/project"), UaError);
  for (const name of [...(result?.files ?? []), ...(result?.nodes ?? []).map((one) => one.filePath)]) {
    if (typeof name === "string") assert.ok(!name.startsWith("/") && !name.split("/").includes(".."), name);
  }
});

fuzz(
  "whatever two graphs say, their merge holds together",
  fc.tuple(graph, graph, fc.array(path)),
  ([base, update, changed]) => {
    const known = readsOrRefuses(() => parseGraph(JSON.stringify(base)), GraphError);
    const told = readsOrRefuses(() => parseGraph(JSON.stringify(update)), GraphError);
    if (known === undefined || told === undefined) return;
    const before = JSON.stringify(known);
    const merged: KnowledgeGraph = mergeGraphUpdate(known, changed, told.nodes, told.edges, "0".repeat(40));
    assert.equal(JSON.stringify(known), before, "the graph that was given is as it was");
    const ids = new Set(merged.nodes.map((one) => one.id));
    for (const one of told.nodes) assert.ok(ids.has(one.id));
  },
);

fuzz(
  "an artefact's text is an object, or damage with a way out",
  damaged(anyJson().map((value) => JSON.stringify(value) ?? "")),
  (bytes) => {
    const value = readsOrRefuses(() => parseJsonObject(bytes.toString("utf8"), "meta.json"), UaError);
    if (value !== undefined) assert.equal(typeof value, "object");
  },
);

fuzz(
  "a config is taken or every wrong key is named",
  fc.oneof(
    anyJson(),
    fc.record(
      { mode: anyJson(), thresholds: anyJson(), analyzer: anyJson(), include: anyJson() },
      { requiredKeys: [] },
    ),
  ),
  (value) => {
    const config = readsOrRefuses(() => checkConfig(value, ".ua-hooksrc"), UaError);
    if (config === undefined) return;
    assert.ok(["marker", "inline"].includes(config.mode));
    assert.ok(config.thresholds.full > 0 && config.include.every((glob) => typeof glob === "string"));
  },
);

const line = fc.constantFrom("<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> topic", '  "a": 1,', "{", "}", "");
fuzz("sides of a conflict: no marker is left in either", fc.array(line, { maxLength: 12 }), (lines) => {
  const sides = conflictSides(lines.join("\n"));
  for (const text of sides === null ? [] : [sides.ours, sides.theirs, sides.base ?? ""]) {
    assert.doesNotMatch(text, /^(<{7}|>{7}|={7}|\|{7})/m);
  }
});
