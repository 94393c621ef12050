import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "./repo.js";

/** A checkout of Understand-Anything: UNDERSTAND_ANYTHING=<folder>, or beside the project. */
const checkout = resolve(process.env.UNDERSTAND_ANYTHING ?? "../shared/Understand-Anything");
const schema = join(checkout, "understand-anything-plugin/packages/core/src/schema.ts");

export const noSchema = existsSync(schema)
  ? false
  : "no checkout of Understand-Anything here (UNDERSTAND_ANYTHING=<folder>)";

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
