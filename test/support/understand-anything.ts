import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { PlainFingerprint } from "../../src/fingerprint/plain.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import type {
  ChangeAnalysis,
  FingerprintStore,
  StructuralAnalysis,
  UpdateDecision,
} from "../../src/verification/compat.js";
import { root } from "./repo.js";

/** A checkout of Understand-Anything: UNDERSTAND_ANYTHING=<folder>, or beside the project. */
const checkout = resolve(process.env.UNDERSTAND_ANYTHING ?? "../shared/Understand-Anything");
const schema = join(checkout, "understand-anything-plugin/packages/core/src/schema.ts");
const gate = join(checkout, "understand-anything-plugin/skills/understand/validate-incremental-symbols.mjs");
const core = join(checkout, "understand-anything-plugin/packages/core/dist/index.js");

export const noSchema = existsSync(schema)
  ? false
  : "no checkout of Understand-Anything here (UNDERSTAND_ANYTHING=<folder>)";

export const noCore = existsSync(core)
  ? false
  : "no checkout of Understand-Anything with its core built here (UNDERSTAND_ANYTHING=<folder>)";

export const noGate = existsSync(gate)
  ? false
  : "no checkout of Understand-Anything of September 2026 or later here (UNDERSTAND_ANYTHING=<folder>)";

interface SchemaResult {
  success: boolean;
  issues: { level: string; message: string }[];
  fatal?: string;
}

/** Its own check of a graph: what it would mend, leave out or refuse. */
export async function loadSchemaCheck(): Promise<(graph: unknown) => string[]> {
  const folder = mkdtempSync(join(tmpdir(), "understand-anything-"));
  try {
    const outfile = join(folder, "schema.mjs");
    const nodePaths = [join(checkout, "node_modules"), join(root, "node_modules")];
    const options = { bundle: true, platform: "node", format: "esm", logLevel: "error" } as const;
    await build({ ...options, entryPoints: [schema], outfile, nodePaths });
    const { validateGraph } = (await import(pathToFileURL(outfile).href)) as {
      validateGraph: (graph: unknown) => SchemaResult;
    };
    return (graph) => {
      const { success, issues, fatal } = validateGraph(graph);
      const found = issues.map(({ level, message }) => `${level}: ${message}`);
      return success ? found : [...found, `refused: ${fatal ?? "not said why"}`];
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Core {
  TreeSitterPlugin: new (configs: readonly object[]) => { init(): Promise<void> };
  PluginRegistry: new () => Registry;
  builtinLanguageConfigs: readonly { treeSitter?: object }[];
  registerAllParsers(registry: Registry): void;
  extractFileFingerprint(path: string, text: string, analysis: StructuralAnalysis): PlainFingerprint;
  analyzeChanges(
    folder: string,
    changed: readonly string[],
    stored: Pick<FingerprintStore, "files">,
    registry: Registry,
  ): ChangeAnalysis;
  classifyUpdate(analysis: ChangeAnalysis, files: number, known: readonly string[]): UpdateDecision;
}

interface Registry {
  register(plugin: object): void;
  analyzeFile(path: string, text: string): StructuralAnalysis | null;
}

/** Its own core, with all of its parsers. */
export async function loadCore() {
  const loaded = (await import(pathToFileURL(core).href)) as Core;
  const plugin = new loaded.TreeSitterPlugin(loaded.builtinLanguageConfigs.filter((config) => config.treeSitter));
  await plugin.init();
  const registry = new loaded.PluginRegistry();
  registry.register(plugin);
  loaded.registerAllParsers(registry);
  return {
    /** What it would write about a file into fingerprints.json. */
    entryOf(path: string, text: string): PlainFingerprint {
      const analysis = registry.analyzeFile(path, text);
      if (analysis === null) throw new Error(`it has no parser for ${path}`);
      return loaded.extractFileFingerprint(path, text, analysis);
    },
    /** What it decides when it compares these files with what is stored about them. */
    decide(folder: string, stored: Pick<FingerprintStore, "files">, changed: readonly string[]): UpdateDecision {
      const known = Object.keys(stored.files);
      return loaded.classifyUpdate(loaded.analyzeChanges(folder, changed, stored, registry), known.length, known);
    },
  };
}

/** What the graph says of one file. */
type FileGraph = Pick<KnowledgeGraph, "nodes" | "edges"> & { filePath: string };

/** Its check before an incremental update is saved: symbols that have gone without a proof. One of them stops the update. */
export async function loadSymbolGate(): Promise<
  (path: string, before: KnowledgeGraph, after: KnowledgeGraph) => string[]
> {
  const { compareFileSymbols } = (await import(pathToFileURL(gate).href)) as {
    compareFileSymbols: (before: FileGraph, after: FileGraph) => { missing: { id: string; status: string }[] };
  };
  const fileIn = (graph: KnowledgeGraph, filePath: string): FileGraph => {
    const nodes = graph.nodes.filter((node) => node.filePath === filePath);
    const ids = new Set(nodes.map(({ id }) => id));
    return { filePath, nodes, edges: graph.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)) };
  };
  // Without what its parser says of the two texts: it has none for a shell script, and says nothing of a type.
  return (path, before, after) =>
    compareFileSymbols(fileIn(before, path), fileIn(after, path))
      .missing.filter(({ status }) => status !== "deleted")
      .map(({ id }) => id);
}
