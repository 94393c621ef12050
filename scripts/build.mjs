// Builds dist/: the programs (bundle.mjs), the library (ESM with types), the report's page and the grammars. With --tests also
// .build/: the same program with fault points in it, the tests, and the bench, so that node:test needs no loader.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { bundlePrograms, common, root } from "./bundle.mjs";
import { grammars } from "./grammars.mjs";

const dist = join(root, "dist");
const out = join(root, ".build");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Constants of the sources (src/version.d.ts). What depends on one that is false is left out. */
const constants = ({ forTests }) => ({
  UA_HOOKS_VERSION: JSON.stringify(manifest.version),
  FOR_TESTS: String(forTests),
});

/** For CommonJS inside an ES module. Its own name: a source file may import createRequire, too. */
const banner = {
  js: "import { createRequire as ofModule } from 'node:module';\nconst require = ofModule(import.meta.url);",
};

async function buildPackage() {
  rmSync(dist, { recursive: true, force: true });
  await copyGrammars();
  await bundlePrograms(dist, constants({ forTests: false }));
  await bundlePage(dist);
  await buildLibrary();
}

async function copyGrammars() {
  mkdirSync(join(dist, "grammars"), { recursive: true });
  for (const [name, from] of Object.entries(grammars)) {
    const [source, target] = [join(root, "node_modules", from), join(dist, "grammars", name)];
    if (name.endsWith(".cjs")) await build({ entryPoints: [source], outfile: target, minify: true, logLevel: "error" });
    else cpSync(source, target);
  }
}

/** What the report's page runs in a browser: one script, left readable, since people may want to see what a page does. */
async function bundlePage(outdir) {
  const entryPoints = { report: "src/report/page/main.ts" };
  const browser = { platform: "browser", format: "iife", target: "es2022", charset: "ascii", legalComments: "none" };
  await build({ absWorkingDir: root, bundle: true, logLevel: "warning", entryPoints, outdir, ...browser });
}

async function buildLibrary() {
  const { outputFiles } = await build({
    ...common,
    format: "esm",
    entryPoints: { index: "src/index.ts" },
    // What is loaded late stays in files of its own, so that a bundler can leave out what nobody uses.
    splitting: true,
    chunkNames: "index-[hash]",
    outdir: dist,
    minifySyntax: true, // leaves out what the constants switch off
    define: constants({ forTests: false }),
    banner,
    write: false,
  });
  // esbuild does not say that loading a CommonJS package has no other effect, and a user's bundler would keep each one.
  const loading = /(?<=[=(] ?)(?=(__commonJS|__toESM|require_\w+)\()/g;
  for (const { path, text } of outputFiles) writeFileSync(path, text.replaceAll(loading, "/* @__PURE__ */ "));
  const tsc = join(root, "node_modules/.bin/tsc");
  const types = spawnSync(tsc, ["-p", "tsconfig.types.json"], { cwd: root, stdio: "inherit" });
  if (types.status !== 0) process.exit(1);
}

/**
 * A second package, in .build/program/, with what only tests switch on. All of it but the program is the repository's own, by
 * links: code under test looks for hooks/ and templates/ beside its dist/, tests for docs/ and more.
 */
async function buildProgramForTests() {
  const program = join(out, "program");
  mkdirSync(join(program, "dist"), { recursive: true });
  for (const name of readdirSync(root)) if (name !== "dist") symlinkSync(join(root, name), join(program, name));
  symlinkSync(join(dist, "grammars"), join(program, "dist/grammars"));
  await bundlePrograms(join(program, "dist"), constants({ forTests: true }));
  await bundlePage(join(program, "dist"));
}

function testFiles() {
  const found = readdirSync(join(root, "test"), { recursive: true, withFileTypes: true });
  const tests = found.filter(({ name }) => name.endsWith(".test.ts"));
  return tests.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

/** Files that run from .build/, and take themselves for files of `packageDist`. */
async function buildForNode(entryPoints, packageDist, { forTests }) {
  await build({
    ...common,
    format: "esm",
    entryPoints,
    outbase: root,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    sourcemap: "inline",
    sourcesContent: false, // every process of the tests reads its map whole
    splitting: true,
    chunkNames: "chunks/[hash]",
    packages: "external",
    banner,
    define: { "import.meta.dirname": JSON.stringify(packageDist), ...constants({ forTests }) },
  });
}

await buildPackage();
if (process.argv.includes("--tests")) {
  rmSync(out, { recursive: true, force: true });
  await buildProgramForTests();
  await buildForNode(testFiles(), join(out, "program/dist"), { forTests: true });
  await buildForNode(["bench/run.ts"], dist, { forTests: false });
}
