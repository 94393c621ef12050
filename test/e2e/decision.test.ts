import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { Baseline } from "../../src/knowledge/baseline.js";
import { openState } from "../../src/store/state.js";
import { installedRepo, makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { expectTruth } from "../support/truth.js";

const { "src/a.ts": A = "", "src/b.ts": B = "", "tools/run.py": RUN = "" } = SMALL_PROJECT;
const B_WIDER = B.replace("x: number)", "x: number, y = 1)");

const numbered = (count: number, dir = "src", text = (at: number) => `export const n${at} = ${at};\n`) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${dir}/n${at}.ts`, text(at)]));

test("a moved file takes along what is known: neither a loss nor a gain", async (t) => {
  const repo = installedRepo(t);
  repo.git("mv", "src/b.ts", "src/double.ts");
  repo.commit("move");
  await expectTruth(repo);

  repo.commit("follow", { "src/a.ts": A.replace("./b.js", "./double.js") });
  await expectTruth(repo, { changed: ["src/a.ts"] });
  repo.git("reset", "-q", "--hard", "HEAD~1");
  repo.git("mv", "src/double.ts", "src/b.ts");
  repo.commit("and back");
  await expectTruth(repo);
});

test("a file that moved and changed is one file still", async (t) => {
  const repo = installedRepo(t);
  const [double, sum] = [`// doubles\n${B}`, A.replace("y: number)", "y: number, z: number)")];
  repo.git("mv", "src/b.ts", "src/double.ts");
  repo.git("mv", "src/a.ts", "src/sum.ts");
  repo.commit("move, comment the one, widen the other", { "src/double.ts": double, "src/sum.ts": sum });
  const marker = await expectTruth(repo, {
    changed: ["src/sum.ts"],
    renamed: ["src/a.ts → src/sum.ts"],
  });
  for (const { similarity } of marker?.renamedFiles ?? []) assert.ok(similarity >= 50 && similarity < 100);
  assert.deepEqual(
    marker?.fileChanges.map(({ filePath, drift, details }) => [filePath, drift, ...details]),
    [["src/sum.ts", "interface", "renamed from src/a.ts", "params changed: add"]],
  );

  repo.git("mv", "src/double.ts", "src/other.ts");
  repo.commit("nothing is left of it", { "src/other.ts": "export class Other {\n  readonly name = 'other';\n}\n" });
  await expectTruth(repo, {
    changed: ["src/other.ts", "src/sum.ts"],
    renamed: ["src/a.ts → src/sum.ts"],
  });
});

test("of two equal files that went, the one of the same name moved", async (t) => {
  const repo = makeRepo(t);
  const same = "export const same = 1;\n";
  repo.commit("start", { ...SMALL_PROJECT, "src/bite.ts": same, "tools/ite.ts": same });
  repo.ua("install");
  repo.git("rm", "-q", "src/bite.ts");
  repo.git("mv", "tools/ite.ts", "src/ite.ts");
  repo.commit("one goes, one moves");
  await expectTruth(repo, { deleted: ["src/bite.ts"] });
});

test("deleted files, directories that appear and go", async (t) => {
  const repo = installedRepo(t);
  repo.git("rm", "-q", "src/b.ts");
  repo.commit("delete");
  const deleted = await expectTruth(repo, { deleted: ["src/b.ts"] });
  assert.deepEqual(deleted?.dependents, ["src/a.ts"]);

  repo.commit("put back", { "src/b.ts": B, "src/deep/er/c.ts": "export const c = 1;\n" });
  const deeper = await expectTruth(repo, { changed: ["src/deep/er/c.ts"] });
  assert.deepEqual([deeper?.rerunArchitecture, deeper?.rerunTour], [false, false]);

  repo.commit("another top", { "lib/d.ts": "export const d = 1;\n" });
  const another = await expectTruth(repo, {
    ...{ action: "ARCHITECTURE_UPDATE", changed: ["lib/d.ts", "src/deep/er/c.ts"] },
  });
  assert.equal(another?.reason, "2 files have structural changes (directory lib/ was added): 2 new");
  assert.deepEqual([another?.rerunArchitecture, another?.rerunTour], [true, true]);

  repo.git("rm", "-q", "-r", "lib", "src/deep", "tools");
  repo.commit("and fewer");
  const fewer = await expectTruth(repo, { action: "ARCHITECTURE_UPDATE", deleted: ["tools/run.py"] });
  assert.equal(fewer?.reason, "1 file has structural changes (directory tools/ was removed): 1 deleted");
});

test("how many files make which update", async (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { ...SMALL_PROJECT, ...numbered(67) });
  repo.ua("install");
  const action = (count: number) => {
    const files = numbered(count, "src", (at) => `export const n${at} = (x: number) => x;\n`);
    repo.commit(`${count} files`, { ...numbered(67), ...files });
    return [repo.marker()?.action, repo.marker()?.filesToReanalyze.length];
  };
  assert.deepEqual(action(10), ["PARTIAL_UPDATE", 10]);
  assert.deepEqual(action(11), ["ARCHITECTURE_UPDATE", 11]);
  assert.deepEqual(action(30), ["ARCHITECTURE_UPDATE", 30]);
  assert.deepEqual(action(31), ["FULL_UPDATE", 31]);
  assert.deepEqual([repo.marker()?.rerunArchitecture, repo.marker()?.rerunTour], [true, true]);
  await expectTruth(repo, { action: "FULL_UPDATE", changed: Object.keys(numbered(31)).sort() });
});

test("more than half of the graph is a full update, from six files on", async (t) => {
  const repo = makeRepo(t);
  repo.commit("start", { ...numbered(10) });
  repo.ua("install");
  const wider = (count: number) => numbered(count, "src", (at) => `export const n${at} = (x: number) => x;\n`);
  repo.commit("half", wider(5));
  await expectTruth(repo, { changed: Object.keys(wider(5)) });
  repo.commit("more", wider(6));
  const full = await expectTruth(repo, { action: "FULL_UPDATE", changed: Object.keys(wider(6)) });
  assert.equal(full?.reason, "6 files have structural changes (60 % of the graph): 6 modified");

  const small = makeRepo(t);
  small.commit("start", SMALL_PROJECT);
  small.ua("install");
  small.commit("all three", { "src/a.ts": "", "src/b.ts": B_WIDER, "tools/run.py": RUN.replace("run", "walk") });
  await expectTruth(small, { changed: ["src/a.ts", "src/b.ts", "tools/run.py"] });
});

test("a changed body stops at its file, a changed interface reaches those who import it", async (t) => {
  const repo = installedRepo(t);
  const start = repo.git("rev-parse", "HEAD:src/b.ts");
  const files = repo.read(".understand-anything/fingerprints.json");
  repo.commit("body", { "src/b.ts": B.replace("x * 2", "x + x") });
  await expectTruth(repo);
  assert.equal(await analysedOid(repo, "src/b.ts"), start, "a SKIP moves nothing that was analysed");
  assert.equal(repo.read(".understand-anything/fingerprints.json"), files);
  assert.equal(JSON.parse(repo.read(".understand-anything/meta.json")).gitCommitHash, repo.head());

  const longer = Array.from({ length: 9 }, (_, at) => `  x += ${at};\n`).join("");
  repo.commit("much longer", { "src/b.ts": B.replace("  return", `${longer}  return`) });
  const grown = await expectTruth(repo, { changed: ["src/b.ts"] });
  assert.deepEqual(grown?.fileChanges[0]?.details, ["significant size change: twice (3 → 12 lines)"]);
  assert.deepEqual(grown?.dependents, [], "nobody who calls it need care");

  repo.commit("wider", { "src/b.ts": B_WIDER });
  assert.deepEqual(repo.marker()?.dependents, ["src/a.ts"]);
});

async function analysedOid(repo: Repo, path: string): Promise<string | null | undefined> {
  const db = await openState(join(repo.dir, ".git/ua-hooks"));
  try {
    return new Baseline(db, ".", ".").get(path)?.oid;
  } finally {
    db.close();
  }
}
