import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UaError } from "../errors.js";
import { hooksState } from "../hook-managers/state.js";
import { packageFile } from "../install/runtime.js";
import { refuseLinks } from "../platform/change-files.js";
import { collectReport } from "../report/collect.js";
import { renderPage, SIGNATURE } from "../report/page.js";
import type { Report } from "../report/types.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { REPORT_FILE } from "../repository/own-files.js";
import { stagingDir, writeFileAtomic } from "../store/files.js";
import type { Command } from "./command.js";
import { count, paint, printable, table } from "./output.js";
import { createProgress } from "./progress.js";

export const report: Command = {
  summary: "write one HTML page: what is fresh, what drifted, what was decided and saved",
  usage: "[--out FILE] [--last N]",
  example: "ua-hooks report --out freshness.html",
  options: { out: { type: "string" }, last: { type: "string" } },
  help: {
    "--out FILE": `where to write it (${REPORT_FILE}); - is stdout. A file that is not a report is never overwritten`,
    "--last N": "number of commits for the estimate (50); 0 leaves it out",
  },
  async run({ cwd, flags, out }) {
    const last = flags.last === undefined ? 50 : Number(flags.last);
    if (!Number.isInteger(last) || last < 0) throw new UaError("usage", "--last must be a whole number, 0 or more");
    const project = await projectAt(cwd);
    const file = targetOf(cwd, flags.out, out.json);
    if (file !== null) refuseForeign(file);
    const progress = createProgress("reading history", { fromStart: true });
    const { installed, missing, warning } = await hooksState(project);
    const hooks = { installed: installed.length, missing: missing.length, warning };
    const data = await withContext(project, (context) =>
      collectReport(context, { last, hooks, onProgress: progress.update }),
    ).finally(progress.end);
    if (file !== null) writeFileAtomic(file, pageOf(data), 0o644, stagingDir(project.stateDir));
    if (flags.out === "-" && !out.json) process.stdout.write(pageOf(data));
    else out.result({ ...data }, file === null ? [] : toLines(data, file));
    return 0;
  },
};

/** null if the result goes to stdout and no file is written. */
function targetOf(cwd: string, out: unknown, json: boolean): string | null {
  if (out === "-" || (out === undefined && json)) return null;
  if (out === "") throw new UaError("usage", "--out needs the name of a file");
  return resolve(cwd, typeof out === "string" ? out : REPORT_FILE);
}

/** A mistyped --out must not destroy a file: only reports are overwritten. */
function refuseForeign(file: string): void {
  refuseLinks(file);
  const folder = dirname(file);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UaError("usage", `the folder ${folder} does not exist`, "create it first, or use another --out");
  const there = statSync(file, { throwIfNoEntry: false });
  if (there === undefined) return;
  if (there.isFile() && startOf(file).includes(SIGNATURE)) return;
  const next = "use another --out, or remove that file first";
  throw new UaError("refused", `${file} exists and is not a report: it was not changed`, next);
}

function startOf(file: string): string {
  const start = Buffer.alloc(2048);
  const fd = openSync(file, "r");
  try {
    return start.toString("utf8", 0, readSync(fd, start));
  } finally {
    closeSync(fd);
  }
}

/** The page's parts in the package: its html is in templates/, its program is built into dist/. */
export function pageOf(data: Report): string {
  const template = (name: string) => packageFile("templates", "report", name);
  const style = ["base.css", "map.css", "parts.css"].map(template).join("\n");
  return renderPage({ html: template("page.html"), style, script: packageFile("dist", "report.js") }, data);
}

function toLines({ status, reason, drift, files, history, records }: Report, file: string): string[] {
  const moved = files.length - drift.none - drift.unknown;
  const rows = [
    [paint("bold", "Report"), printable(file)],
    ["Status", `${status}  ${printable(reason)}`],
    ["Files", `${count(files.length, "file")}, ${drift.unknown === 0 ? `${moved} of them drifted` : "not compared"}`],
  ];
  if (history !== null && history.commits > 0) {
    const spared = `about ${count(history.tokensNotSpent, "token")} not spent`;
    rows.push([
      "Saved",
      `${history.zeroTokenShare} % of ${count(history.sourceCommits, "commit")} that change source needed no tokens; ${spared}`,
    ]);
  }
  if (records.counts.stale > 0) rows.push(["Records", `${records.counts.stale} stale`]);
  return table(rows);
}
