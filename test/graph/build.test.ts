import assert from "node:assert/strict";
import { test } from "node:test";
import { edgeContext, edgesOfFile, nodesOfFile } from "../../src/graph/build.js";
import { isOwnSummary } from "../../src/graph/descriptions.js";
import { buildGraph, checkGraph } from "../support/whole-graph.js";
import { aClass, aFile, aFunction, edgeText, fingerprintsOf, resolverFor } from "./support.js";

const shapes = aFile("src/shapes.ts", {
  functions: [
    aFunction("area", { exported: true, params: ["s"], lineRange: [30, 95], lineCount: 66 }),
    aFunction("Circle.grow", { lineRange: [12, 14] }),
    aFunction("Circle.grow", { lineRange: [15, 18] }),
    aFunction("Alien.land", { lineRange: [20, 21] }),
  ],
  classes: [
    aClass("Circle", {
      exported: true,
      extends: ["Base<T>"],
      implements: ["Shape", "Unknown"],
      methods: ["grow"],
      lineRange: [10, 19],
    }),
    aClass("Shape", { kind: "interface", lineRange: [2, 4] }),
  ],
  imports: [
    { source: "./barrel.js", specifiers: ["Base"] },
    { source: "node:fs", specifiers: ["*"] },
  ],
  exports: ["area", "Circle", "Shape"],
  totalLines: 120,
});
const base = aFile("src/base.ts", { classes: [aClass("Base", { exported: true })] });
const barrel = aFile("src/barrel.ts", {
  imports: [{ source: "./base", specifiers: ["*"] }],
  exports: ["* from ./base"],
});
const root = aFile("main.py", { hasStructuralAnalysis: false, totalLines: 1 });
const tested = aFile("test/shapes.test.ts", { imports: [{ source: "../src/shapes", specifiers: ["area"] }] });
const fingerprints = fingerprintsOf(tested, shapes, root, base, barrel);
const resolver = resolverFor(Object.fromEntries([...fingerprints.keys()].map((path) => [path, ""])));
const graph = buildGraph({
  name: "demo",
  commit: "c0ffee",
  analyzedAt: "2026-01-01T00:00:00.000Z",
  fingerprints,
  resolver,
});

test("files and what they declare become nodes, by path and position, overloads as one", () => {
  assert.deepEqual(
    graph.nodes.map(({ id }) => id),
    [
      "file:main.py",
      "file:src/barrel.ts",
      "file:src/base.ts",
      "class:src/base.ts:Base",
      "file:src/shapes.ts",
      "concept:src/shapes.ts:Shape",
      "class:src/shapes.ts:Circle",
      "function:src/shapes.ts:Circle.grow",
      "function:src/shapes.ts:Alien.land",
      "function:src/shapes.ts:area",
      "file:test/shapes.test.ts",
    ],
  );
  const grow = graph.nodes.find(({ id }) => id.endsWith("Circle.grow"));
  assert.deepEqual(grow?.lineRange, [12, 18]);
  assert.deepEqual(grow?.tags, ["method", "typescript"]);
  assert.equal(grow?.summary, "Method of Circle with 0 parameters");
});

test("a node says short facts, in the shape and order that Understand-Anything writes", () => {
  const file = graph.nodes.find(({ id }) => id === "file:src/shapes.ts");
  assert.deepEqual(Object.keys(file ?? {}), ["id", "type", "name", "filePath", "summary", "tags", "complexity"]);
  assert.equal(file?.summary, "TypeScript file with 3 functions and 2 classes");
  assert.equal(file?.complexity, "moderate");
  const area = graph.nodes.find(({ name }) => name === "area");
  assert.deepEqual(Object.keys(area ?? {}), [
    "id",
    "type",
    "name",
    "filePath",
    "lineRange",
    "summary",
    "tags",
    "complexity",
  ]);
  assert.deepEqual(area?.tags, ["function", "typescript", "exported"]);
  assert.equal(area?.complexity, "complex");
  assert.equal(area?.summary, "Exported function with 1 parameter");
  const shape = graph.nodes.find(({ name }) => name === "Shape");
  assert.equal(shape?.summary, "Exported interface with 0 methods and 0 properties");
  assert.equal(graph.nodes[0]?.summary, "Python file of 1 line");
  assert.deepEqual(graph.nodes.at(-1)?.tags, ["file", "typescript", "test"]);
  assert.ok(graph.nodes.every(isOwnSummary));
});

test("edges: contains, imports, exports, and heritage through a barrel", () => {
  assert.deepEqual(graph.edges.map(edgeText), [
    "file:src/barrel.ts imports file:src/base.ts",
    "file:src/base.ts contains class:src/base.ts:Base",
    "file:src/base.ts exports class:src/base.ts:Base",
    "file:src/shapes.ts contains concept:src/shapes.ts:Shape",
    "file:src/shapes.ts contains class:src/shapes.ts:Circle",
    "class:src/shapes.ts:Circle contains function:src/shapes.ts:Circle.grow",
    "file:src/shapes.ts contains function:src/shapes.ts:Alien.land",
    "file:src/shapes.ts contains function:src/shapes.ts:area",
    "file:src/shapes.ts imports file:src/barrel.ts",
    "file:src/shapes.ts exports concept:src/shapes.ts:Shape",
    "file:src/shapes.ts exports class:src/shapes.ts:Circle",
    "file:src/shapes.ts exports function:src/shapes.ts:area",
    "class:src/shapes.ts:Circle inherits class:src/base.ts:Base",
    "class:src/shapes.ts:Circle implements concept:src/shapes.ts:Shape",
    "file:test/shapes.test.ts imports file:src/shapes.ts",
  ]);
  assert.deepEqual(graph.edges[0], {
    source: "file:src/barrel.ts",
    target: "file:src/base.ts",
    type: "imports",
    direction: "forward",
    weight: 0.7,
  });
});

test("layers follow the top directories; the whole is sound", () => {
  assert.deepEqual(
    graph.layers.map(({ id, nodeIds }) => [id, nodeIds]),
    [
      ["layer:root", ["file:main.py"]],
      ["layer:src", ["file:src/barrel.ts", "file:src/base.ts", "file:src/shapes.ts"]],
      ["layer:test", ["file:test/shapes.test.ts"]],
    ],
  );
  assert.deepEqual(graph.project.languages, ["python", "typescript"]);
  assert.deepEqual(checkGraph(graph), []);
});

test("the graph is its files, one by one", () => {
  const context = edgeContext(fingerprints, resolver);
  const paths = [...fingerprints.keys()].sort();
  const each = paths.map((path) => ({ path, fp: fingerprints.get(path) ?? aFile(path) }));
  assert.deepEqual(
    graph.nodes,
    each.flatMap(({ path, fp }) => nodesOfFile(path, fp)),
  );
  assert.deepEqual(
    graph.edges,
    each.flatMap(({ path, fp }) => edgesOfFile(path, fp, context)),
  );
});

test("heritage follows aliases, namespaces and renamed imports, and stops in a circle", () => {
  const child = aFile("a.ts", {
    classes: [
      aClass("One", { extends: ["B"] }),
      aClass("Two", { extends: ["ns.Base"] }),
      aClass("Three", { extends: ["Ghost"] }),
      aClass("Four", { extends: ["Four"] }),
    ],
    imports: [
      { source: "./base", specifiers: ["Base as B"] },
      { source: "./base", specifiers: ["* as ns"] },
      { source: "./loop", specifiers: ["Ghost"] },
    ],
  });
  const loop = aFile("loop.ts", { imports: [{ source: "./loop2", specifiers: ["*"] }], exports: ["* from ./loop2"] });
  const loop2 = aFile("loop2.ts", { imports: [{ source: "./loop", specifiers: ["*"] }], exports: ["* from ./loop"] });
  const files = fingerprintsOf(child, aFile("base.ts", { classes: [aClass("Base")] }), loop, loop2);
  const made = edgesOfFile(
    "a.ts",
    child,
    edgeContext(files, resolverFor({ "a.ts": "", "base.ts": "", "loop.ts": "", "loop2.ts": "" })),
  );
  assert.deepEqual(made.filter(({ type }) => type === "inherits").map(edgeText), [
    "class:a.ts:One inherits class:base.ts:Base",
    "class:a.ts:Two inherits class:base.ts:Base",
  ]);
});
