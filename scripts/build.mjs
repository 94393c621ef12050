// Builds dist/: the programs (bundle.mjs), the library (ESM with types), the report's page and the grammars. With --tests also
// .build/: the same program with fault points in it, the tests, and the bench, so that node:test needs no loader.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants as zlib } from "node:zlib";
import { build } from "esbuild";
import { bundlePrograms, common, root } from "./bundle.mjs";
import { grammars, parser } from "./grammars.mjs";
import { notices } from "./notices.mjs";

const dist = join(root, "dist");
const out = join(root, ".build");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Constants of the sources (src/version.d.ts). What depends on one that is false is left out. */
const constants = ({ forTests }) => ({
  UA_HOOKS_VERSION: JSON.stringify(manifest.version),
  LATER_MIGRATIONS: "undefined",
  FOR_TESTS: String(forTests),
});

/** For CommonJS inside an ES module. Its own name: a source file may import createRequire, too. */
const banner = {
  js: "import { createRequire as ofModule } from 'node:module';\nconst require = ofModule(import.meta.url);",
};

async function buildPackage() {
  rmSync(dist, { recursive: true, force: true });
  await packGrammars();
  const inputs = await bundlePrograms(dist, constants({ forTests: false }));
  await bundlePage(dist);
  inputs.push(...(await buildLibrary()), ...Object.values(grammars));
  writeFileSync(join(dist, "THIRD-PARTY-NOTICES"), notices(inputs));
  return inputs;
}

/** Compressed: 30 MB become 2. Quality 11 would take a minute for a tenth less. */
async function packGrammars() {
  mkdirSync(join(dist, "grammars"), { recursive: true });
  const params = { [zlib.BROTLI_PARAM_QUALITY]: 9, [zlib.BROTLI_PARAM_LGWIN]: zlib.BROTLI_MAX_WINDOW_BITS };
  const pack = async ([name, from]) => {
    const packed = await promisify(brotliCompress)(readFileSync(join(root, from)), { params });
    writeFileSync(join(dist, "grammars", `${name}.br`), packed);
  };
  await Promise.all(Object.entries(grammars).map(pack));
  await copyParser(join(dist, "grammars"));
}

/** The parser that runs the grammars. Not in a bundle: see src/fingerprint/parser.ts. */
async function copyParser(into) {
  const entryPoints = [join(root, parser)];
  await build({ entryPoints, outfile: join(into, "tree-sitter.cjs"), minify: true, logLevel: "error" });
}

/** What the report's page runs in a browser: one script, left readable, since people may want to see what a page does. */
async function bundlePage(outdir) {
  const entryPoints = { report: "src/report/page/main.ts" };
  const browser = { platform: "browser", format: "iife", target: "es2022", charset: "ascii", legalComments: "none" };
  await build({ absWorkingDir: root, bundle: true, logLevel: "warning", entryPoints, outdir, ...browser });
}

async function buildLibrary() {
  const { outputFiles, metafile } = await build({
    ...common,
    format: "esm",
    entryPoints: { index: "src/index.ts" },
    // What is loaded late stays in files of its own, so that a bundler can leave out unused code.
    splitting: true,
    chunkNames: "index-[hash]",
    outdir: dist,
    minifySyntax: true, // leaves out what the constants switch off
    define: constants({ forTests: false }),
    banner,
    write: false,
    metafile: true,
  });
  // esbuild does not say that loading a CommonJS package has no other effect, and a user's bundler would keep each one.
  const loading = /(?<=[=(] ?)(?=(__commonJS|__toESM|require_\w+)\()/g;
  for (const { path, text } of outputFiles) writeFileSync(path, text.replaceAll(loading, "/* @__PURE__ */ "));
  const tsc = join(root, "node_modules/.bin/tsc");
  const types = spawnSync(tsc, ["-p", "tsconfig.types.json"], { cwd: root, stdio: "inherit" });
  if (types.status !== 0) process.exit(1);
  keepReached(join(dist, "types"), "index.d.ts");
  return Object.keys(metafile.inputs);
}

/** tsc writes the types of every source file. Those that the library's own do not lead to say nothing to its user. */
function keepReached(folder, entry) {
  const reached = new Set();
  const open = [join(folder, entry)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const imports = readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.js"/g);
    for (const [, path] of imports) open.push(`${join(dirname(file), path)}.d.ts`);
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(file)) rmSync(file);
  }
}

/**
 * A second package, in .build/program/, with what only tests switch on. All of it but the program is the repository's own, by
 * links: code under test looks for hooks/ and templates/ beside its dist/, tests for docs/ and more. Its grammars are unpacked, as
 * in a clone.
 */
async function buildProgramForTests() {
  const program = join(out, "program");
  mkdirSync(join(program, "dist"), { recursive: true });
  for (const name of readdirSync(root)) if (name !== "dist") symlinkSync(join(root, name), join(program, name));
  mkdirSync(join(program, "dist/grammars"));
  for (const [name, from] of Object.entries(grammars))
    copyFileSync(join(root, from), join(program, "dist/grammars", name));
  await copyParser(join(program, "dist/grammars"));
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

const inputs = await buildPackage();
if (process.argv.includes("--tests")) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out);
  writeFileSync(join(out, "inputs.json"), JSON.stringify(inputs, null, 2));
  await buildProgramForTests();
  await buildForNode(
    [...testFiles(), "test/support/command-server.ts", "test/support/odd-files.ts"],
    join(out, "program/dist"),
    { forTests: true },
  );
  await buildForNode(["bench/run.ts", "bench/likelihood.ts", "test/clients/run.ts"], dist, { forTests: false });
}
