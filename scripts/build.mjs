// Builds dist/: the hook entry and the CLI (one CommonJS file each, because an ES module start costs 5 ms more),
// the library (ESM with types) and the grammars. With --tests also .build/test, so that node:test needs no loader.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { grammars } from "./grammars.mjs";

const root = join(import.meta.dirname, "..");
const dist = join(root, "dist");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const version = { UA_HOOKS_VERSION: JSON.stringify(manifest.version) };
const dependencies = Object.keys(manifest.dependencies);
const withTests = process.argv.includes("--tests");

/**
 * libsql finds its native package through process.report and detect-libc, which takes 17 ms of a 20 ms start.
 * Our stand-in answers the same question from the platform alone (src/store/libsql-target.ts).
 */
const quickStart = {
  name: "quick-start",
  setup(b) {
    const standIn = join(root, "src/store/libsql-target.ts");
    b.onResolve({ filter: /^(@neon-rs\/load|detect-libc)$/ }, () => ({ path: standIn }));
    // proper-lockfile wants graceful-fs, which patches all of fs at load; the plain one is quicker and enough.
    b.onResolve({ filter: /^graceful-fs$/ }, () => ({ path: "node:fs", external: true }));
  },
};

/** Native packages and web-tree-sitter's optional Node branch are found at run time, not bundled. */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.17",
  plugins: [quickStart],
  external: ["@libsql/*"],
  logLevel: "warning",
  legalComments: "none",
};

const cjs = {
  ...common,
  format: "cjs",
  minify: true,
  keepNames: false,
  define: {
    "import.meta.dirname": "__dirname",
    "import.meta.url": '""',
    ...version,
  },
  // import() starts Node's ES module loader, 5 ms; as require() it does not.
  supported: { "dynamic-import": false },
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

/**
 * V8 reads a whole file before it runs any of it, 7 ms per 100 KB; so what few runs need is a file of its own, which
 * hook.cjs and cli.cjs load when they get there. `from` is how the source names it.
 */
const chunks = [
  { from: "./work.js", entry: "src/hook/work.ts", file: "work.cjs" },
  { from: "cosmiconfig", entry: "cosmiconfig", file: "cosmiconfig.cjs" },
];

const loadChunks = (but) => ({
  name: "load-chunks",
  setup(b) {
    for (const { from, file } of chunks.filter((chunk) => chunk.from !== but)) {
      const filter = new RegExp(`^${from.replaceAll(".", "\\.")}$`);
      b.onResolve({ filter }, ({ kind }) =>
        kind === "entry-point" ? undefined : { path: `./${file}`, external: true },
      );
    }
  },
});

async function bundle(entry, file, but, banner = "") {
  const plugins = [...common.plugins, loadChunks(but)];
  await build({ ...cjs, plugins, entryPoints: [entry], outfile: join(dist, file), banner: { js: banner } });
}

async function buildDist() {
  for (const { from, entry, file } of chunks) await bundle(entry, file, from);
  await bundle("src/hook/main.ts", "hook.cjs");
  await bundle("src/fingerprint/worker.ts", "worker.cjs");
  await bundle("src/cli/main.ts", "cli.cjs", "", "#!/usr/bin/env node");
  await build({
    ...common,
    format: "esm",
    entryPoints: { index: "src/index.ts" },
    outdir: dist,
    define: version,
    external: [...common.external, ...dependencies],
    // Its own name: a source file may import createRequire, too.
    banner: {
      js: "import { createRequire as ofModule } from 'node:module';\nconst require = ofModule(import.meta.url);",
    },
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
    entryPoints: [...walk(join(root, "test")).map((path) => relative(root, path)), "bench/run.ts"],
    outbase: root,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    sourcemap: "inline",
    packages: "external",
    // Code under test looks for its files where the package has them.
    define: { "import.meta.dirname": JSON.stringify(dist), ...version },
  });
}

await copyGrammars();
if (existsSync(join(root, "src/hook/main.ts"))) await buildDist();
if (withTests) await buildTests();
