import { parseArgs } from "node:util";
import { record } from "../../src/cli/record.js";
import type { Repo } from "./repo.js";

/** `record …` itself, without the start of a process: it is asked after every step of every story. */
export async function run<T = Record<string, unknown>>(repo: Repo, ...args: string[]): Promise<T> {
  let document: unknown;
  const result = (found: unknown) => {
    document = found;
  };
  const { values, positionals } = parseArgs({ args, options: record.options, allowPositionals: true, strict: true });
  await record.run({ cwd: repo.dir, flags: values, positionals, out: { json: true, result, note: () => {} } });
  return document as T;
}

/** A record as `record … --json` prints it. */
export interface RecordDocument {
  id: string;
  type: string;
  statement: string;
  status: string;
  stale_reason: string | null;
  drift: string | null;
  drift_details: string[];
  confidence: number;
  origin: string;
  anchored: boolean;
  anchor: string;
  created_at_commit: string | null;
  code_fingerprint: string | null;
  subjects: { subject: string; code_fingerprint: string | null; now?: string }[];
  closeness?: number;
  revisions?: unknown[];
}

export interface EventDocument {
  view: string | null;
  event: string;
  was: string | null;
  became: string | null;
  reason: string | null;
  detail: string | null;
}

/** Writes a record about one subject; returns its id. */
export async function note(repo: Repo, subject: string | null, ...more: string[]): Promise<string> {
  const about = subject === null ? [] : ["--subject", subject];
  const type = more.includes("--type") ? [] : ["--type", "decision"];
  const statement = more[0]?.startsWith("--") === false ? [] : [`What ${subject ?? "nothing"} is ${counter++}`];
  return (await run<{ id: string }>(repo, "add", ...statement, ...more, ...type, ...about)).id;
}

let counter = 0;

export async function recordOf(repo: Repo, id: string): Promise<RecordDocument> {
  return run<RecordDocument>(repo, "show", id);
}

/** `active`, `historical`, `stale: subject_fingerprint_drift body`: a record's verdict on one line. */
export async function verdictOf(repo: Repo, id: string): Promise<string> {
  const { status, stale_reason, drift } = await recordOf(repo, id);
  if (status !== "stale") return status;
  return `stale: ${[stale_reason, drift].filter((part) => part !== null).join(" ")}`;
}

export async function storyOf(repo: Repo, id: string): Promise<EventDocument[]> {
  return (await run<{ events: EventDocument[] }>(repo, "log", id)).events;
}

/** What a record's story says, without where and when. */
export async function eventsOf(repo: Repo, id: string): Promise<string[]> {
  return (await storyOf(repo, id)).map(({ event }) => event);
}

/** Ids, in the order in which they came. */
export async function listed(repo: Repo, ...args: string[]): Promise<string[]> {
  const { records } = await run<{ records: RecordDocument[] }>(repo, ...args);
  return records.map(({ id }) => id);
}
