// Builds dist/: the programs (bundle.mjs), the library (ESM with types), the report's page and the grammars. With --tests also
// .build/: tests and bench, so that node:test needs no loader.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { bundlePrograms, common, root } from "./bundle.mjs";
import { grammars } from "./grammars.mjs";

const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const version = { UA_HOOKS_VERSION: JSON.stringify(manifest.version) };

/** For CommonJS inside an ES module. Its own name: a source file may import createRequire, too. */
const banner = {
  js: "import { createRequire as ofModule } from 'node:module';\nconst require = ofModule(import.meta.url);",
};

async function copyGrammars() {
  mkdirSync(join(dist, "grammars"), { recursive: true });
  for (const [name, from] of Object.entries(grammars)) {
    const [source, target] = [join(root, "node_modules", from), join(dist, "grammars", name)];
    if (name.endsWith(".cjs")) await build({ entryPoints: [source], outfile: target, minify: true, logLevel: "error" });
    else cpSync(source, target);
  }
}

/** What the report's page runs in a browser: one script, left readable, since people may want to see what a page does. */
async function bundlePage() {
  const entryPoints = { report: "src/report/page/main.ts" };
  const browser = { platform: "browser", format: "iife", target: "es2022", charset: "ascii", legalComments: "none" };
  await build({ absWorkingDir: root, bundle: true, logLevel: "warning", entryPoints, outdir: dist, ...browser });
}

async function buildLibrary() {
  await build({
    ...common,
    format: "esm",
    entryPoints: { index: "src/index.ts" },
    // What is loaded late stays in files of its own, so that a bundler can leave out what nobody uses.
    splitting: true,
    chunkNames: "index-[hash]",
    outdir: dist,
    define: version,
    external: [...common.external, ...Object.keys(manifest.dependencies)],
    banner,
  });
  const tsc = join(root, "node_modules/.bin/tsc");
  const types = spawnSync(tsc, ["-p", "tsconfig.types.json"], { cwd: root, stdio: "inherit" });
  if (types.status !== 0) process.exit(1);
}

function testFiles() {
  const found = readdirSync(join(root, "test"), { recursive: true, withFileTypes: true });
  const tests = found.filter(({ name }) => name.endsWith(".test.ts"));
  return tests.map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

async function buildTests() {
  const out = join(root, ".build");
  rmSync(out, { recursive: true, force: true });
  await build({
    ...common,
    format: "esm",
    entryPoints: [...testFiles(), "bench/run.ts"],
    outbase: root,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    sourcemap: "inline",
    sourcesContent: false, // every process of the tests reads its map whole
    splitting: true,
    chunkNames: "chunks/[hash]",
    // What the package brings along is bundled as it is there; the rest stays where it is.
    external: [...common.external, ...Object.keys(manifest.devDependencies)],
    banner,
    // Code under test looks for its files where the package has them.
    define: { "import.meta.dirname": JSON.stringify(dist), ...version },
  });
}

rmSync(dist, { recursive: true, force: true });
await copyGrammars();
await bundlePrograms(dist, version);
await bundlePage();
await buildLibrary();
if (process.argv.includes("--tests")) await buildTests();
