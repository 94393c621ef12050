import { resolve } from "node:path";
import { UaError } from "../errors.js";
import { exportRecords, importRecords } from "../records/jsonl.js";
import { refresh } from "../records/refresh.js";
import { writeFileAtomic } from "../store/files.js";
import { dropPendingStamps } from "../verification/stamp.js";
import type { Invocation } from "./command.js";
import { readGiven } from "./given-text.js";
import { count, table } from "./output.js";
import { subjectsOf, text, withRecords } from "./record-options.js";

export async function importCommand(invocation: Invocation): Promise<number> {
  const [file, ...more] = invocation.positionals;
  if (file === undefined || more.length > 0)
    throw new UaError("usage", "import takes one file, or - for standard input");
  const given = await readGiven(invocation.cwd, file);
  const done = await withRecords(invocation, async ({ db, project }) => {
    const imported = importRecords(db, given, file === "-" ? "standard input" : file);
    dropPendingStamps(project);
    return imported;
  });
  invocation.out.result({ schema: "ua-hooks.record-import/1", ...done }, [
    `${count(done.added.length, "record")} added, ${done.updated.length} updated, ${done.unchanged} unchanged`,
  ]);
  return 0;
}

export async function exportCommand(invocation: Invocation): Promise<number> {
  const { cwd, flags, positionals, out } = invocation;
  const [file = "-", ...more] = positionals;
  if (more.length > 0) throw new UaError("usage", "export takes one file, or - for standard output");
  const { text: lines, count: total } = await withRecords(invocation, async ({ db }) =>
    exportRecords(db, { drafts: flags.drafts === true }),
  );
  if (file === "-") {
    process.stdout.write(lines); // JSON Lines already: --json adds nothing
    return 0;
  }
  writeFileAtomic(resolve(cwd, file), lines);
  out.result({ schema: "ua-hooks.record-export/1", file, records: total }, [
    `${count(total, "record")} written to ${file}`,
  ]);
  return 0;
}

export async function refreshCommand(invocation: Invocation): Promise<number> {
  const { cwd, flags, positionals, out } = invocation;
  const from = text(flags, "from");
  const isFinished = flags.finished === true;
  if (!isFinished && positionals.length > 0) throw new UaError("usage", "refresh takes paths only with --finished");
  if (isFinished && positionals.length === 0)
    throw new UaError("usage", "--finished needs the paths that the task changed");
  const ingest = from === null ? null : { text: await readGiven(cwd, from), file: from };
  const done = await withRecords(invocation, async (worktree) => {
    const paths = subjectsOf(worktree, cwd, positionals).map(({ path }) => path);
    const refreshed = await refresh(worktree, { ingest, finished: isFinished ? paths : null });
    dropPendingStamps(worktree.project);
    return refreshed;
  });
  const rows = done.transitions.map(({ id, was, became, reason }) => [`  ${id}`, `${was} → ${became}`, reason ?? ""]);
  out.result({ schema: "ua-hooks.record-refresh/1", ...done }, [
    `${count(done.judged, "record")} verified, ${done.added.length} added, ${count(done.transitions.length, "change")}`,
    ...table(rows),
  ]);
  return 0;
}
