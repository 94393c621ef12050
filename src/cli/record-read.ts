import { UaError } from "../errors.js";
import { toDocument } from "../records/document.js";
import { ANYTHING, queryRecords } from "../records/query.js";
import { saveSeen } from "../records/seen.js";
import { eventsOf, revisionsOf } from "../records/store.js";
import { spell } from "../records/subject.js";
import { ORIGINS, type RecordVerdict, STORED, TYPES } from "../records/types.js";
import { verifyRecords } from "../records/verify.js";
import { needRecord } from "../records/write.js";
import type { Invocation } from "./command.js";
import { count, printable, short, table } from "./output.js";
import { lines, statusOf } from "./record-lines.js";
import { choice, isCount, number, subjectsOf, text, texts, withRecords } from "./record-options.js";

const STATUSES = [...STORED, "stale", "historical"] as const;

export async function list(invocation: Invocation): Promise<number> {
  const { cwd, flags, out } = invocation;
  const limit = number(flags, "limit", Number.MAX_SAFE_INTEGER, isCount);
  const found = await withRecords(invocation, (worktree) =>
    queryRecords(worktree, {
      ...ANYTHING,
      status: flags.all === true ? "all" : choice(flags, "status", STATUSES),
      includeStale: flags["include-stale"] === true,
      type: choice(flags, "type", TYPES),
      origin: choice(flags, "origin", ORIGINS),
      text: text(flags, "search"),
      about: subjectsOf(worktree, cwd, texts(flags, "subject"))[0] ?? null,
    }),
  );
  const shown = found.slice(0, limit);
  out.result({ schema: "ua-hooks.records/1", total: found.length, records: shown.map(toDocument) }, [
    ...shown.flatMap(lines),
    ...(found.length > shown.length ? [`… and ${found.length - shown.length} more`] : []),
    ...(found.length === 0 ? ["No record matches. Drafts and stale records are listed with --all."] : []),
  ]);
  return 0;
}

export async function show(invocation: Invocation): Promise<number> {
  const id = oneId(invocation);
  const { verdict, revisions } = await withRecords(invocation, async (worktree) => {
    const [verdict] = await verifyRecords(worktree, [needRecord(worktree.db, id)], { grades: true });
    if (verdict === undefined) throw new Error("unreachable: one record, one verdict");
    saveSeen(worktree.db, worktree.project.worktree.id, worktree.head, [verdict], new Date().toISOString());
    return { verdict, revisions: revisionsOf(worktree.db, id) };
  });
  const document = { schema: "ua-hooks.record/1", ...toDocument(verdict), revisions };
  invocation.out.result(document, table(rowsOf(verdict, revisions.length)));
  return 0;
}

function rowsOf(verdict: RecordVerdict, revisions: number): string[][] {
  const { record } = verdict;
  const anchor = record.commit === null ? "none: drift is not detected" : `${short(record.commit)}, ${verdict.anchor}`;
  return [
    ["Record", record.id],
    ["Status", statusOf(verdict)],
    ...verdict.details.map((detail) => ["", printable(detail)]),
    ["Type", `${record.type}, confidence ${record.confidence}`],
    ["Says", printable(record.statement)],
    ...record.subjects.map((subject, at) => [
      at === 0 ? "About" : "",
      printable(spell(subject)) + movedTo(subject.path, verdict.subjects[at]?.path),
    ]),
    ["Anchor", anchor],
    ...record.evidence.map(({ kind, ref, locator, quote }, at) => [
      at === 0 ? "Evidence" : "",
      printable(`${kind} ${ref}${locator === null ? "" : ` ${locator}`}${quote === null ? "" : `: "${quote}"`}`),
    ]),
    ...record.links.map(({ target }) => ["Supersedes", target]),
    ["Origin", `${record.origin}, ${record.createdAt.slice(0, 16).replace("T", " ")}`],
    ["Approved", record.approvedBy === null ? "not yet" : `by ${printable(record.approvedBy)}`],
    ...(revisions === 0 ? [] : [["Revisions", String(revisions)]]),
  ];
}

function movedTo(path: string, now: string | undefined): string {
  return now === undefined || now === path ? "" : `, now ${printable(now)}`;
}

export async function logCommand(invocation: Invocation): Promise<number> {
  const id = oneId(invocation);
  const events = await withRecords(invocation, async (worktree) => {
    needRecord(worktree.db, id);
    return eventsOf(worktree.db, id);
  });
  const rows = events.map((event) => [
    event.at.slice(0, 19).replace("T", " "),
    event.view === null ? "" : event.view === "." ? "main" : printable(event.view),
    event.head === null ? "" : short(event.head),
    event.event,
    printable([event.reason, event.detail].filter((part) => part !== null).join(": ")),
  ]);
  invocation.out.result({ schema: "ua-hooks.record-log/1", id, events }, [
    count(events.length, "event"),
    ...table(rows),
  ]);
  return 0;
}

function oneId({ positionals: [id, ...more] }: Invocation): string {
  if (id === undefined || more.length > 0) throw new UaError("usage", "name one record by its id");
  return id;
}
