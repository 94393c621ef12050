import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beginnings, dist, type Repo, type Result, root } from "./repo.js";

/** Another build of this program: its version, and the migrations that it has beyond ours. */
export interface OtherBuild {
  version: string;
  later: readonly (readonly string[])[];
}

type Bundle = { bundlePrograms(dist: string, define: Record<string, string>): Promise<unknown> };

/** Builds it once per run of the tests; returns the folder of its programs. */
export async function buildOther({ version, later }: OtherBuild): Promise<string> {
  const home = join(beginnings, `build-${version}`);
  const programs = join(home, "dist");
  if (existsSync(join(programs, "cli.cjs"))) return programs;
  mkdirSync(programs, { recursive: true });
  for (const name of ["hooks", "templates", "node_modules", "package.json"])
    symlinkSync(join(root, name), join(home, name));
  cpSync(join(dist, "grammars"), join(programs, "grammars"), { recursive: true });
  cpSync(join(dist, "report.js"), join(programs, "report.js"));
  const { bundlePrograms } = (await import(pathToFileURL(join(root, "scripts/bundle.mjs")).href)) as Bundle;
  await bundlePrograms(programs, {
    UA_HOOKS_VERSION: JSON.stringify(version),
    LATER_MIGRATIONS: JSON.stringify(later),
    FOR_TESTS: "true",
  });
  return programs;
}

/** A command of another build, in this repository. */
export function runOther(repo: Repo, programs: string, ...args: string[]): Result {
  const options = { cwd: repo.dir, env: repo.env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(programs, "cli.cjs"), ...args], options);
  return { code: status ?? -1, stdout, stderr };
}
