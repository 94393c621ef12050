// Builds dist/: the hook entry and the CLI (one CommonJS file each, because an ES module start costs 5 ms more),
// the library (ESM with types) and the grammars. With --tests also .build/test, so that node:test needs no loader.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { build, transform } from "esbuild";
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
    // Its CommonJS build asks for its own files in a way that no bundler sees.
    const jsonc = join(root, "node_modules/jsonc-parser/lib/esm/main.js");
    b.onResolve({ filter: /^jsonc-parser$/ }, () => ({ path: jsonc }));
    b.onResolve({ filter: /^graceful-fs$/ }, () => ({ path: "node:fs", external: true }));
    // It would listen to every signal, 4 ms, to remove the lock of a process that is killed. Ours is taken over at once
    // where its holder is dead (src/store/lock.ts), and a kill -9 asks nobody anyway.
    b.onResolve({ filter: /^signal-exit$/ }, () => ({ path: "signal-exit", namespace: "stand-in" }));
    b.onLoad({ filter: /.*/, namespace: "stand-in" }, () => ({ contents: "module.exports = () => () => {};" }));
  },
};

/** Native packages are found at run time, not bundled; TypeScript is cosmiconfig's, for config files that are programs (invariant "a checkout runs no code"). */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20.17",
  plugins: [quickStart],
  external: ["@libsql/*", "typescript"],
  logLevel: "warning",
  legalComments: "none",
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

const toCjs = { format: "cjs", define: { "import.meta.dirname": "__dirname", "import.meta.url": '""', ...version } };

/**
 * The hooks' programs: one file for what a start needs, and one for everything that import() loads later, whole, with
 * its own copy of what it shares. V8 reads a file before it runs any of it, 7 ms per 100 KB, and each further file
 * costs a millisecond: so few files, and no more in each than its way needs.
 */
async function bundleHook(entries, name) {
  const late = new Map(entries.map(([entry, out]) => [join(root, entry), out]));
  const splitOff = {
    name: "split-off",
    setup(b) {
      b.onResolve({ filter: /.*/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== "dynamic-import" || pluginData === "resolved") return undefined;
        if (path.startsWith("node:") || common.external.includes(path)) return { path, external: true };
        const { path: file } = await b.resolve(path, { kind, resolveDir, pluginData: "resolved" });
        if (!late.has(file))
          late.set(
            file,
            `${name}-${relative(root, file)
              .replace(/^node_modules\/|\.[jt]s$/g, "")
              .replace(/\W+/g, "-")}.cjs`,
          );
        return { path: `./${late.get(file)}`, external: true };
      });
    },
  };
  // A Map is walked in the order of insertion, what is added on the way included.
  for (const [file, out] of late) {
    const plugins = [splitOff, ...common.plugins];
    const outfile = join(dist, out);
    // import() would start Node's ES module loader, 5 ms; as require() it does not.
    const supported = { "dynamic-import": false };
    await build({ ...common, ...toCjs, plugins, supported, minify: true, entryPoints: [file], outfile });
  }
}

/** Programs of their own among what commands load: one file to read in place of twenty. */
const whole = {
  name: "whole",
  setup(b) {
    b.onResolve({ filter: /registry\/answers\.js$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./registry.cjs", external: true } : undefined,
    );
    b.onResolve({ filter: /^\.\/registry\.js$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./registry-command.cjs", external: true } : undefined,
    );
    b.onResolve({ filter: /\/record-relevant\.js$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./relevant.cjs", external: true } : undefined,
    );
  },
};

/**
 * The commands: split where they share, since there are many. esbuild splits ES modules, each is then made CommonJS. The
 * start is one file, with its own copy of what it needs: every further one costs a millisecond.
 */
async function bundleCli(entry, name) {
  const options = { ...common, plugins: [whole, ...common.plugins], define: toCjs.define };
  const { outputFiles, metafile } = await build({
    ...options,
    format: "esm",
    splitting: true,
    write: false,
    metafile: true,
    entryPoints: { [name]: entry },
    outdir: dist,
    chunkNames: `${name}-[hash]`,
    outExtension: { ".js": ".cjs" },
  });
  const supported = { "dynamic-import": false };
  for (const { path, text } of outputFiles) {
    if (path === join(dist, `${name}.cjs`)) continue;
    const toCommon = { format: "cjs", platform: "node", target: common.target, minify: true, supported };
    writeFileSync(path, (await transform(text, toCommon)).code);
  }
  const chunks = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  const chunkOf = new Map(chunks.map(([path, { entryPoint }]) => [join(root, entryPoint), `./${basename(path)}`]));
  const late = {
    name: "late",
    setup(b) {
      b.onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
        if (kind !== "dynamic-import") return undefined;
        const chunk = chunkOf.get(join(resolveDir, path.replace(/\.js$/, ".ts")));
        if (chunk === undefined) throw new Error(`${path} is loaded late, but was not split off`);
        return { path: chunk, external: true };
      });
    },
  };
  const start = { ...options, plugins: [whole, late, ...common.plugins], format: "cjs", minify: true, supported };
  await build({
    ...start,
    entryPoints: [entry],
    outfile: join(dist, `${name}.cjs`),
    banner: { js: "#!/usr/bin/env node" },
  });
}

/** What the report's page runs in a browser: one script, left readable, since people may want to see what a page does. */
async function bundlePage() {
  const entryPoints = { report: "src/report/page/main.ts" };
  const browser = { platform: "browser", format: "iife", target: "es2022", charset: "ascii", legalComments: "none" };
  await build({ absWorkingDir: root, bundle: true, logLevel: "warning", entryPoints, outdir: dist, ...browser });
}

/** For CommonJS inside an ES module. Its own name: a source file may import createRequire, too. */
const withRequire = {
  js: "import { createRequire as ofModule } from 'node:module';\nconst require = ofModule(import.meta.url);",
};

async function buildDist() {
  // What git starts and what agents start share everything that is loaded later.
  const starts = { "src/worker/main.ts": "hook.cjs", "src/agents/main.ts": "agent.cjs" };
  Object.assign(starts, { "src/registry/answers.ts": "registry.cjs" });
  Object.assign(starts, { "src/cli/registry.ts": "registry-command.cjs" });
  Object.assign(starts, { "src/cli/record-relevant.ts": "relevant.cjs" });
  await bundleHook(Object.entries(starts), "hook");
  await bundleHook([["src/fingerprint/worker.ts", "worker.cjs"]], "worker");
  await bundleCli("src/cli/main.ts", "cli");
  await bundlePage();
  await build({
    ...common,
    format: "esm",
    entryPoints: { index: "src/index.ts" },
    // What is loaded late stays in files of its own, so that a bundler can leave out what nobody uses.
    splitting: true,
    chunkNames: "index-[hash]",
    outdir: dist,
    define: version,
    external: [...common.external, ...dependencies],
    banner: withRequire,
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
    sourcesContent: false, // every process of the tests reads its map whole
    splitting: true,
    chunkNames: "chunks/[hash]",
    // What the package brings along is bundled as it is there; the rest stays where it is.
    external: [...common.external, ...Object.keys(manifest.devDependencies)],
    banner: withRequire,
    // Code under test looks for its files where the package has them.
    define: { "import.meta.dirname": JSON.stringify(dist), ...version },
  });
}

await copyGrammars();
if (existsSync(join(root, "src/worker/main.ts"))) await buildDist();
if (withTests) await buildTests();
