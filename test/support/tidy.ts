import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { artefactPath, META } from "../../src/knowledge/artefacts.js";
import { isRunning } from "../../src/platform/process.js";
import type { Project } from "../../src/repository/locate.js";

/** No half-written file, no lock and no pid of a dead process; every artefact can be read. */
export function assertTidy(project: Project, what: string): void {
  const { stateDir, dataDir } = project;
  assert.deepEqual(leftovers(project), [], `${what}: no temporary file is left`);
  for (const name of readdirSync(dataDir).filter((name) => name.endsWith(".json"))) {
    JSON.parse(readFileSync(join(dataDir, name), "utf8"));
  }
  JSON.parse(readFileSync(artefactPath(project, META), "utf8"));
  const pid = Number(readIf(join(stateDir, "runner.pid")));
  assert.ok(!isRunning({ pid, born: "" }), `${what}: no runner is left`);
}

/** Temporary files in any folder that we write into. */
export function leftovers({ stateDir, dataDir, commonDir, root }: Project): string[] {
  const flat = [commonDir, join(commonDir, "info"), join(commonDir, "hooks"), ...(root === null ? [] : [root])];
  const deep = [stateDir, dataDir].flatMap((dir) => namesIn(dir, true));
  return [...deep, ...flat.flatMap((dir) => namesIn(dir, false))].filter((path) => path.endsWith(".tmp"));
}

function namesIn(dir: string, recursive: boolean): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive, encoding: "utf8" }).map((name) => join(dir, name));
}

function readIf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
