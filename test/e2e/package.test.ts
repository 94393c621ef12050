import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { fences } from "../support/docs.js";
import { cleanEnv, root, tempDir } from "../support/repo.js";

const published = join(root, "dist");

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env: cleanEnv(cwd), encoding: "utf8" });
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

interface Packed {
  filename: string;
  size: number;
  unpackedSize: number;
  files: { path: string; size: number }[];
}

/** Packed once for all tests here: five seconds of npm's. */
const packedIn = tempDir({ after } as unknown as TestContext);
const packed = pack(packedIn);
const tarball = join(packedIn, packed.filename);

function pack(into: string): Packed {
  const flags = ["--ignore-scripts", "--json", "--pack-destination", into, "--loglevel=error"];
  const [made] = JSON.parse(run("npm", ["pack", root, ...flags], into)) as Packed[];
  assert.ok(made);
  return made;
}

/** A project that has nothing of ours but the packed files and SQLite; compiled once for all tests. */
function consumer(programs: Record<string, string>): string {
  const dir = join(packedIn, "consumer");
  const modules = join(dir, "node_modules");
  mkdirSync(modules, { recursive: true });
  run("tar", ["-xzf", tarball], dir);
  renameSync(join(dir, "package"), join(modules, "ua-hooks"));
  mkdirSync(join(modules, "@types"));
  for (const name of ["@libsql", "@types/node"]) symlinkSync(join(root, "node_modules", name), join(modules, name));
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(dir, name), text);
  const options = { target: "es2023", module: "nodenext", strict: true, types: ["node"] };
  const files = Object.keys(programs);
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files }));
  run(join(root, "node_modules/.bin/tsc"), ["-p", dir], dir);
  return dir;
}

const PROGRAM = `
import {
  analyzeChanges, buildFingerprintStore, classifyUpdate, compareFingerprints, contentHash, createIgnoreFilter,
  extractFileFingerprint, fingerprintText, GitError, getChangedFiles, getGraphFreshness, isStale, mergeGraphUpdate,
  readGraphFreshness, UaError,
} from "ua-hooks";
import type {
  ChangeAnalysis, FileFingerprint, FingerprintStore, GraphFreshness, GraphFreshnessResult, StructuralAnalysis,
} from "ua-hooks";

const analysis: StructuralAnalysis = { functions: [], classes: [], imports: [], exports: [{ name: "a" }] };
const before: FileFingerprint = extractFileFingerprint("a.ts", "one", analysis);
const registry = { analyzeFile: () => null };
const store: FingerprintStore = buildFingerprintStore(".", [], registry, "HEAD");
const changes: ChangeAnalysis = analyzeChanges(".", ["a.ts"], { ...store, files: { "a.ts": before } }, registry);
const freshness: GraphFreshness = readGraphFreshness(".");
const given: GraphFreshnessResult = await getGraphFreshness(".", { graphCommitHash: "HEAD" });
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
  given: given.status === "unknown" && given.reason,
  stale,
  typed,
  functions: own.functions.map(({ name }) => name),
  merge: typeof mergeGraphUpdate,
}));
`;

const examples = fences("docs/api.md", "ts");
const names = examples.map((_, at) => `example${at}`);
const dir = consumer({
  "main.ts": PROGRAM,
  ...Object.fromEntries(names.map((name, at) => [`${name}.ts`, examples[at] ?? ""])),
});

test("the packed package is imported by name, with types, and finds its grammars", () => {
  assert.deepEqual(JSON.parse(run(process.execPath, ["main.js"], dir)), {
    hash: 64,
    ignored: true,
    level: "COSMETIC",
    action: "PARTIAL_UPDATE",
    deleted: ["a.ts"],
    freshness: "unknown",
    given: "git-head-unavailable",
    stale: true,
    typed: true,
    functions: ["a"],
    merge: "function",
  });
});

test("the examples of docs/api.md compile against the packed package, run, and leave out no call", async (t) => {
  const project = tempDir(t);
  run("git", ["init", "-q"], project);
  run("git", ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "start"], project);
  const said = names.map((name) => run(process.execPath, [join(dir, `${name}.js`)], project));
  assert.match(said[1] ?? "", /^interface STRUCTURAL \[ 'params changed: add' \]\n$/);
  assert.match(said[2] ?? "", /^SKIP 64\n$/);

  const api = Object.keys(await import(join(published, "index.js")));
  const untold = api.filter((name) => !examples.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  assert.deepEqual(untold, [], "each call has an example");
});

/** What may be in the package, and nothing else. */
const CONTENT = [
  /^docs\/[\w-]+\.md$/,
  /^(README|CHANGELOG|SECURITY)\.md$|^LICENSE$|^package\.json$/,
  /^dist\/((agent|hook)(-main)?|cli|globs|mcp|program|quick|verify|worker)\.cjs$/,
  /^dist\/(index(-\w+)?|report)\.js$/,
  /^dist\/types\/[\w/-]+\.d\.ts$/,
  /^dist\/grammars\/([\w-]+\.wasm\.br|tree-sitter\.cjs)$/,
  /^dist\/THIRD-PARTY-NOTICES$/,
  /^hooks\/[\w-]+\.sh$/,
  /^schemas\/\w+\.json$/,
  /^templates\/[\w/-]+\.(sh|md|js|ya?ml|css|html|toml)$/,
];
const MB = 1_000_000;
/** Throws at a file that no row of docs/package.md counts. */
const { partOf } = (await import(pathToFileURL(join(root, "scripts/parts/sizes.mjs")).href)) as {
  partOf(path: string): string;
};

test("the package holds what it needs and no more: no sources, tests or maps, no install scripts, within its size", () => {
  const { files, size, unpackedSize } = packed;
  const odd = files.map(({ path }) => path).filter((path) => !CONTENT.some((allowed) => allowed.test(path)));
  assert.deepEqual(odd, []);
  assert.ok(size <= 4 * MB, `the tarball is ${size} bytes`);
  // The rest of an installed one is SQLite's binaries: 9 MB, on Linux for two C libraries.
  assert.ok(unpackedSize <= 8 * MB, `unpacked it is ${unpackedSize} bytes`);
  for (const { path } of files) partOf(path);
  const { scripts = {}, ...manifest } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts?: Record<string, string>;
    dependencies?: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  assert.equal(manifest.dependencies, undefined, "everything is bundled");
  assert.ok(Object.keys(manifest.optionalDependencies).every((name) => name.startsWith("@libsql/")));
  for (const event of ["preinstall", "install", "postinstall", "prepare", "prepublish"])
    assert.equal(scripts[event], undefined, `no ${event} script`);
});

/**
 * Two that people set, and those that our own processes, or our plugin, set for those that they start. UA_HOOKS_CORE selects the loop of
 * statements while the old core is the default.
 */
const VARIABLES = [
  "UA_HOOKS_CORE",
  "UA_HOOKS_DONE",
  "UA_HOOKS_FOREGROUND",
  "UA_HOOKS_OPENCODE_SESSION",
  "UA_HOOKS_PROBE",
];

test("fault points and other settings for tests are not in it", () => {
  const texts = packed.files.filter(({ path }) => /^(dist|hooks|templates)\/.*\.(c?js|ts|sh)$/.test(path));
  const found = texts.flatMap(({ path }) => readFileSync(join(root, path), "utf8").match(/UA_HOOKS_[A-Z_]+/g) ?? []);
  assert.deepEqual([...new Set(found)].sort(), VARIABLES);
});

test("the programs are ASCII: V8 keeps other text in two bytes per character, and starts slower", () => {
  const programs = packed.files.filter(({ path }) => path.endsWith(".cjs"));
  assert.ok(programs.length >= 6);
  const isOther = ({ path }: { path: string }) => readFileSync(join(root, path)).some((byte) => byte > 127);
  assert.deepEqual(programs.filter(isOther), []);
});

test("THIRD-PARTY-NOTICES names every package that went into the bundles, with its license, and no other", () => {
  const inputs = JSON.parse(readFileSync(join(root, ".build/inputs.json"), "utf8")) as string[];
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.slice(0, 1) ?? []);
  const packages = [...new Set(folders.filter((folder) => folder.startsWith("node_modules/")))].map((folder) => {
    const text = readFileSync(join(root, folder, "package.json"), "utf8");
    const { name, version, license } = JSON.parse(text) as Record<string, string>;
    return `${name} ${version} (${license})`;
  });
  assert.ok(packages.some((line) => line.startsWith("cosmiconfig ")));
  assert.ok(
    packages.some((line) => line.startsWith("tree-sitter-rust ")),
    "grammars, too",
  );
  const text = readFileSync(join(published, "THIRD-PARTY-NOTICES"), "utf8");
  const [, ...parts] = text.split(/^-{80}\n\n/m);
  const swift = "tree-sitter-swift 0.4 (MIT)"; // inside of another package
  assert.deepEqual(parts.map((part) => part.split("\n", 1)[0]).sort(), [...packages, swift].sort());
  for (const part of parts) assert.match(part, /copyright|unlicense/i, part.split("\n", 1)[0]);
});

test("a clone gets the grammars that it uses from the packed package, unpacked, and parses with them", (t) => {
  const project = tempDir(t);
  const git = (...args: string[]) => run("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], project);
  git("init", "-q");
  writeFileSync(join(project, "a.ts"), "export const a = 1;\n");
  git("add", "a.ts");
  git("commit", "-q", "-m", "start");
  run(process.execPath, [join(dir, "node_modules/ua-hooks/dist/cli.cjs"), "install"], project);
  const runtime = join(project, ".git/ua-hooks/runtime/grammars");
  assert.ok(readdirSync(runtime).every((name) => !name.endsWith(".br") && name !== "rust.wasm"));
  const original = join(root, "node_modules/tree-sitter-typescript/tree-sitter-typescript.wasm");
  assert.ok(readFileSync(join(runtime, "typescript.wasm")).equals(readFileSync(original)));
  writeFileSync(join(project, "a.ts"), "export const a = (b: number) => b;\n");
  git("commit", "-q", "-am", "a function");
  const marker = readFileSync(join(project, ".understand-anything/pending-update.json"), "utf8");
  assert.deepEqual((JSON.parse(marker) as { filesToReanalyze: string[] }).filesToReanalyze, ["a.ts"]);
});

test("its types are those that a compiler reads for the library, and no others", () => {
  const read = run(join(root, "node_modules/.bin/tsc"), ["-p", dir, "--listFilesOnly"], dir);
  const [, ...used] = read
    .split(/^.*\/node_modules\/ua-hooks\/(?=dist\/types\/)/m)
    .map((text) => text.split("\n", 1)[0]);
  const types = packed.files.flatMap(({ path }) => (path.startsWith("dist/types/") ? [path] : []));
  assert.deepEqual(types.sort(), used.sort());
});

test("publint has nothing to say about it", () => {
  run(join(root, "node_modules/.bin/publint"), ["run", "--strict", tarball], packedIn);
});

test("a bundler takes one call and leaves the rest", async () => {
  const bundled = async (contents: string) => {
    const stdin = { contents, resolveDir: published };
    const { outputFiles } = await build({
      ...{
        stdin,
        bundle: true,
        write: false,
        platform: "node",
        format: "esm",
        packages: "external",
        logLevel: "error",
      },
    });
    return outputFiles[0]?.text.length ?? 0;
  };
  assert.ok((await bundled('import "./index.js";')) < 100, "an import alone is nothing");
  assert.ok((await bundled('export { contentHash } from "./index.js";')) < 2_000, "one small call is small");
});
