import type { Head } from "../git/head.js";
import { gitLine } from "../git/run.js";
import type { WorkState } from "../git/status.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { type Advanced, advance } from "./advance.js";
import { countScan } from "./count.js";
import { layOver, type UncommittedChange, uncommittedFiles } from "./overlay.js";
import { isInRun, type RegistryState, readRegistryState, saveAsked, saveRun } from "./rows.js";
import { changesBetween, type OidChange } from "./tree.js";

export interface RegistryQuestion {
  head: Head;
  /** The uncommitted changes from git. */
  state: WorkState;
  /** The conversation; null: only this process. */
  run: string | null;
  /** Whether the answer reports what changed: the next one then reports what changed since. */
  reports: boolean;
}

/** The entry state of a question, and what was done about it. */
export interface EntryState {
  action: "none" | "bootstrapped" | "trusted" | "verified";
  reason: string;
  head: string | null;
  sha: string | null;
  /** The committed changes since the last report. */
  committed: OidChange[];
  /** Uncommitted changes: part of the answer, never of the rows. */
  uncommitted: UncommittedChange[];
  compared: number;
}

const asked = new Set<string>();

/**
 * The entry-state matrix. No files: nothing is done or written. An empty registry: filled from git, once. Clean, not
 * behind, HEAD verified: trusted. Anything else: verified.
 */
export async function enter(db: Db, project: Project, question: RegistryQuestion): Promise<EntryState> {
  const { worktree } = project;
  const { head, state } = question;
  const uncommitted = await layOver(worktree.path, state);
  const entry = { head: head.commit, sha: null, committed: [], uncommitted: uncommitted, compared: 0 };
  if (head.commit === null) return { ...entry, action: "none", reason: "there is no commit yet" };
  const before = readRegistryState(db, worktree.id);
  const upstream = await upstreamBehind(worktree.path, state);
  const doubt = before === null ? "the registry is empty" : doubtOf(db, project, question, before, upstream);
  const advanced = doubt === null ? NOTHING : await advance(db, project, head.commit);
  if (doubt !== null && readRegistryState(db, worktree.id) === null) {
    return { ...entry, action: "none", reason: "there are no files" };
  }
  const committed = await sinceAsked(worktree.path, before, head.commit, advanced);
  const isReported = question.reports || advanced.bootstrapped;
  saveAsked(db, worktree.id, isReported ? head.commit : null, upstream);
  remember(db, project, question.run);
  const now = { ...entry, sha: head.commit, committed };
  if (doubt === null) return { ...now, action: "trusted", reason: "HEAD was verified before" };
  if (before?.sha === head.commit) countScan();
  const compared = advanced.compared + uncommittedFiles(state).length;
  return { ...now, action: advanced.bootstrapped ? "bootstrapped" : "verified", reason: doubt, compared };
}

const NOTHING: Advanced = { bootstrapped: false, changes: [], compared: 0 };

/** Verdicts are reported against the last report, even if hooks have moved the rows since. */
async function sinceAsked(
  cwd: string,
  before: RegistryState | null,
  head: string,
  { bootstrapped, changes }: Advanced,
): Promise<OidChange[]> {
  if (bootstrapped || before === null || before.asked === head) return [];
  if (before.asked === null || before.asked === before.sha) return changes;
  return (await changesBetween(cwd, before.asked, head)) ?? changes;
}

/** Why the registry is not trusted; null: it is. */
function doubtOf(
  db: Db,
  { worktree, stateDir }: Project,
  { head, state, run }: RegistryQuestion,
  before: RegistryState,
  upstream: string | null,
): string | null {
  if (before.sha === null) return "only some files have rows";
  if (before.sha !== head.commit) return `HEAD was ${before.sha.slice(0, 10)} when it was last verified`;
  // Within a conversation it is trusted until HEAD moves; uncommitted changes were just read from git.
  if (asked.has(`${stateDir} ${worktree.id}`) || (run !== null && isInRun(db, worktree.id, run))) return null;
  const dirty = uncommittedFiles(state).length;
  if (dirty > 0) return dirty === 1 ? "1 file has uncommitted changes" : `${dirty} files have uncommitted changes`;
  if (upstream === null || upstream === before.upstream) return null;
  return `${state.upstream?.name} is ahead by ${state.upstream?.behind}`;
}

function remember(db: Db, { worktree, stateDir }: Project, run: string | null): void {
  asked.add(`${stateDir} ${worktree.id}`);
  if (run !== null && !isInRun(db, worktree.id, run)) saveRun(db, worktree.id, run);
}

/** The upstream's commit, if HEAD is behind it, as last fetched. */
async function upstreamBehind(cwd: string, { upstream }: WorkState): Promise<string | null> {
  if (upstream === null || upstream.behind === 0) return null;
  return gitLine(cwd, ["rev-parse", "-q", "--verify", "@{upstream}^{commit}"]);
}
