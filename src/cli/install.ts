import { relative } from "node:path";
import { isUaError, messageOf, UaError } from "../errors.js";
import { MANAGER_NAMES } from "../hook-managers/choose.js";
import type { ManagerName } from "../hook-managers/manager.js";
import { type InstallReport, install as installInto } from "../install/install.js";
import { locateProject, type Project } from "../repository/locate.js";
import { ask, isAttended } from "./ask.js";
import type { Command, Flags } from "./command.js";
import { diffLines, dryLines, installLines } from "./install-lines.js";
import { printable } from "./output.js";
import { createProgress } from "./progress.js";

export const install: Command = {
  summary: "install the hooks and build the baseline",
  usage:
    "[--manager M] [--agent A] [--shared] [--mode M] [--team] [--no-init] [--rebuild] [--dry-run] [--yes] | --ci github",
  example: "npx ua-hooks install",
  options: {
    manager: { type: "string" },
    agent: { type: "string", multiple: true },
    shared: { type: "boolean" },
    mode: { type: "string" },
    team: { type: "boolean" },
    "no-init": { type: "boolean" },
    rebuild: { type: "boolean" },
    ci: { type: "string" },
    "dry-run": { type: "boolean" },
    yes: { type: "boolean", short: "y" },
  },
  help: {
    "--manager M": `where to install the hooks; default: chosen automatically. One of ${MANAGER_NAMES.join(", ")}`,
    "--agent A": "notify coding agents of pending updates: claude, codex, cursor, gemini, copilot, opencode, or auto",
    "--shared": "write agent settings that are committed, not this clone's own",
    "--mode M":
      "marker: an agent gets what is pending. inline: the worker updates the graph itself. For this clone; default: the config's",
    "--team": "for artefacts that are committed: register a merge driver",
    "--no-init": "hooks only: build no graph and no baseline",
    "--rebuild": "build the structural graph again, even if there is one",
    "--ci github": "only write a workflow that comments on pull requests, after showing it",
    "--dry-run": "print the changes as a diff, and write nothing",
    "--yes": "answer yes to all questions",
  },
  async run({ cwd, flags, out }) {
    if (process.env.CI && isDependencyInstall()) {
      out.result({ schema: "ua-hooks.install/1", state: "skipped" }, ["ua-hooks: nothing installed in CI"]);
      return 0;
    }
    try {
      const dryRun = flags["dry-run"] === true;
      const project = await locateProject({ cwd, env: process.env });
      if (flags.ci !== undefined) return await (await import("./install-ci.js")).installCi(project, flags, out);
      const report = await carryOut(project, flags);
      out.result(
        toDocument(project, report, dryRun),
        dryRun ? dryLines(project, report) : installLines(project, report),
      );
      return 0;
    } catch (error) {
      // `npm ci` of a project whose `prepare` script runs us must not fail because of us: no .git, a full disk.
      if (!isDependencyInstall() || (isUaError(error) && error.code === "usage")) throw error;
      out.note(`ua-hooks: not installed: ${messageOf(error)}`);
      out.result({ schema: "ua-hooks.install/1", state: "failed", reason: messageOf(error) }, []);
      return 0;
    }
  },
};

async function carryOut(project: Project, flags: Flags): Promise<InstallReport> {
  const [yes, dryRun] = [flags.yes === true, flags["dry-run"] === true];
  const manager = managerOf(flags);
  const progress = createProgress("fingerprinting", { after: "building the graph" });
  // A dry run asks nothing: it shows what a yes would write.
  const may = async (question: string) => yes || (dryRun ? isAttended() : ask(question));
  const asked = manager === "hooks-path"; // choosing this place is the confirmation
  return installInto(project, {
    dryRun,
    ...{ manager, mode: modeIn(flags) },
    init: flags["no-init"] !== true,
    rebuild: flags.rebuild === true,
    team: flags.team === true,
    agents: agentsOf(flags.agent),
    shared: flags.shared === true,
    mayWriteSettings: (files) => may(`${files.join(", ")}: tracked by git. Add the agents' entries?`),
    mayWriteTracked: async (file, why) => {
      const name = printable(relative(project.worktree.path, file));
      return asked || may(`${name} is shared with others. Write it (${why})?`);
    },
    onProgress: progress.update,
  }).finally(progress.end);
}

function managerOf({ manager }: Flags): ManagerName | null {
  if (manager === undefined) return null;
  const found = MANAGER_NAMES.find((name) => name === manager);
  if (found !== undefined) return found;
  throw new UaError("usage", `unknown --manager ${String(manager)}`, `use one of ${MANAGER_NAMES.join(", ")}`);
}

function modeIn({ mode }: Flags): "marker" | "inline" | null {
  if (mode === undefined || mode === "marker" || mode === "inline") return mode ?? null;
  throw new UaError("usage", `unknown --mode ${String(mode)}`, "use marker or inline");
}

/** `--agent claude,codex` and `--agent claude --agent codex` are the same. */
function agentsOf(given: Flags[string]): string[] | null {
  if (!Array.isArray(given)) return null;
  return given.flatMap((one) => String(one).split(",")).map((name) => name.trim());
}

/** Started by npm's own install scripts; `npm run` counts as the user's command. */
function isDependencyInstall(): boolean {
  const event = process.env.npm_lifecycle_event ?? "";
  return ["preinstall", "install", "postinstall", "prepublish", "prepare"].includes(event);
}

function toDocument(project: Project, report: InstallReport, dryRun: boolean): Record<string, unknown> {
  return {
    schema: "ua-hooks.install/1",
    state: dryRun ? "planned" : "installed",
    place: report.places[0] ?? null,
    places: report.places,
    notes: report.notes,
    written: report.steps.map(({ file, what }) => ({ file, what })),
    ...(dryRun ? { diff: diffLines(project, report.steps).join("\n") } : {}),
    found: report.found,
    graph: report.graph,
    analyzedFiles: report.files,
    autoUpdate: report.autoUpdate === true,
    mode: report.mode,
    team: report.team,
    dataDir: project.dataDir,
    stateDir: project.stateDir,
    outcome: report.verification?.outcome ?? null,
  };
}
