import { UaError } from "../errors.js";
import type { Head } from "../git/head.js";
import { type WorkState, workState } from "../git/status.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { openState } from "../store/state.js";
import { proveView } from "../verification/stamp.js";
import { type Entry, enter } from "./enter.js";

/** What an answer of the registry is made from. */
export interface Asked {
  db: Db;
  facts: Facts;
  project: Project;
  entry: Entry;
}

/** What a caller may have started, and who it is. */
export interface Asking {
  state?: Promise<WorkState>;
  run?: string | null;
  /** The answer tells what changed since the one before that did. */
  tells?: boolean;
}

/** Every read of the registry: Phase 0/1 and the entry-state matrix first (law 3), then the answer. */
export async function askRegistry<T>(
  project: Project,
  { state, run = null, tells = false }: Asking,
  answer: (asked: Asked) => Promise<T>,
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
    return await work(db, new Facts(storedFacts(db, true), project.view.path, config));
  } finally {
    db.close();
  }
}

const MOST_LOOKS = 5;

/** What is uncommitted and what was judged, both over the same commit: it may move between two questions. */
async function atOneHead(project: Project, early?: Promise<WorkState>): Promise<{ head: Head; state: WorkState }> {
  let asked = early ?? workState(project.view.path);
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const [state, head] = await Promise.all([asked, judgedHead(project)]);
    if (state.head === head.commit) return { head, state };
    asked = workState(project.view.path);
  }
  throw new UaError("busy", "HEAD moves faster than it can be read", "try again in a moment");
}

/** Phase 0 and 1, where the cheap proof does not say that they were done for this HEAD. */
export async function judgedHead(project: Project): Promise<Head> {
  const { head, proven } = await proveView(project);
  if (proven !== null) return head;
  const { readView } = await import("../verification/read.js"); // most of the program, which a proof does without
  return (await readView(project)).head;
}
