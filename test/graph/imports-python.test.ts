import assert from "node:assert/strict";
import { test } from "node:test";
import { createResolver } from "../../src/graph/imports.js";

const resolver = createResolver([
  "src/app/__init__.py",
  "src/app/main.py",
  "src/app/core/__init__.py",
  "src/app/core/db.py",
  "src/app/core/models.py",
  "src/app/typed.pyi",
  "scripts/run.py",
  "scripts/helper.py",
  "odd/types.py",
  "tests/test_app.py",
  "space/part/mod.py",
]);
const from =
  (path: string) =>
  (source: string, specifiers: string[] = []) =>
    resolver.resolve(path, source, specifiers);

test("absolute names are found from any source root", () => {
  const resolve = from("tests/test_app.py");
  assert.deepEqual(resolve("app"), ["src/app/__init__.py"]);
  assert.deepEqual(resolve("app.main"), ["src/app/main.py"]);
  assert.deepEqual(resolve("app.core.db"), ["src/app/core/db.py"]);
  assert.deepEqual(resolve("app.typed"), ["src/app/typed.pyi"]);
  assert.deepEqual(resolve("app.core", ["db", "models as m", "Other"]), [
    "src/app/core/__init__.py",
    "src/app/core/db.py",
    "src/app/core/models.py",
  ]);
  assert.deepEqual(resolve("app.main.Thing"), ["src/app/main.py"]);
  assert.deepEqual(resolve("space.part", ["mod"]), ["space/part/mod.py"]);
});

test("leading dots count from the importing file's package", () => {
  const resolve = from("src/app/core/db.py");
  assert.deepEqual(resolve(".models"), ["src/app/core/models.py"]);
  assert.deepEqual(resolve(".", ["models"]), ["src/app/core/__init__.py", "src/app/core/models.py"]);
  assert.deepEqual(resolve("..main"), ["src/app/main.py"]);
  assert.deepEqual(resolve("..", ["main"]), ["src/app/__init__.py", "src/app/main.py"]);
  assert.deepEqual(resolve("......x"), []);
  assert.deepEqual(from("src/app/__init__.py")(".main"), ["src/app/main.py"]);
});

test("a script finds its neighbour; a package's file does not take one for the standard library", () => {
  assert.deepEqual(from("scripts/run.py")("helper"), ["scripts/helper.py"]);
  assert.deepEqual(from("src/app/main.py")("types"), []);
  assert.deepEqual(from("src/app/main.py")("core"), []);
  assert.deepEqual(from("src/app/main.py")("os.path"), []);
});
