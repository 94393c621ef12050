import { join } from "node:path";
import { type Correction, correct } from "../citations/correct.js";
import type { Finding } from "../citations/present.js";
import { Documents, type DocumentsReport } from "../citations/read.js";
import { UaError } from "../errors.js";
import { withContext } from "../repository/context.js";
import { isSetUp } from "../repository/installed.js";
import { locateProject } from "../repository/locate.js";
import { openEmptyState } from "../store/state.js";
import { ask, isAttended } from "./ask.js";
import type { Command } from "./command.js";
import { repositoryPath } from "./given.js";
import { count, printable } from "./output.js";

export const docs: Command = {
  summary: "lines of README, AGENTS.md and docs that name what is gone or moved",
  busy: "reading documents",
  usage: "[PATH…] [--changed] [--fix [--yes]] [--exit-code]",
  example: "ua-hooks docs --exit-code",
  options: {
    changed: { type: "boolean" },
    fix: { type: "boolean" },
    yes: { type: "boolean" },
    "exit-code": { type: "boolean" },
  },
  help: {
    "--changed": "also symbols that are still there, but have another interface or likely behave in another way",
    "--fix": "write the new path or name where something moved; asks first",
    "--yes": "do not ask",
    "--exit-code": "exit 1 if a line is no longer true",
  },
  positionals: true,
  async run({ cwd, flags, positionals, out }) {
    const project = await locateProject({ cwd, env: process.env });
    const chosen = positionals.map((path) => repositoryPath(project, cwd, path));
    const only = (path: string) =>
      chosen.length === 0 || chosen.some((one) => one === "" || path === one || path.startsWith(`${one}/`));
    const isKept = isSetUp(project);
    const options = isKept ? {} : { open: openEmptyState };
    const report = await withContext(
      project,
      async (context) => {
        const documents = await Documents.open(await context.load(), { isKept });
        return documents.inWorkTree({ only, isChangeWanted: flags.changed === true });
      },
      options,
    );
    const fixed =
      flags.fix === true
        ? await fix(project.worktree.path, report, { isSure: flags.yes === true, note: out.note })
        : null;
    out.result(toDocument(report, fixed), toLines(report, fixed));
    const left = report.broken.length - (fixed?.length ?? 0);
    return flags["exit-code"] === true && left > 0 ? 1 : 0;
  },
};

async function fix(
  root: string,
  { broken }: DocumentsReport,
  { isSure, note }: { isSure: boolean; note(line: string): void },
): Promise<Finding[]> {
  const moved = broken.filter(({ cited }) => cited.correction !== null);
  if (moved.length === 0) return [];
  if (!isSure) {
    if (!isAttended()) throw new UaError("usage", "--fix changes documents; without a terminal it needs --yes");
    for (const finding of moved) note(findingLine(finding));
    const files = new Set(moved.map(({ file }) => file)).size;
    if (!(await ask(`Correct ${count(moved.length, "citation")} in ${count(files, "document")}?`))) return [];
  }
  const corrections = moved.map((finding): Correction => ({ finding, file: join(root, finding.file) }));
  return correct(root, corrections);
}

function toDocument(
  { documents, citations, unknown, broken, skipped }: DocumentsReport,
  fixed: readonly Finding[] | null,
): Record<string, unknown> {
  return {
    schema: "ua-hooks.docs/1",
    documents,
    citations,
    broken: broken.map(findingDocument),
    ...(unknown === 0 ? {} : { unknown }),
    ...(skipped.length === 0 ? {} : { skipped }),
    ...(fixed === null ? {} : { fixed: fixed.map(({ file, line, target }) => ({ file, line, target })) }),
  };
}

/** Without what only a correction needs. */
export function findingDocument({
  file,
  line,
  target,
  kind,
  verdict,
  to,
  since,
  detail,
}: Finding): Record<string, unknown> {
  return {
    file,
    line,
    target,
    kind,
    verdict,
    ...(to === undefined ? {} : { to }),
    since,
    ...(detail === undefined ? {} : { detail }),
  };
}

function toLines(
  { documents, citations, unknown, broken, skipped }: DocumentsReport,
  fixed: readonly Finding[] | null,
): string[] {
  const isFixed = new Set(fixed);
  const lines = broken.map((finding) => `${findingLine(finding)}${isFixed.has(finding) ? " (corrected)" : ""}`);
  const read = `${count(citations, "citation")} in ${count(documents, "document")}`;
  if (broken.length === 0) lines.push(`${read}: every one is true.`);
  else lines.push("", `${read}; ${count(broken.length - isFixed.size, "citation")} no longer true.`);
  if (unknown > 0)
    lines.push(
      `${count(unknown, "citation")} cannot be checked: the history of this clone ends before their lines were written.`,
    );
  for (const file of skipped.slice(0, MOST_NAMED)) lines.push(`${printable(file)} is not read: it is too large.`);
  return lines;
}

const MOST_NAMED = 10;

/** `AGENTS.md:12: src/old.ts is now src/new.ts` */
export function findingLine({ file, line, target, verdict, to, detail }: Finding): string {
  const what = verdict === "moved" ? `is now ${printable(to ?? "")}` : verdict === "gone" ? "is gone" : "has changed";
  return `${printable(file)}:${line}: ${printable(target)} ${what}${detail === undefined ? "" : ` (${printable(detail)})`}`;
}
