import { UaError } from "../errors.js";
import { namedCommit } from "../git/history.js";
import { workState } from "../git/status.js";
import type { Context } from "../repository/context.js";
import { askRegistry, openFacts, type RegistryOptions, verifiedHead } from "./ask.js";
import { type DriftedSummary, driftedSummaries, pathsWithoutSummary } from "./drifted.js";
import type { EntryState } from "./enter.js";
import { type RegistryRow, readRegistry } from "./read.js";
import { rehash } from "./rehash.js";
import { type SummaryUpdate, touchedPaths, type Updated, updateSummaries } from "./update.js";
import { type FileVerdict, type VerdictCounts, type VerdictOptions, verdictsOf } from "./verdicts.js";

export { parseUpdates } from "./update.js";

/** The registry's answers, with the names of docs/registry.md, for commands and MCP tools. */

export interface RegistryAnswer {
  /** The entry state: see the table in docs/registry.md. */
  action: EntryState["action"];
  reason: string;
  head: string | null;
  last_verified_sha: string | null;
}

export interface VerifyAnswer extends RegistryAnswer {
  counts: VerdictCounts;
  /** Number of paths compared with their rows, and number of hashed files: 0 if the registry was trusted. */
  compared: number;
  hashed: number;
  verdicts: FileVerdict[];
  /** Summaries that were written for another content. */
  stale: DriftedSummary[];
}

export async function verifyRegistry(
  context: Context,
  asking: RegistryOptions,
  options: VerdictOptions & { rehash: boolean },
): Promise<VerifyAnswer> {
  return askRegistry(context, { ...asking, reports: true }, async ({ db, facts, project, entry }) => {
    const again = options.rehash && entry.sha !== null ? await rehash(db, project, entry) : { hidden: [], hashed: 0 };
    const whole: EntryState = { ...entry, uncommitted: [...entry.uncommitted, ...again.hidden] };
    const { counts, verdicts } = await verdictsOf(db, facts, project, whole, options);
    const stale = await driftedSummaries(db, facts, project, whole);
    const compared = entry.compared + again.hashed;
    return { ...registryAnswer(entry), counts, compared, hashed: again.hashed, verdicts, stale };
  });
}

function registryAnswer({ action, reason, head, sha }: EntryState): RegistryAnswer {
  return { action, reason, head, last_verified_sha: sha };
}

export interface ListAnswer extends RegistryAnswer {
  files: RegistryRow[];
}

/** `paths`: files, or folders with everything in them; none: all files. */
export async function listRegistry(
  context: Context,
  asking: RegistryOptions,
  { paths, md5 }: { paths: readonly string[]; md5: boolean },
): Promise<ListAnswer> {
  return askRegistry(context, asking, async ({ db, facts, project, entry }) => {
    const within = (path: string) =>
      paths.length === 0 || paths.some((one) => one === "" || path === one || path.startsWith(`${one}/`));
    return { ...registryAnswer(entry), files: await readRegistry(db, facts, project, entry, { within, md5 }) };
  });
}

/** One file; null if the worktree has none of that name. */
export async function showRegistry(
  context: Context,
  asking: RegistryOptions,
  { path, md5 }: { path: string; md5: boolean },
): Promise<(RegistryAnswer & { file: RegistryRow }) | null> {
  return askRegistry(context, asking, async ({ db, facts, project, entry }) => {
    const [file] = await readRegistry(db, facts, project, entry, { paths: [path], md5 });
    return file === undefined ? null : { ...registryAnswer(entry), file };
  });
}

export interface StaleAnswer extends RegistryAnswer {
  files: DriftedSummary[];
  /** Files without a summary. */
  untold: string[];
}

export async function staleSummaries(context: Context, asking: RegistryOptions): Promise<StaleAnswer> {
  return askRegistry(context, asking, async ({ db, facts, project, entry }) => ({
    ...registryAnswer(entry),
    files: await driftedSummaries(db, facts, project, entry),
    untold: pathsWithoutSummary(db, project.worktree.id),
  }));
}

export interface TaskEnd {
  updates: readonly SummaryUpdate[];
  /** The commit whose files were touched, if no paths are given: default HEAD. */
  commit: string | null;
  paths: readonly string[] | null;
}

export async function endTask(context: Context, { updates, commit, paths }: TaskEnd): Promise<Updated> {
  const { project } = context;
  const cwd = project.worktree.path;
  const state = await workState(cwd);
  const named = commit === null ? state.head : await namedCommit(cwd, commit);
  if (commit !== null && named === null) throw new UaError("usage", `there is no commit ${JSON.stringify(commit)}`);
  const touched = paths ?? (named === null ? [] : await touchedPaths(cwd, named));
  const { db, facts } = await openFacts(context);
  return updateSummaries(db, project, { updates, touched, state, facts, verify: () => verifiedHead(context) });
}
