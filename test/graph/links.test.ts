import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileFingerprint } from "../../src/fingerprint/types.js";
import { edgeContext, edgesOfFile } from "../../src/graph/build.js";
import { createResolver } from "../../src/graph/imports.js";
import { relink } from "../support/whole-graph.js";
import { aClass, aFile, aFunction, edgeText, fingerprintsOf } from "./support.js";

const contextOf = (...files: FileFingerprint[]) =>
  edgeContext(fingerprintsOf(...files), createResolver(files.map(({ filePath }) => filePath)));

function basesOf(child: FileFingerprint, ...others: FileFingerprint[]): string[] {
  const edges = edgesOfFile(child.filePath, child, contextOf(child, ...others));
  return edges.filter(({ type }) => type === "inherits").map(({ target }) => target);
}

const importing = (source: string, ...specifiers: string[]) => ({ imports: [{ source, specifiers }] });

test("a TypeScript file passes on only what it exports", () => {
  const base = aFile("base.ts", { classes: [aClass("Base")] });
  const child = aFile("child.ts", { classes: [aClass("C", { extends: ["Base"] })], ...importing("./middle", "Base") });
  const middle = (exports: string[]) => aFile("middle.ts", { ...importing("./base", "type Base"), exports });
  assert.deepEqual(basesOf(child, base, middle(["Base"])), ["class:base.ts:Base"]);
  assert.deepEqual(basesOf(child, base, middle(["Other"])), []);
});

test("a Python package passes on what its __init__ imports; a C header what it includes", () => {
  const model = aFile("pkg/model.py", { classes: [aClass("Model")] });
  const init = aFile("pkg/__init__.py", importing(".model", "Model"));
  const user = aFile("user.py", { classes: [aClass("U", { extends: ["pkg.Model"] })], ...importing("pkg") });
  assert.deepEqual(basesOf(user, model, init), ["class:pkg/model.py:Model"]);
  const shape = aFile("shape.hpp", { classes: [aClass("Shape")] });
  const all = aFile("all.hpp", importing("shape.hpp"));
  const circle = aFile("circle.cpp", {
    classes: [aClass("Circle", { extends: ["geo::Shape"] })],
    ...importing("all.hpp"),
  });
  assert.deepEqual(basesOf(circle, shape, all), ["class:shape.hpp:Shape"]);
});

test("a Java class needs no import for its own package", () => {
  const base = aFile("src/a/Base.java", { classes: [aClass("Base")] });
  const child = aFile("src/a/Child.java", { classes: [aClass("Child", { extends: ["Base<String>"] })] });
  assert.deepEqual(basesOf(child, base), ["class:src/a/Base.java:Base"]);
});

test("an import that leads elsewhere once a file came is linked anew", () => {
  const user = aFile("src/user.ts", importing("./tool", "x"));
  const folder = aFile("src/tool/index.ts");
  const file = aFile("src/tool.ts");
  const change = { files: ["src/tool.ts"], deleted: [], renamed: [] };
  const { edges, unlinked } = relink(contextOf(user, folder), contextOf(user, folder, file), change);
  assert.deepEqual(edges.map(edgeText), ["file:src/user.ts imports file:src/tool.ts"]);
  assert.deepEqual(unlinked, [{ source: "file:src/user.ts", target: "file:src/tool/index.ts", type: "imports" }]);
});

test("where nothing moved and no class changed there is nothing to link", () => {
  const user = aFile("a.ts", { classes: [aClass("A", { extends: ["B"] })], ...importing("./b", "B") });
  const base = aFile("b.ts", { classes: [aClass("B")], totalLines: 5 });
  const resolver = createResolver(["a.ts", "b.ts"]);
  const before = edgeContext(fingerprintsOf(user, base), resolver);
  const grown = edgeContext(fingerprintsOf(user, { ...base, totalLines: 9 }), resolver);
  const change = { files: ["b.ts"], deleted: [], renamed: [] };
  assert.deepEqual(relink(before, grown, change), { edges: [], unlinked: [] });
  const without = edgeContext(fingerprintsOf(user, { ...base, classes: [] }), resolver);
  assert.deepEqual(relink(before, without, change).unlinked, [
    { source: "class:a.ts:A", target: "class:b.ts:B", type: "inherits" },
  ]);
});

test("a call of an untouched file leads to a function that came, and no longer to one that went", () => {
  const user = aFile("a.ts", {
    functions: [aFunction("f", { calls: ["g", "h"] })],
    ...importing("./b", "g", "x as h"),
  });
  const other = aFile("c.ts", { functions: [aFunction("z", { calls: ["q"] })] });
  const resolver = createResolver(["a.ts", "b.ts", "c.ts"]);
  const at = (...names: string[]) =>
    edgeContext(
      fingerprintsOf(user, other, aFile("b.ts", { functions: names.map((name) => aFunction(name)) })),
      resolver,
    );
  const change = { files: ["b.ts"], deleted: [], renamed: [] };
  const came = relink(at("g"), at("g", "x"), change);
  assert.ok(came.edges.map(edgeText).includes("function:a.ts:f calls function:b.ts:x"));
  assert.deepEqual(came.unlinked, []);
  assert.deepEqual(relink(at("g", "x"), at("g"), change).unlinked, [
    { source: "function:a.ts:f", target: "function:b.ts:x", type: "calls" },
  ]);
  assert.deepEqual(relink(at("g"), at("g"), change), { edges: [], unlinked: [] });
  const told = relink(at("g"), at("g"), { ...change, appeared: new Set(["g"]) });
  assert.ok(told.edges.map(edgeText).includes("function:a.ts:f calls function:b.ts:g"));
});
