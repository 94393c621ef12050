import { join } from "node:path";
import { contentHash } from "../fingerprint/content.js";
import { conflictSides } from "../graph/conflict.js";
import type { Project } from "../repository/locate.js";
import { parseJsonObject, readTextIfThere, stampOf } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { FINGERPRINTS, GRAPH, liveCopy, META } from "./artefacts.js";

/** Whether graph, fingerprints and meta are those of the baseline, or were written by us. */
export function isAdopted(db: Db, project: Project): boolean {
  const known = readSetting(db, SETTINGS.adopted, project.scope);
  return JSON.stringify(known) === JSON.stringify(adoptionStamps(project)) && isKnownMeta(db, project);
}

export function isKnownMeta(db: Db, project: Project): boolean {
  const known = readSetting(db, SETTINGS.meta, project.scope) ?? [];
  return known.includes(metaSignature(project));
}

/** Both places of each: a tracked graph that a checkout writes is a change, although readers prefer the live copy. */
export function adoptionStamps(project: Project): (string | null)[] {
  const names = [GRAPH, FINGERPRINTS] as const;
  return [...names.map((name) => join(project.dataDir, name)), ...names.map((name) => liveCopy(project, name))].map(
    stampOf,
  );
}

/** Marks the current artefacts as adopted. */
export function recordAdopted(db: Db, project: Project): void {
  writeSetting(db, SETTINGS.adopted, adoptionStamps(project), project.scope);
}

/** The commit and time in the data dir's meta.json; the live copy is only written by us. */
export function metaSignature(project: Project): string {
  const file = join(project.dataDir, META);
  const text = readTextIfThere(file);
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
