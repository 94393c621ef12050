import { extractorOf, languageOf } from "../fingerprint/languages.js";
import type { Drift } from "../fingerprint/types.js";
import type { Facts } from "../knowledge/facts.js";
import type { Project } from "../repository/locate.js";
import type { Db } from "../store/sqlite.js";
import { currentSummaries } from "./current-summaries.js";
import type { EntryState } from "./enter.js";
import type { FileKind } from "./kinds.js";
import { md5Of, workMd5 } from "./md5.js";
import { describeWorkFile, type UncommittedChange } from "./overlay.js";
import { type FileRow, readRows } from "./rows.js";
import type { SummaryState } from "./summaries.js";

/** A row in an answer: the columns of docs/registry.md, then computed values. */
export interface RegistryRow {
  path: string;
  type: FileKind;
  language: string | null;
  size_bytes: number | null;
  content_oid: string;
  /** null unless asked for. */
  content_md5: string | null;
  /** Hash of the file's tokens: equal for two contents that differ in comments and layout only. null: never parsed. */
  fingerprint: string | null;
  summary: string | null;
  summary_updated_at: string | null;
  summary_state: SummaryState | null;
  /** The drift since the summary was written. */
  drift: Drift | null;
  details: string[];
  uncommitted: boolean;
}

interface Now extends FileRow {
  uncommitted: boolean;
}

/** The named files, or those for which `within` is true. */
interface Selection {
  paths?: readonly string[] | null;
  within?: (path: string) => boolean;
  md5: boolean;
}

/** The current files of a worktree: the rows of HEAD, with the uncommitted changes. */
export async function readRegistry(
  db: Db,
  facts: Facts,
  { worktree }: Project,
  { uncommitted }: EntryState,
  { paths = null, within = () => true, md5 }: Selection,
): Promise<RegistryRow[]> {
  const wanted = paths === null ? null : new Set(paths);
  const over = wanted === null ? uncommitted : uncommitted.filter(({ path }) => wanted.has(path));
  const rows = overlaid(worktree.path, readRows(db, worktree.id, paths), over).filter(({ path }) => within(path));
  const summaries = await currentSummaries(db, facts, worktree.path, uncommitted, rows);
  const prints = fingerprintsOf(db, rows);
  const sums = md5 ? await md5Of(db, worktree.path, committedOids(rows)) : null;
  return rows.map(({ path, oid, type, size, uncommitted }): RegistryRow => {
    const words = summaries.get(path);
    const sum = sums === null ? null : uncommitted ? workMd5(worktree.path, path) : (sums.get(oid) ?? null);
    return {
      ...{ path, type, language: languageOf(path)?.name ?? null, size_bytes: size, content_oid: oid, content_md5: sum },
      ...{ fingerprint: prints.get(`${oid} ${extractorOf(path)}`) ?? null, summary: words?.summary ?? null },
      ...{ summary_updated_at: words?.updatedAt ?? null, summary_state: words?.state ?? null },
      ...{ drift: words?.drift ?? null, details: words?.details ?? [], uncommitted },
    };
  });
}

const committedOids = (rows: readonly Now[]) => rows.filter(({ uncommitted }) => !uncommitted).map(({ oid }) => oid);

function overlaid(cwd: string, rows: readonly FileRow[], uncommitted: readonly UncommittedChange[]): Now[] {
  const now = new Map<string, Now>(rows.map((row) => [row.path, { ...row, uncommitted: false }]));
  for (const { path, after } of uncommitted) {
    if (after === null) now.delete(path);
    else now.set(path, { path, oid: after, ...describeWorkFile(cwd, path), uncommitted: true });
  }
  return [...now.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** By `<oid> <extractor>`. */
function fingerprintsOf(db: Db, rows: readonly Now[]): Map<string, string> {
  const found = db.all<{ oid: string; extractor: string; hash: string | null }>(
    `SELECT oid, extractor, data ->> 'tokenHash' AS hash FROM fingerprints
     WHERE oid IN (SELECT value FROM json_each(?))`,
    JSON.stringify(rows.map(({ oid }) => oid)),
  );
  return new Map(found.flatMap(({ oid, extractor, hash }) => (hash ? [[`${oid} ${extractor}`, hash]] : [])));
}
