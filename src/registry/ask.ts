import { UaError } from "../errors.js";
import type { Head } from "../git/head.js";
import { type WorkState, workState } from "../git/status.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import type { Context } from "../repository/context.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { checkStamp } from "../verification/stamp.js";
import { type EntryState, enter } from "./enter.js";

/** What an answer of the registry is made from. */
export interface RegistryContext {
  db: Db;
  facts: Facts;
  project: Project;
  entry: EntryState;
}

/** What a caller may have started, and who it is. */
export interface RegistryOptions {
  state?: Promise<WorkState>;
  run?: string | null;
  /** The answer tells what changed since the one before that did. */
  tells?: boolean;
}

/** Every read of the registry: Phase 0/1 and the entry-state matrix first (invariant "reads verify first"), then the answer. */
export async function askRegistry<T>(
  context: Context,
  { state, run = null, tells = false }: RegistryOptions,
  answer: (asked: RegistryContext) => Promise<T>,
): Promise<T> {
  const { project } = context;
  const { db, facts } = await openFacts(context);
  const now = await atOneHead(context, state); // git is at work meanwhile
  const entry = await enter(db, project, { ...now, run, tells });
  return answer({ db, facts, project, entry });
}

export async function openFacts(context: Context): Promise<{ db: Db; facts: Facts }> {
  const config = await context.config();
  const db = await context.database();
  return { db, facts: new Facts(storedFacts(db, { keep: true }), context.project.worktree.path, config) };
}

const MAX_READS = 5;

/** What is uncommitted and what was judged, both over the same commit: it may move between two questions. */
async function atOneHead(context: Context, early?: Promise<WorkState>): Promise<{ head: Head; state: WorkState }> {
  const { path } = context.project.worktree;
  let asked = early ?? workState(path);
  for (let looks = 0; looks < MAX_READS; looks++) {
    const [state, head] = await Promise.all([asked, verifiedHead(context)]);
    if (state.head === head.commit) return { head, state };
    asked = workState(path);
  }
  throw new UaError("busy", "HEAD moves faster than it can be read", "try again in a moment");
}

/** Phase 0 and 1, where the cheap proof does not say that they were done for this HEAD. */
export async function verifiedHead(context: Context): Promise<Head> {
  const { head, proven } = await checkStamp(context.project);
  if (proven !== null) return head;
  const { readWorktree } = await import("../verification/read.js"); // most of the program, which a proof does without
  return (await readWorktree(context)).head;
}
