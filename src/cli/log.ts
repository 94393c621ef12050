import { UaError } from "../errors.js";
import { locateProject } from "../repository/locate.js";
import { type LogEntry, readLog } from "../store/log.js";
import type { Command } from "./command.js";
import { printable, short, tableRows } from "./output.js";
import { isDriftName, symbolLines } from "./verdict-lines.js";

export const log: Command = {
  summary: "the last decisions of the hooks",
  usage: "[--last N]",
  example: "ua-hooks log --last 5",
  options: { last: { type: "string" } },
  help: { "--last N": "number of runs, newest last (20)" },
  async run({ cwd, flags, out }) {
    const last = flags.last === undefined ? 20 : Number(flags.last);
    if (!Number.isInteger(last) || last < 1) throw new UaError("usage", `--last must be a whole number above 0`);
    const project = await locateProject({ cwd, env: process.env });
    const runs = readLog(project.stateDir, last);
    const several = runs.some(({ view: worktree }) => worktree !== ".");
    const rows = runs.map((run) => [
      `${run.at.slice(0, 19).replace("T", " ")}Z`,
      ...(several ? [run.view === "." ? "main" : printable(run.view)] : []),
      short(run.head),
      run.action ?? run.outcome,
      `${run.ms} ms`,
      printable(run.reason),
    ]);
    const lines = tableRows(rows).flatMap((row, at) => [...row, ...askedLines(runs[at])]);
    out.result({ schema: "ua-hooks.log/1", runs }, rows.length === 0 ? NO_RUN : lines);
    return 0;
  },
};

const NO_RUN = [
  "The hooks have decided nothing yet.",
  "A command such as `ua-hooks status` verifies by itself, and is not listed.",
];

/** Of one run; the others are counted. */
const MOST_SYMBOLS = 3;

/** What the run found to be described. A line of the log may be of another version. */
function askedLines(run: LogEntry | undefined): string[] {
  const listed = Array.isArray(run?.symbols) ? run.symbols : [];
  const known = listed.flatMap(({ id, change }) => (isDriftName(change) ? [{ id: String(id), change }] : []));
  return symbolLines(known, known.length + (run?.moreSymbols ?? 0), { most: MOST_SYMBOLS });
}
