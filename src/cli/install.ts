import { relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { type InstallReport, install as installInto } from "../install/install.js";
import { locateProject, type Project } from "../project/locate.js";
import type { Command, Flags } from "./command.js";
import { count, paint, printable, short, table } from "./output.js";
import { createProgress } from "./progress.js";

export const install: Command = {
  summary: "put the hooks in and build the baseline",
  usage: "[--agent A] [--shared] [--team] [--no-init] [--rebuild] [--dry-run] [--yes]",
  example: "npx ua-hooks install",
  options: {
    agent: { type: "string", multiple: true },
    shared: { type: "boolean" },
    team: { type: "boolean" },
    "no-init": { type: "boolean" },
    rebuild: { type: "boolean" },
    "dry-run": { type: "boolean" },
    yes: { type: "boolean", short: "y" },
  },
  help: {
    "--agent A": "tell coding agents what is pending: claude, codex, cursor, gemini, copilot, opencode, or auto",
    "--shared": "write that into the settings that are committed, not into this clone's own",
    "--team": "the artefacts are meant to be committed: name and register a merge driver for them",
    "--no-init": "hooks only: build no graph, take no baseline",
    "--rebuild": "build the structural graph anew, even where there is one",
    "--dry-run": "say what would be written, and write nothing",
    "--yes": "answer yes to what would be asked",
  },
  async run({ cwd, flags, out }) {
    if (process.env.CI && process.env.npm_lifecycle_event !== undefined && isDependencyInstall()) {
      out.result({ schema: "ua-hooks.install/1", state: "skipped" }, ["ua-hooks: CI, nothing installed"]);
      return 0;
    }
    const project = await locateProject({ cwd, env: process.env });
    const progress = createProgress("fingerprinting");
    const report = await installInto(project, {
      dryRun: flags["dry-run"] === true,
      init: flags["no-init"] !== true,
      rebuild: flags.rebuild === true,
      team: flags.team === true,
      agents: agentsOf(flags.agent),
      shared: flags.shared === true,
      mayWriteSettings: async (files) =>
        flags.yes === true || (await ask(`${files.join(", ")}: tracked by git. Write the agents' entries into them?`)),
      mayWriteTracked: async () =>
        flags.yes === true || (await ask(".gitattributes is for everyone. Write the merge driver's lines into it?")),
      mayEnable: async () => flags.yes === true || (await ask("config.json says autoUpdate: false. Switch it on?")),
      onProgress: progress.update,
    }).finally(progress.end);
    out.result(
      toDocument(project, report, flags["dry-run"] === true),
      toLines(project, report, flags["dry-run"] === true),
    );
    return 0;
  },
};

/** Under npm's own install scripts in CI nobody wants hooks; `npm run` by hand is somebody's wish. */
function isDependencyInstall(): boolean {
  return ["preinstall", "install", "postinstall", "prepare"].includes(process.env.npm_lifecycle_event ?? "");
}

/** `--agent claude,codex` and `--agent claude --agent codex` are the same. */
function agentsOf(given: Flags[string]): string[] | null {
  if (!Array.isArray(given)) return null;
  return given.flatMap((one) => String(one).split(",")).map((name) => name.trim());
}

async function ask(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function toDocument(project: Project, report: InstallReport, dryRun: boolean): Record<string, unknown> {
  return {
    schema: "ua-hooks.install/1",
    state: dryRun ? "planned" : "installed",
    place: "native",
    written: report.steps.map(({ file, what }) => ({ file, what })),
    graph: report.graph,
    analyzedFiles: report.files,
    autoUpdate: report.autoUpdate,
    team: report.team,
    notes: report.notes,
    dataDir: project.dataDir,
    stateDir: project.stateDir,
    outcome: report.verification?.outcome ?? null,
  };
}

function toLines(project: Project, report: InstallReport, dryRun: boolean): string[] {
  const place = (file: string) => relative(project.root ?? project.view.path, file) || file;
  const written = report.steps.map(({ file, what }) => [`  ${place(file)}`, paint("dim", what)]);
  const lines = [
    dryRun ? "Would write:" : "Written:",
    ...(written.length === 0 ? ["  nothing: all is in place"] : table(written)),
  ];
  lines.push(...report.notes.map((note) => `  ${printable(note)}`));
  if (dryRun) return lines;
  lines.push("", ...table(summary(report)), "");
  if (!report.autoUpdate)
    lines.push("autoUpdate is off in config.json: the hooks stay silent until it is true (--yes switches it on).");
  else
    lines.push(
      "From now on commits, merges, checkouts and rebases are judged; `ua-hooks status` says how things stand.",
    );
  lines.push("`ua-hooks uninstall` takes it all out.");
  return lines;
}

function summary({ graph, files, team, verification }: InstallReport): string[][] {
  const rows: string[][] = [];
  if (team === "clone")
    rows.push(["Team", "merge driver for this clone; .gitattributes was left as it is (--team --yes writes it)"]);
  else if (team !== null) rows.push(["Team", "the artefacts merge by id wherever ua-hooks is installed; commit them"]);
  if (graph === "built") rows.push(["Baseline", `structural graph of ${count(files, "file")}, no LLM needed`]);
  if (graph === "found") rows.push(["Baseline", "the graph that was there"]);
  if (verification === null) return rows;
  const { head, outcome, reason } = verification;
  const at = head.commit === null ? "" : `, verified at ${short(head.commit)}`;
  rows.push(["State", `${outcome === "settled" ? paint("green", "fresh") : `${outcome}: ${reason}`}${at}`]);
  return rows;
}
