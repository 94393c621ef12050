import { join } from "node:path";
import { contentHash } from "../fingerprint/content.js";
import { conflictSides } from "../graph/conflict.js";
import type { Project } from "../repository/locate.js";
import { type FileStamp, isAsStamped, parseJsonObject, readProjectFile, stampOf } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { FINGERPRINTS, GRAPH, homeOf, META } from "./artefacts.js";

/** Whether graph, fingerprints and meta are those of the baseline, or were written by us. A version before stored no graph. */
export function isAdopted(db: Db, project: Project): boolean {
  if (db.get("SELECT 1 AS one FROM heads WHERE scope = ?", project.scope) === undefined) return false;
  const stamps = adoptedStamps(db, project);
  return adoptedFiles(project).every((file, at) => isAsStamped(file, stamps[at])) && isKnownMeta(db, project);
}

export function isKnownMeta(db: Db, project: Project): boolean {
  const known = readSetting(db, SETTINGS.meta, project.scope) ?? [];
  return known.includes(metaSignature(project));
}

export function adoptedFiles(project: Project): string[] {
  return [GRAPH, FINGERPRINTS].map((name) => join(project.dataDir, name));
}

/** The stamps of those files when they were adopted. */
export function adoptedStamps(db: Db, project: Project): FileStamp[] {
  return readSetting(db, SETTINGS.adopted, project.scope) ?? [];
}

/** Taken before the files are read: what another tool writes later counts as changed. */
export function adoptionStamps(project: Project): FileStamp[] {
  return adoptedFiles(project).map((file) => stampOf(file));
}

/** From here on the artefacts, which this process wrote, count as known. `written`: stamps of the first files, taken at that time. */
export function recordAdopted(db: Db, project: Project, written: readonly FileStamp[] = []): void {
  const stamps = adoptedFiles(project).map((file, at) =>
    at < written.length ? (written[at] ?? null) : stampOf(file, { own: true }),
  );
  writeSetting(db, SETTINGS.adopted, stamps, project.scope);
}

/** The commit and time in the data dir's meta.json; the live copy is only written by us. */
export function metaSignature(project: Project): string {
  const file = join(project.dataDir, META);
  const text = readProjectFile(file, homeOf(project, file));
  if (text === null) return "";
  // With conflict markers it has no valid content: the merged version is in the live copy.
  if (conflictSides(text) !== null) return `conflict ${contentHash(Buffer.from(text))}`;
  const meta = parseJsonObject(text, file);
  return `${String(meta.gitCommitHash)} ${String(meta.lastAnalyzedAt)}`;
}

/** Records that we are about to write meta.json: after a kill it must not look like another tool's. */
export function announceMeta(db: Db, project: Project, signature: string): void {
  writeSetting(db, SETTINGS.meta, [...new Set([metaSignature(project), signature])], project.scope);
}
