import { UaError } from "../errors.js";
import type { Head } from "../git/head.js";
import { type WorkState, workState } from "../git/status.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import type { Context } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { checkStamp } from "../verification/stamp.js";
import { type EntryState, enter } from "./enter.js";

/** The inputs of an answer. */
export interface RegistryContext {
  db: Db;
  facts: Facts;
  project: Project;
  entry: EntryState;
}

/** What the caller has started already, and its conversation. */
export interface RegistryOptions {
  state?: Promise<WorkState>;
  run?: string | null;
  /** The answer reports what changed since the previous report. */
  reports?: boolean;
}

/**
 * Every read of the registry: Phase 0/1 and the entry-state matrix first (invariant "reads verify first"), then the
 * answer.
 */
export async function askRegistry<T>(
  context: Context,
  { state, run = null, reports = false }: RegistryOptions,
  answer: (asked: RegistryContext) => Promise<T>,
): Promise<T> {
  const { project } = context;
  const { db, facts } = await openFacts(context);
  const now = await atOneHead(context, state); // git runs meanwhile
  const entry = await enter(db, project, { ...now, run, reports });
  return answer({ db, facts, project, entry });
}

export async function openFacts(context: Context): Promise<{ db: Db; facts: Facts }> {
  const config = await context.config();
  const db = await context.database();
  return { db, facts: new Facts(storedFacts(db, { keep: true }), context.project.worktree.path, config) };
}

const MAX_READS = 5;

/** Uncommitted changes and verification, both for the same HEAD: it may move in between. */
async function atOneHead(context: Context, early?: Promise<WorkState>): Promise<{ head: Head; state: WorkState }> {
  const { path } = context.project.worktree;
  let asked = early ?? workState(path);
  for (let looks = 0; looks < MAX_READS; looks++) {
    const [state, head] = await Promise.all([asked, verifiedHead(context)]);
    if (state.head === head.commit) return { head, state };
    asked = workState(path);
  }
  throw new UaError("busy", "HEAD keeps moving while it is read", "try again in a moment");
}

/** Phase 0 and 1, unless the freshness stamp matches this HEAD. */
export async function verifiedHead(context: Context): Promise<Head> {
  const { head, stamped } = await checkStamp(context.project);
  if (stamped !== null) return head;
  const { readWorktree } = await import("../sync/switch.js"); // most of the program, which a stamp check does not need
  return (await readWorktree(context)).head;
}
