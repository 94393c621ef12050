import { UaError } from "../errors.js";
import { namedCommit } from "../git/history.js";
import { workState } from "../git/status.js";
import type { Project } from "../repository/locate.js";
import { type Asking, askRegistry, judgedHead, withFacts } from "./ask.js";
import { type DriftedSummary, driftedSummaries, untoldPaths } from "./drifted.js";
import type { Entry } from "./enter.js";
import { type RegistryRow, readRegistry } from "./read.js";
import { rehash } from "./rehash.js";
import { type SummaryUpdate, touchedPaths, type Updated, updateSummaries } from "./update.js";
import { type Counts, type FileVerdict, verdictsOf, type Wish } from "./verdicts.js";

export { parseUpdates } from "./update.js";

/** The registry's answers, in the words of SPEC §10: for the commands and for agents' tools alike. */

export interface Standing {
  /** What the question met: see the matrix in SPEC §10. */
  action: Entry["action"];
  reason: string;
  head: string | null;
  last_verified_sha: string | null;
}

export interface VerifyAnswer extends Standing {
  counts: Counts;
  /** How many paths were compared with their rows, and how many files were hashed: 0 where the registry was trusted. */
  compared: number;
  hashed: number;
  verdicts: FileVerdict[];
  /** Summaries that were written about another content. */
  stale: DriftedSummary[];
}

export async function verifyRegistry(
  project: Project,
  asking: Asking,
  wish: Wish & { rehash: boolean },
): Promise<VerifyAnswer> {
  return askRegistry(project, { ...asking, tells: true }, async ({ db, facts, entry }) => {
    const again = wish.rehash && entry.sha !== null ? await rehash(db, project, entry) : { hidden: [], hashed: 0 };
    const whole: Entry = { ...entry, laid: [...entry.laid, ...again.hidden] };
    const { counts, verdicts } = await verdictsOf(db, facts, project, whole, wish);
    const stale = await driftedSummaries(db, facts, project, whole);
    const compared = entry.compared + again.hashed;
    return { ...standing(entry), counts, compared, hashed: again.hashed, verdicts, stale };
  });
}

function standing({ action, reason, head, sha }: Entry): Standing {
  return { action, reason, head, last_verified_sha: sha };
}

export interface ListAnswer extends Standing {
  files: RegistryRow[];
}

/** `paths`: files, or folders with all that is in them; none: everything. */
export async function listRegistry(
  project: Project,
  asking: Asking,
  { paths, md5 }: { paths: readonly string[]; md5: boolean },
): Promise<ListAnswer> {
  return askRegistry(project, asking, async ({ db, facts, entry }) => {
    const within = (path: string) =>
      paths.length === 0 || paths.some((one) => one === "" || path === one || path.startsWith(`${one}/`));
    return { ...standing(entry), files: await readRegistry(db, facts, project, entry, { within, md5 }) };
  });
}

/** One file; null where the view has none of that name. */
export async function showRegistry(
  project: Project,
  asking: Asking,
  { path, md5 }: { path: string; md5: boolean },
): Promise<(Standing & { file: RegistryRow }) | null> {
  return askRegistry(project, asking, async ({ db, facts, entry }) => {
    const [file] = await readRegistry(db, facts, project, entry, { paths: [path], md5 });
    return file === undefined ? null : { ...standing(entry), file };
  });
}

export interface StaleAnswer extends Standing {
  files: DriftedSummary[];
  /** Files that nobody has said anything about. */
  untold: string[];
}

export async function staleSummaries(project: Project, asking: Asking): Promise<StaleAnswer> {
  return askRegistry(project, asking, async ({ db, facts, entry }) => ({
    ...standing(entry),
    files: await driftedSummaries(db, facts, project, entry),
    untold: untoldPaths(db, project.view.id),
  }));
}

export interface TaskEnd {
  updates: readonly SummaryUpdate[];
  /** Whose paths are touched, where none are named: HEAD's unless another commit is given. */
  commit: string | null;
  paths: readonly string[] | null;
}

export async function endTask(project: Project, { updates, commit, paths }: TaskEnd): Promise<Updated> {
  const cwd = project.view.path;
  const state = await workState(cwd);
  const named = commit === null ? state.head : await namedCommit(cwd, commit);
  if (commit !== null && named === null) throw new UaError("usage", `there is no commit ${JSON.stringify(commit)}`);
  const touched = paths ?? (named === null ? [] : await touchedPaths(cwd, named));
  return withFacts(project, (db, facts) =>
    updateSummaries(db, project, { updates, touched, state, facts, judged: () => judgedHead(project) }),
  );
}
