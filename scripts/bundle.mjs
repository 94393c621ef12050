// How esbuild is called: the options that every bundle shares, and the programs of dist/.
import { join, relative } from "node:path";
import { build } from "esbuild";

export const root = join(import.meta.dirname, "..");

/**
 * Packages that are replaced because of what they do when they are loaded.
 * - libsql looks for its binary by process.report, 17 ms; our module looks at the platform.
 * - graceful-fs, of proper-lockfile, patches all of fs.
 * - signal-exit, of proper-lockfile, listens to every signal, 4 ms, to remove the lock of a killed process. Ours is taken
 *   over where its holder is dead.
 */
const alias = {
  "@neon-rs/load": "./src/store/libsql-target.ts",
  "detect-libc": "./src/store/libsql-target.ts",
  "graceful-fs": "node:fs",
  "signal-exit": "data:text/javascript,module.exports=()=>()=>{}",
};

/** Native packages are found at run time. cosmiconfig asks for TypeScript only to read a config file that is a program. */
export const common = {
  absWorkingDir: root,
  alias,
  bundle: true,
  platform: "node",
  mainFields: ["module", "main"], // jsonc-parser's "main" requires its own files in a way that no bundler sees
  target: "node20.17",
  external: ["@libsql/*", "typescript"],
  logLevel: "warning",
  legalComments: "none",
};

/** What each program starts with. */
const STARTS = { "hook-main": "src/worker/main.ts", "agent-main": "src/agents/main.ts", cli: "src/cli/main.ts" };
/** hook.cjs and agent.cjs, which load the first two in the form that V8 kept. */
const CACHED = "src/platform/start-cached.ts";
/** Loaded by one command only, and larger than all the rest together. */
const MCP = "src/agents/mcp/server.ts";
/** What git waits for in the foreground, with everything that reads a changed file: a third of program.cjs. */
const VERIFY = "src/worker/foreground.ts";
const isVerification = (file) => /^(src\/(fingerprint|repository|records|registry)|node_modules\/libsql)\//.test(file);
/** Commands that are run often, and need a quarter of program.cjs; of sharing, what asks the remote whether there is anything new. */
const QUICK = ["record", "registry", "share"];
const quickFiles = QUICK.map((name) => `src/cli/${name}.ts`);
const isQuick = (file) =>
  /^(src\/(cli\/(record|registry|share-exchange)|repository|records|registry|sharing\/(pull|push))|node_modules\/libsql)/.test(
    file,
  );
/** picomatch, which few configs need. */
const GLOBS = "src/repository/config-globs.ts";
/** Every command starts with it. */
const VERSIONS = "src/cli/versions.ts";

/**
 * The programs of dist/, CommonJS, since an ES module takes 5 ms more to start.
 *
 *     hook.cjs  agent.cjs  cli.cjs    what git, agents and people start
 *     hook-main.cjs  agent-main.cjs   what the first two load: one small file each, since most starts end there
 *     verify.cjs                      what git waits for in the foreground
 *     quick.cjs                       the commands that are run often
 *     program.cjs                     everything else that these load with import(); a module runs when it is asked for
 *     mcp.cjs                         the MCP server and its SDK
 *     globs.cjs                       picomatch, for configs with globs
 *     worker.cjs                      a thread that parses
 *
 * Each file is whole: it has a copy of what it shares with others. V8 reads all of a file before it runs any of it, some 7 ms
 * for 100 KB, unless its compiled form was kept (code-cache.ts): hence small starts, and three files for the rest. Returns the files
 * that went into them.
 */
export async function bundlePrograms(dist, define) {
  const inputs = new Set();
  const late = new Set();
  const inFile = (name, file) => `require("./${name}.cjs")[${JSON.stringify(file)}]()`;
  const program = (file) => {
    late.add(file);
    return inFile("program", file);
  };
  const fromAll = whenImported((file) => {
    if (file === VERIFY) return `require("./verify.cjs")`;
    if (quickFiles.includes(file)) return inFile("quick", file);
    // From the file that the command is loaded from.
    if (file === VERSIONS)
      return `${JSON.stringify(QUICK)}.includes(process.argv[2]) ? ${inFile("quick", file)} : ${program(file)}`;
    return program(file);
  });
  const fromProgram = (isInside) => whenImported((file) => (isInside(file) ? undefined : program(file)));
  const fromMcp = whenImported((file) => (file === MCP ? `require("./mcp.cjs")` : undefined));
  const bundle = async (name, input) => {
    const { metafile } = await bundleProgram(join(dist, `${name}.cjs`), define, input);
    for (const file of Object.keys(metafile.inputs)) inputs.add(file);
  };

  for (const [name, entry] of Object.entries(STARTS))
    await bundle(name, {
      entryPoints: [entry],
      plugins: [fromAll],
      ...(name === "cli" ? { banner: { js: "#!/usr/bin/env node" } } : {}),
    });
  for (const name of ["hook", "agent"]) await bundle(name, { entryPoints: [CACHED] });
  await bundle("verify", { entryPoints: [VERIFY], plugins: [fromProgram(isVerification)] });
  await bundle("quick", { stdin: tableOf([...quickFiles, VERSIONS]), plugins: [fromProgram(isQuick)] });
  await bundle("program", { stdin: tableOf(late), plugins: [fromMcp] });
  await bundle("mcp", { entryPoints: [MCP], plugins: [whenImported(() => undefined)] });
  await bundle("globs", { entryPoints: [GLOBS] });
  await bundle("worker", { entryPoints: ["src/knowledge/parse-thread.ts"] });
  return [...inputs];
}

/** Modules by their name, each of which runs when it is asked for. */
function tableOf(files) {
  const lines = [...files].map(
    (file) => `exports[${JSON.stringify(file)}] = () => require(${JSON.stringify(`./${file}`)});`,
  );
  return { contents: lines.join("\n"), resolveDir: root };
}

function bundleProgram(outfile, define, input) {
  return build({
    ...common,
    format: "cjs",
    minify: true,
    metafile: true,
    outfile,
    // import() would start Node's ES module loader, 5 ms; as require() it does not.
    supported: { "dynamic-import": false },
    define: { "import.meta.dirname": "__dirname", "import.meta.url": '""', ...define },
    ...input,
  });
}

/** Also GLOBS, from each file. `elsewhere` gives, for a module that is loaded with import(), the expression that loads it from another file. */
function whenImported(elsewhere) {
  return {
    name: "when-imported",
    setup(b) {
      b.onResolve({ filter: /.*/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== "dynamic-import" || pluginData === "resolving") return undefined;
        const found = await b.resolve(path, { kind, resolveDir, pluginData: "resolving" });
        const file = relative(root, found.path);
        const expression = found.external ? undefined : file === GLOBS ? `require("./globs.cjs")` : elsewhere(file);
        return expression === undefined ? found : { path: expression, namespace: "elsewhere" };
      });
      b.onResolve({ filter: /.*/, namespace: "elsewhere" }, ({ path }) => ({ path, external: true }));
      b.onLoad({ filter: /.*/, namespace: "elsewhere" }, ({ path }) => ({ contents: `module.exports = ${path};` }));
    },
  };
}
