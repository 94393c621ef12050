import assert from "node:assert/strict";
import { test } from "node:test";
import { isGeneratedPath, isTestPath } from "../../src/fingerprint/paths.js";

test("tests are recognised by their folder or their name", () => {
  const tests = ["test/a.ts", "tests/a.ts", "src/__tests__/a.ts", "spec/a.rb", "specs/a.rb", "a.test.ts", "a-spec.js"];
  const more = ["a_test.go", "x/test_a.py", "ATest.java", "ATests.cs", "ASpec.scala"];
  for (const path of [...tests, ...more]) assert.ok(isTestPath(path), path);
  for (const path of ["src/a.ts", "src/latest/a.ts", "src/inspect.ts", "contest.py"])
    assert.ok(!isTestPath(path), path);
});

test("generated files are recognised by their folder or their name, in any case", () => {
  const folders = ["generated/a.ts", "src/__generated__/a.ts", "gen/a.go"];
  const names = [
    "a.generated.ts",
    "A.g.cs",
    "a.pb.go",
    "A.Designer.cs",
    "a_pb2.py",
    "a_pb2_grpc.py",
    "a_generated.rb",
    "A.MIN.JS",
  ];
  for (const path of [...folders, ...names]) assert.ok(isGeneratedPath(path), path);
  for (const path of ["src/a.ts", "src/general.ts", "src/a.go", "page.js"]) assert.ok(!isGeneratedPath(path), path);
});
