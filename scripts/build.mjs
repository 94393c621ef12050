// Builds dist/: the hook entry and the CLI (one CommonJS file each, because an ES module start costs 5 ms more),
// the library (ESM with types) and the grammars. With --tests also .build/test, so that node:test needs no loader.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { grammars } from "./grammars.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const withTests = process.argv.includes("--tests");

/**
 * libsql finds its native package through process.report and detect-libc, which takes 17 ms of a 20 ms start.
 * Our stand-in answers the same question from the platform alone (src/store/libsql-target.ts).
 */
const quickLibsql = {
  name: "quick-libsql",
  setup(b) {
    const standIn = join(root, "src/store/libsql-target.ts");
    b.onResolve({ filter: /^(@neon-rs\/load|detect-libc)$/ }, () => ({ path: standIn }));
  },
};

/** Native packages and web-tree-sitter's optional Node branch are found at run time, not bundled. */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.17",
  plugins: [quickLibsql],
  external: ["@libsql/*"],
  logLevel: "warning",
  legalComments: "none",
};

const cjs = {
  ...common,
  format: "cjs",
  minify: true,
  keepNames: false,
  define: { "import.meta.dirname": "__dirname", "import.meta.url": '""' },
  outExtension: { ".js": ".cjs" },
};

function walk(dir, found = []) {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) walk(path, found);
    else if (entry.name.endsWith(".test.ts")) found.push(path);
  }
  return found;
}

async function copyGrammars() {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(join(dist, "grammars"), { recursive: true });
  for (const [name, from] of Object.entries(grammars)) {
    const [source, target] = [join(root, "node_modules", from), join(dist, "grammars", name)];
    if (name.endsWith(".cjs")) await build({ entryPoints: [source], outfile: target, minify: true, logLevel: "error" });
    else cpSync(source, target);
  }
}

async function buildDist() {
  await build({ ...cjs, entryPoints: { hook: "src/hook/main.ts" }, outdir: dist });
  await build({
    ...cjs,
    entryPoints: { cli: "src/cli/main.ts" },
    outdir: dist,
    banner: { js: "#!/usr/bin/env node" },
  });
  await build({
    ...common,
    format: "esm",
    entryPoints: { index: "src/index.ts" },
    outdir: dist,
    packages: "external",
    plugins: [],
  });
  const types = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.types.json"], {
    cwd: root,
    stdio: "inherit",
  });
  if (types.status !== 0) process.exit(1);
}

async function buildTests() {
  const out = join(root, ".build");
  rmSync(out, { recursive: true, force: true });
  await build({
    ...common,
    format: "esm",
    entryPoints: walk(join(root, "test")).map((path) => relative(root, path)),
    outbase: root,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    sourcemap: "inline",
    packages: "external",
    // Code under test looks for its files where the package has them.
    define: { "import.meta.dirname": JSON.stringify(dist) },
  });
}

await copyGrammars();
if (existsSync(join(root, "src/hook/main.ts"))) await buildDist();
if (withTests) await buildTests();
