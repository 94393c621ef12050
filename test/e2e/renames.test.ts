import assert from "node:assert/strict";
import { test } from "node:test";
import { installedRepo, type Repo } from "../support/repo.js";

const LONG = Array.from({ length: 20 }, (_, at) => `export function step${at}(): number {\n  return ${at};\n}\n`).join(
  "",
);

function startedRepo(t: Parameters<typeof installedRepo>[0]): Repo {
  const repo = installedRepo(t);
  repo.commit("long", { "src/long.ts": LONG });
  repo.ua("install");
  return repo;
}

const move = (repo: Repo, from: string, to: string, text: string) => {
  repo.git("mv", from, to);
  repo.commit("move", { [to]: text });
  return repo.uaJson<{
    action: string;
    renamedFiles: { from: string; to: string; similarity: number }[];
    filesToReanalyze: string[];
    deletedFiles: string[];
    fileChanges: { filePath: string; drift: string; details: string[] }[];
  }>("check", "--base", "HEAD~1");
};

test("a file that moved with a new body is a rename, and no file to analyse", (t) => {
  const repo = startedRepo(t);
  const found = move(repo, "src/long.ts", "src/steps.ts", LONG.replace("return 7;", "return 7 + 0;"));
  assert.equal(found.action, "SKIP", "what is known moves along");
  assert.deepEqual([found.filesToReanalyze, found.deletedFiles, found.renamedFiles], [[], [], []]);
  assert.deepEqual(
    found.fileChanges.map(({ filePath, drift, details }) => [filePath, drift, details[0]]),
    [["src/steps.ts", "body", "renamed from src/long.ts"]],
  );
});

test("a file that moved with a new interface is a rename and a file to analyse", (t) => {
  const repo = startedRepo(t);
  const found = move(repo, "src/long.ts", "src/steps.ts", LONG.replace("step7()", "step7(by: number)"));
  assert.deepEqual(found.filesToReanalyze, ["src/steps.ts"]);
  assert.deepEqual(found.deletedFiles, []);
  const similarity = found.renamedFiles[0]?.similarity ?? 0;
  assert.ok(similarity >= 90 && similarity < 100, String(similarity));
  assert.deepEqual(found.fileChanges[0]?.details, ["renamed from src/long.ts", "params changed: step7"]);
});

test("too little in common, or another language: a loss and a gain", (t) => {
  const repo = startedRepo(t);
  const rewritten = move(repo, "src/long.ts", "src/steps.ts", "export const nothing = 'of the sort';\n");
  assert.deepEqual(rewritten.renamedFiles, []);
  assert.deepEqual([rewritten.filesToReanalyze, rewritten.deletedFiles], [["src/steps.ts"], ["src/long.ts"]]);

  repo.commit("back", { "src/long.ts": LONG });
  const translated = move(repo, "src/long.ts", "src/long.js", LONG.replace("return 7;", "return 8;"));
  assert.deepEqual(translated.renamedFiles, []);
});

test("of several, the most alike moved; equal content goes to the one of the same name", (t) => {
  const repo = startedRepo(t);
  repo.commit("two", {
    "src/one/same.ts": LONG.replace("step0", "one"),
    "src/one/other.ts": LONG.replace("step0", "two"),
  });
  repo.git("mv", "src/one/same.ts", "src/two-same.ts");
  repo.git("mv", "src/one/other.ts", "src/two-other.ts");
  repo.commit("both", { "src/two-same.ts": `${LONG.replace("step0", "one")}// moved\n` });
  const { fileChanges } = repo.uaJson<{ fileChanges: { filePath: string; details: string[] }[] }>(
    "check",
    "--base",
    "HEAD~1",
  );
  assert.deepEqual(fileChanges.map(({ filePath, details }) => [filePath, details[0]]).sort(), [
    ["src/two-other.ts", "renamed from src/one/other.ts"],
    ["src/two-same.ts", "renamed from src/one/same.ts"],
  ]);
});
