import { UaError } from "../errors.js";
import type { Head } from "../git/head.js";
import { type WorkState, workState } from "../git/status.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { openState } from "../store/state.js";
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
  project: Project,
  { state, run = null, tells = false }: RegistryOptions,
  answer: (asked: RegistryContext) => Promise<T>,
): Promise<T> {
  return withFacts(project, async (db, facts) => {
    const now = await atOneHead(project, state); // git is at work meanwhile
    const entry = await enter(db, project, { ...now, run, tells });
    return answer({ db, facts, project, entry });
  });
}

export async function withFacts<T>(project: Project, work: (db: Db, facts: Facts) => Promise<T>): Promise<T> {
  const config = await loadConfig(project.root);
  const db = await openState(project.stateDir);
  try {
    return await work(db, new Facts(storedFacts(db, true), project.worktree.path, config));
  } finally {
    db.close();
  }
}

const MAX_READS = 5;

/** What is uncommitted and what was judged, both over the same commit: it may move between two questions. */
async function atOneHead(project: Project, early?: Promise<WorkState>): Promise<{ head: Head; state: WorkState }> {
  let asked = early ?? workState(project.worktree.path);
  for (let looks = 0; looks < MAX_READS; looks++) {
    const [state, head] = await Promise.all([asked, verifiedHead(project)]);
    if (state.head === head.commit) return { head, state };
    asked = workState(project.worktree.path);
  }
  throw new UaError("busy", "HEAD moves faster than it can be read", "try again in a moment");
}

/** Phase 0 and 1, where the cheap proof does not say that they were done for this HEAD. */
export async function verifiedHead(project: Project): Promise<Head> {
  const { head, proven } = await checkStamp(project);
  if (proven !== null) return head;
  const { readWorktree } = await import("../verification/read.js"); // most of the program, which a proof does without
  return (await readWorktree(project)).head;
}
