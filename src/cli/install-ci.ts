import { dirname, join } from "node:path";
import { UaError } from "../errors.js";
import { type FileStep, stillNeeded } from "../hook-managers/plan.js";
import { packageFile } from "../install/runtime.js";
import { makeFolder } from "../platform/change-files.js";
import type { Project } from "../repository/locate.js";
import { writeFileAtomic } from "../store/files.js";
import { ask, isAttended } from "./ask.js";
import type { Flags } from "./command.js";
import { diffLines } from "./install-lines.js";
import type { Out } from "./output.js";

/** Where a workflow of each system stands, and the template that it is made from. */
const SYSTEMS: Record<string, { file: string; template: string }> = {
  github: { file: ".github/workflows/ua-hooks.yml", template: "github-review.yml" },
};

/** Writes the workflow that comments on pull requests, and nothing else: shown as a diff first, written after a yes. */
export async function installCi(project: Project, flags: Flags, out: Out): Promise<number> {
  const system = Object.hasOwn(SYSTEMS, String(flags.ci)) ? SYSTEMS[String(flags.ci)] : undefined;
  if (system === undefined) throw new UaError("usage", `--ci knows ${Object.keys(SYSTEMS).join(", ")}`);
  const root = project.worktree.path;
  const file = join(root, system.file);
  const text = packageFile("templates", system.template);
  const steps: FileStep[] = stillNeeded([{ file, what: "a workflow for pull requests", text }]);
  const diff = diffLines(project, steps);
  const isSure = flags.yes === true;
  const document = {
    schema: "ua-hooks.install/1",
    diff: diff.join("\n"),
    written: [] as { file: string; what: string }[],
  };
  if (steps.length === 0) out.result({ ...document, state: "installed" }, [`${system.file} is as it should be`]);
  else if (flags["dry-run"] === true) out.result({ ...document, state: "planned" }, diff);
  else {
    if (!isSure && !isAttended())
      throw new UaError("usage", "--ci writes a tracked file; without a terminal it needs --yes");
    for (const line of diff) out.note(line);
    if (!isSure && !(await ask(`Write ${system.file}?`))) {
      out.result({ ...document, state: "planned" }, ["Nothing is written."]);
      return 0;
    }
    makeFolder(dirname(file), root, 0o755);
    writeFileAtomic(file, text);
    const written = [{ file, what: "a workflow for pull requests" }];
    out.result({ ...document, state: "installed", written }, [`Written: ${system.file}; commit it.`]);
  }
  return 0;
}
