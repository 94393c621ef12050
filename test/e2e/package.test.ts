import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { cleanEnv, dist, tempDir } from "../support/repo.js";

const root = join(dist, "..");

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env: cleanEnv(cwd), encoding: "utf8" });
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** A project that has nothing of ours but the packed files and what they depend on. */
function consumer(t: TestContext): string {
  const dir = tempDir(t);
  const modules = join(dir, "node_modules");
  mkdirSync(modules);
  const [packed] = JSON.parse(
    run("npm", ["pack", root, "--ignore-scripts", "--json", "--pack-destination", dir, "--loglevel=error"], dir),
  ) as { filename: string }[];
  run("tar", ["-xzf", packed?.filename ?? ""], dir);
  cpSync(join(dir, "package"), join(modules, "ua-hooks"), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  mkdirSync(join(modules, "@types"));
  for (const name of [...Object.keys(manifest.dependencies), "@libsql", "@types/node"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
  return dir;
}

const PROGRAM = `
import {
  analyzeChanges, classifyUpdate, compareFingerprints, contentHash, createIgnoreFilter, extractFileFingerprint,
  fingerprintText, GitError, getChangedFiles, getGraphFreshness, isStale, mergeGraphUpdate, UaError,
} from "ua-hooks";
import type { ChangeAnalysis, GraphFreshness, PlainFingerprint, StructuralAnalysis } from "ua-hooks";

const analysis: StructuralAnalysis = { functions: [], classes: [], imports: [], exports: [{ name: "a" }] };
const before: PlainFingerprint = extractFileFingerprint("a.ts", "one", analysis);
const changes: ChangeAnalysis = analyzeChanges(".", ["a.ts"], { files: { "a.ts": before } }, { analyzeFile: () => null });
const freshness: GraphFreshness = getGraphFreshness(".");
const stale: boolean = isStale(".", "HEAD").stale;
const own = await fingerprintText("a.ts", Buffer.from("export const a = (b: number) => b;"));
let typed = false;
try {
  getChangedFiles(".", "HEAD");
} catch (error) {
  typed = error instanceof GitError && error instanceof UaError && error.code === "git";
}
console.log(JSON.stringify({
  hash: contentHash("").length,
  ignored: createIgnoreFilter(".").isIgnored("dist/a.js"),
  level: compareFingerprints(before, extractFileFingerprint("a.ts", "two", analysis)).changeLevel,
  action: classifyUpdate(changes, 10).action,
  deleted: changes.deletedFiles,
  freshness: freshness.status,
  stale,
  typed,
  functions: own.functions.map(({ name }) => name),
  merge: typeof mergeGraphUpdate,
}));
`;

test("the packed package is imported by name, with types, and finds its grammars", (t) => {
  const dir = consumer(t);
  const options = { target: "es2023", module: "nodenext", strict: true, types: ["node"] };
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["main.ts"] }));
  writeFileSync(join(dir, "main.ts"), PROGRAM);
  run(join(root, "node_modules/.bin/tsc"), ["-p", dir], dir);
  assert.deepEqual(JSON.parse(run(process.execPath, ["main.js"], dir)), {
    hash: 64,
    ignored: true,
    level: "COSMETIC",
    action: "PARTIAL_UPDATE",
    deleted: ["a.ts"],
    freshness: "unknown",
    stale: true,
    typed: true,
    functions: ["a"],
    merge: "function",
  });
});
