import { LANGUAGE_LIST, languageOf } from "../fingerprint/languages.js";
import { isRefusal } from "../git/run.js";
import { isGone, isRegularFile, listTree } from "../git/trees.js";
import { acknowledge } from "../knowledge/acknowledge.js";
import { Baseline } from "../knowledge/baseline.js";
import type { LoadedContext } from "../repository/context.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import { worktreeRow } from "./worktree-rows.js";

/**
 * This program may know languages that the one before did not: their files were no source, and the graph has none of them. They
 * count as known at the commit that was verified last, as after `ack`, so that an upgrade asks for nothing; each counts from its
 * next change on. Returns whether there are any.
 */
export async function takeUpLanguages(
  { db, project, rules }: LoadedContext,
  commit: string,
  { inGraph }: { inGraph: boolean },
): Promise<boolean> {
  const { id, path: cwd } = project.worktree;
  const verified = worktreeRow(db, id)?.verified_sha ?? null;
  const known = readSetting(db, SETTINGS.languageList, id) ?? (verified === null ? LANGUAGE_LIST : 1);
  if (verified === null) writeSetting(db, SETTINGS.languageList, LANGUAGE_LIST, id);
  if (verified === null || known >= LANGUAGE_LIST) return false;
  const baseline = new Baseline(db, project.scope, id);
  const isUnknown = (file: string) =>
    (languageOf(file)?.since ?? 1) > known && rules.covers(file, false) && baseline.get(file) === null;
  const tree = await listTree(cwd, verified).catch((error: unknown) => {
    if (isRefusal(error) && isGone(error)) return listTree(cwd, commit);
    throw error;
  });
  const due = tree.filter(({ path, mode }) => isRegularFile(mode) && isUnknown(path));
  db.write(() => {
    const files = due.map(({ path, oid }) => [path, oid] as const);
    if (files.length > 0) acknowledge(db, project, { head: commit, renamedFiles: [] }, files, { inGraph });
    writeSetting(db, SETTINGS.languageList, LANGUAGE_LIST, id);
  });
  return due.length > 0;
}
