import { relative } from "node:path";
import type { DoctorCheck } from "../install/checks.js";
import { examine, repair } from "../install/doctor.js";
import { locateProject, type Project } from "../repository/locate.js";
import { ask } from "./ask.js";
import type { Command, Flags } from "./command.js";
import { paint, printable, table } from "./output.js";

export const doctor: Command = {
  summary: "test that the hooks fire, and report problems",
  busy: ({ flags }) => (flags.fix === true ? undefined : "testing the hooks"),
  usage: "[--fix] [--yes] [--exit-code]",
  example: "ua-hooks doctor --fix",
  options: { fix: { type: "boolean" }, yes: { type: "boolean", short: "y" }, "exit-code": { type: "boolean" } },
  help: {
    "--fix": "repair hooks, program, locks and database",
    "--yes": "answer yes to all questions",
    "--exit-code": "exit 1 if there is a problem",
  },
  async run({ cwd, flags, out }) {
    const project = await locateProject({ cwd, env: process.env });
    let checks = await examine(project);
    let fixed: string[] = [];
    if (flags.fix === true && checks.some(({ state }) => state !== "ok")) {
      fixed = await fix(project, flags);
      checks = await examine(project);
    }
    const healthy = checks.every(({ state }) => state !== "problem");
    out.result({ schema: "ua-hooks.doctor/1", healthy, checks, fixed }, toLines(checks, fixed));
    return flags["exit-code"] === true && !healthy ? 1 : 0;
  },
};

function fix(project: Project, flags: Flags): Promise<string[]> {
  const may = async (question: string) => flags.yes === true || ask(question);
  return repair(project, {
    ...{ dryRun: false, init: false, rebuild: false, team: false, onProgress: () => {} },
    mayWriteTracked: (file, why) =>
      may(`${printable(relative(project.worktree.path, file))} is shared with others. Write it (${why})?`),
  });
}

const SIGNS = { ok: paint("green", "ok"), warning: paint("yellow", "!"), problem: paint("red", "X") };

function toLines(checks: readonly DoctorCheck[], fixed: readonly string[]): string[] {
  const rows = checks.map(({ name, state, said: text }) => [SIGNS[state], name, printable(text)]);
  const next = [...new Set(checks.flatMap((check) => (check.state === "ok" || !check.next ? [] : [check.next])))];
  const done = fixed.length === 0 ? [] : ["Done:", ...fixed.map((line) => `  ${printable(line)}`), ""];
  return [...done, ...table(rows), ...(next.length === 0 ? [] : ["", ...next])];
}
