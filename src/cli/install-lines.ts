import { basename, dirname, relative } from "node:path";
import { EVENTS, isEvent } from "../git/hook-events.js";
import { diffOf } from "../hook-managers/diff.js";
import { MANAGER_LABELS } from "../hook-managers/manager.js";
import type { FileStep } from "../hook-managers/plan.js";
import type { Findings } from "../install/findings.js";
import type { InstallReport } from "../install/install.js";
import type { Project } from "../repository/locate.js";
import { count, facts, paint, printable, short } from "./output.js";

const nameIn = (project: Project) => (file: string) => relative(project.root ?? project.worktree.path, file) || file;

export function diffLines(project: Project, steps: readonly FileStep[]): string[] {
  return steps.flatMap((step) => diffOf(step, nameIn(project)));
}

const noteLines = ({ notes }: InstallReport) => notes.map((note) => paint("yellow", printable(note)));

export function dryLines(project: Project, report: InstallReport): string[] {
  const diff = diffLines(project, report.steps);
  return diff.length === 0 ? ["Nothing to write: everything is installed"] : [...diff, ...noteLines(report)];
}

/** What was found, what was done, what happens next, and how to undo it. */
export function installLines(project: Project, report: InstallReport): string[] {
  const { found, autoUpdate, runsHooks } = report;
  const off = `autoUpdate is ${autoUpdate === false ? "false" : "not true"} in config.json`;
  const now =
    autoUpdate !== true
      ? `${off}: the hooks do nothing until you remove the key or set it to true`
      : runsHooks
        ? "commits, merges, checkouts and rebases are now verified in the background; `ua-hooks status` shows the result"
        : "git does not run the hooks yet (see the note); until then `ua-hooks status` finds the changes";
  const rows = [
    ...(found === null ? [] : [["Found", findingLabels(found, report.graph)]]),
    ...doneRows(report),
    ...labelled("Written", writtenRows(project, report)),
    ...labelled("Note", noteLines(report)),
    ["", ""],
    ["Now", now],
    ...agentRows(found),
    ["Undo", "`ua-hooks uninstall` removes the hooks, `--purge` what is stored as well"],
  ];
  return facts(rows);
}

const labelled = (label: string, texts: readonly string[]) => texts.map((text, at) => [at === 0 ? label : "", text]);

/** `37 Python, 2 Bash of 128 files; husky; a knowledge graph`. */
function findingLabels({ files, languages, managers }: Findings, graph: InstallReport["graph"]): string {
  const shown = languages.slice(0, 4).map(({ name, files: of }) => `${of} ${name}`);
  const more = languages.length > shown.length ? ", …" : "";
  const sources = shown.length === 0 ? "no source file in a known language, " : `${shown.join(", ")}${more} of `;
  const environment = managers.length === 0 ? "no hook manager" : managers.join(" and ");
  return `${sources}${count(files, "file")}; ${environment}; ${graph === "found" ? "a knowledge graph" : "no knowledge graph yet"}`;
}

function doneRows({ places, graph, files, team, mode, verification }: InstallReport): string[][] {
  const rows: string[][] = [
    ["Hooks", `${EVENTS.join(", ")} in ${places.map((place) => MANAGER_LABELS[place]).join(" and ")}`],
  ];
  if (team === "clone")
    rows.push(["Team", "merge driver for this clone; .gitattributes was not changed (--team --yes writes it)"]);
  else if (team !== null)
    rows.push(["Team", "the artefacts are merged by id in every clone with ua-hooks; commit them"]);
  if (mode === "inline") rows.push(["Mode", "inline: the worker updates the graph itself"]);
  if (graph === "built") rows.push(["Baseline", `structural graph of ${count(files, "file")}, no LLM needed`]);
  if (graph === "found") rows.push(["Baseline", "the existing graph"]);
  if (verification === null) return rows;
  const { head, outcome, reason } = verification;
  const at = head.commit === null ? "" : `, verified at ${short(head.commit)}`;
  rows.push(["State", `${outcome === "settled" ? paint("green", "fresh") : `${outcome}: ${printable(reason)}`}${at}`]);
  return rows;
}

/** Without our own folder; one line for the hook files of a folder: `.git/hooks/post-{commit,merge}`. */
function writtenRows(project: Project, { steps }: InstallReport): string[] {
  const name = nameIn(project);
  const state = relative(project.commonDir, project.stateDir);
  const lines = new Map<string, { events: string[]; file: string; what: string }>();
  for (const { file, what } of steps) {
    if (name(file).includes(`${state}/`)) continue;
    const event = basename(file);
    const words = what.replace(`${event}: `, "");
    const key = isEvent(event) ? `${dirname(file)}\0${words}` : `${file}\0${what}`;
    const line = lines.get(key) ?? { events: [], file, what: words };
    if (isEvent(event)) line.events.push(event.replace("post-", ""));
    lines.set(key, line);
  }
  if (lines.size === 0) return ["nothing: everything is installed"];
  return [...lines.values()].map(({ events, file, what }) => {
    const path = events.length > 1 ? `${dirname(name(file))}/post-{${events.join(",")}}` : name(file);
    return `${printable(path)}  ${paint("dim", what)}`;
  });
}

function agentRows(found: Findings | null): string[][] {
  if (found === null || found.silentAgents.length === 0) return [];
  const who = found.silentAgents.join(", ");
  return [["Agents", `${who}: run \`ua-hooks install --agent auto\` to notify them of pending updates`]];
}
