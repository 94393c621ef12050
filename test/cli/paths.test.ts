import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeRepo, type Repo } from "../support/repo.js";

const text = (name: string, parameters = "x: number") =>
  `export function ${name}(${parameters}): number {\n  return x;\n}\n`;

/** A monorepo with files of the same name at its top and in a package. */
function monorepo(t: TestContext): Repo {
  const repo = makeRepo(t);
  const files = ["src/f.ts", "src/only-top.ts", "packages/p/src/f.ts", "packages/p/src/gone.ts", "packages/p/src/x.ts"];
  repo.commit("one", Object.fromEntries(files.map((path, at) => [path, text(`f${at}`)])));
  assert.equal(repo.ua("install").code, 0);
  return repo;
}

const pathOf = (repo: Repo, given: string) => repo.uaJson<{ path: string }>("why", given).path;

test("what pending lists is taken by why in every folder; ./ is the current folder", (t) => {
  const repo = monorepo(t);
  const inPackage = repo.at(join(repo.dir, "packages/p"));
  assert.equal(pathOf(inPackage, "src/f.ts"), "packages/p/src/f.ts", "the current folder first");
  assert.equal(pathOf(inPackage, "packages/p/src/f.ts"), "packages/p/src/f.ts");
  assert.equal(pathOf(inPackage, "src/only-top.ts"), "src/only-top.ts");

  repo.git("rm", "-q", "packages/p/src/gone.ts");
  repo.commit("wider", {
    "src/f.ts": text("f0", "x: number, y: number"),
    "packages/p/src/x.ts": text("f4", "x: number, y: number"),
  });
  const { filesToReanalyze, deletedFiles } = repo.uaJson<Record<string, string[]>>("pending");
  assert.deepEqual([filesToReanalyze, deletedFiles], [["packages/p/src/x.ts", "src/f.ts"], ["packages/p/src/gone.ts"]]);
  mkdirSync(join(repo.dir, "docs/deep"), { recursive: true });
  for (const folder of ["packages/p", "packages/p/src", "src", "docs/deep"]) {
    const there = repo.at(join(repo.dir, folder));
    for (const path of [...(filesToReanalyze ?? []), ...(deletedFiles ?? [])])
      assert.equal(pathOf(there, path), path, `${path} from ${folder}`);
    assert.match(there.ua("why", "src/f.ts:f0").stdout, /src\/f\.ts[\s\S]*f0/);
  }
  assert.equal(pathOf(inPackage, "./src/f.ts"), "packages/p/src/f.ts");
  assert.equal(pathOf(inPackage, join(inPackage.dir, "src/f.ts")), "packages/p/src/f.ts");
  assert.equal(pathOf(inPackage, "../../src/only-top.ts"), "src/only-top.ts");
  repo.uaJson("ack");
  assert.equal(pathOf(inPackage, "src/f.ts"), "packages/p/src/f.ts", "nothing is pending any more");
});

test("the registry and records take the same paths", (t) => {
  const repo = monorepo(t);
  repo.commit("wider", { "packages/p/src/x.ts": text("f4", "x: number, y: number") });
  const path = "packages/p/src/x.ts";
  for (const folder of ["packages/p", "packages/p/src", "src"]) {
    const there = repo.at(join(repo.dir, folder));
    assert.equal(there.uaJson("registry", "show", path).path, path);
    const { files } = there.uaJson<{ files: { path: string }[] }>("registry", "ls", "packages/p/src/x.ts");
    assert.deepEqual(
      files.map((file) => file.path),
      [path],
    );
    const subject = `${path}#f4`;
    assert.equal(there.ua("record", "add", `About ${folder}`, "--type", "discovery", "--subject", subject).code, 0);
    assert.match(there.ua("record", "relevant", path).stdout, new RegExp(`About ${folder}`));
    assert.match(
      repo.ua("record", "list", "--subject", path).stdout,
      new RegExp(`About ${folder}`),
      "it is about that file",
    );
  }
});
