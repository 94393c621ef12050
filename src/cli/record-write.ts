import { userInfo } from "node:os";
import { UaError } from "../errors.js";
import { toDocument } from "../records/document.js";
import { parseEvidence } from "../records/evidence.js";
import { spell } from "../records/subject.js";
import { ORIGINS, type StoredRecord, TYPES } from "../records/types.js";
import { type RecordsContext, verifyRecords } from "../records/verify.js";
import { addRecord, approve, reanchor, reject, supersede, vacuum } from "../records/write.js";
import { dropPendingStamps } from "../verification/stamp.js";
import type { Flags, Invocation } from "./command.js";
import { count, printable, short } from "./output.js";
import { lines } from "./record-lines.js";
import { choice, number, subjectsOf, text, texts, withRecords } from "./record-options.js";

/** A person's record is active at once; 0.8, because people make mistakes, too. */
const CONFIDENCE = 0.8;

/** Changes records; a marker that lists them is computed again at the next read. */
async function changing<T>(invocation: Invocation, work: (worktree: RecordsContext) => Promise<T>): Promise<T> {
  return withRecords(invocation, async (worktree) => {
    const done = await work(worktree);
    dropPendingStamps(worktree.project);
    return done;
  });
}

export async function add(invocation: Invocation): Promise<number> {
  const { cwd, flags, positionals, out } = invocation;
  const type = choice(flags, "type", TYPES);
  if (type === null) throw new UaError("usage", `a record needs a type: --type ${TYPES.join("|")}`);
  const quote = text(flags, "quote");
  const { record, unanchored } = await changing(invocation, (worktree) =>
    addRecord(worktree, {
      ...{ type, statement: positionals.join(" "), subjects: subjectsOf(worktree, cwd, texts(flags, "subject")) },
      confidence: number(flags, "confidence", CONFIDENCE, (n) => n >= 0 && n <= 1),
      origin: choice(flags, "origin", ORIGINS) ?? "human",
      evidence: texts(flags, "evidence").map((one) => ({ ...parseEvidence(one), quote })),
      draft: flags.draft === true,
      supersedes: texts(flags, "supersedes"),
    }),
  );
  const anchored = unanchored === null;
  const document = { schema: "ua-hooks.record-add/1", id: record.id, status: record.status, anchored, unanchored };
  const about = record.subjects.map((subject) => printable(spell(subject))).join(", ");
  out.result(
    { ...document, created_at_commit: record.commit, code_fingerprint: record.subjects[0]?.fingerprint ?? null },
    [
      `${record.id}  ${record.status}`,
      anchored
        ? `  anchored to ${about} at ${short(record.commit)}`
        : `  not anchored (${printable(unanchored)}): changes of the code are not detected`,
      ...(record.status === "draft" ? [`  a draft until \`ua-hooks record approve ${record.id}\``] : []),
    ],
  );
  return 0;
}

export async function approveCommand(invocation: Invocation): Promise<number> {
  const by = who(invocation.flags);
  return changed(invocation, async (worktree, id) => {
    const approved = () => approve(worktree.db, id, by);
    return invocation.flags.anchor === true ? (await reanchor(worktree, id, by, approved)).record : approved();
  });
}

export async function rejectCommand(invocation: Invocation): Promise<number> {
  const { flags } = invocation;
  const options = { archive: flags.archive === true, why: text(flags, "reason") };
  return changed(invocation, async ({ db }, id) => reject(db, id, who(flags), options));
}

/** Changes each of the named records, and prints the result. */
async function changed(
  invocation: Invocation,
  change: (worktree: RecordsContext, id: string) => Promise<StoredRecord>,
): Promise<number> {
  const { positionals: ids, out } = invocation;
  if (ids.length === 0) throw new UaError("usage", "name a record by its id", "see `ua-hooks record list --all`");
  const verdicts = await changing(invocation, async (worktree) => {
    const records: StoredRecord[] = [];
    for (const id of ids) records.push(await change(worktree, id));
    return verifyRecords(worktree, records, { grades: true });
  });
  out.result(
    { schema: "ua-hooks.records/1", total: ids.length, records: verdicts.map(toDocument) },
    verdicts.flatMap(lines),
  );
  return 0;
}

export async function supersedeCommand(invocation: Invocation): Promise<number> {
  const [older, newer, ...more] = invocation.positionals;
  if (older === undefined || newer === undefined || more.length > 0) {
    throw new UaError("usage", "supersede needs two ids: the older record, and the one that replaces it");
  }
  const record = await changing(invocation, async ({ db }) => supersede(db, older, newer, who(invocation.flags)));
  invocation.out.result({ schema: "ua-hooks.record-supersede/1", id: older, status: record.status, by: newer }, [
    `${older} is superseded by ${newer}`,
  ]);
  return 0;
}

export async function vacuumCommand(invocation: Invocation): Promise<number> {
  const { flags, out } = invocation;
  const days = number(flags, "older-than", 0, (n) => n >= 0);
  const dryRun = flags["dry-run"] === true;
  const gone = await changing(invocation, async ({ db }) => vacuum(db, { days, dryRun }));
  out.result({ schema: "ua-hooks.record-vacuum/1", dryRun, removed: gone.map(({ id, status }) => ({ id, status })) }, [
    `${count(gone.length, "record")} ${dryRun ? "would be removed" : "removed"}`,
    ...gone.map(({ id, status, statement }) => `  ${id}  ${status}  ${printable(statement)}`),
  ]);
  return 0;
}

function who(flags: Flags): string {
  return text(flags, "by") ?? userInfo().username;
}
