import { join } from "node:path";
import { contentHash } from "../fingerprint/content.js";
import { conflictSides } from "../graph/conflict.js";
import type { Project } from "../repository/locate.js";
import { parseJsonObject, readTextIfThere, stampOf } from "../store/files.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { FINGERPRINTS, GRAPH, liveCopy, META } from "./artefacts.js";

/** Whether graph, fingerprints and meta are those that the baseline was taken from, or that we wrote ourselves. */
export function isAdopted(db: Db, project: Project): boolean {
  const known = readSetting(db, SETTINGS.adopted, project.scope);
  return JSON.stringify(known) === JSON.stringify(adoptionStamps(project)) && isKnownMeta(db, project);
}

export function isKnownMeta(db: Db, project: Project): boolean {
  const known = readSetting(db, SETTINGS.meta, project.scope) ?? [];
  return known.includes(metaSignature(project));
}

/** Both places of each: a tracked graph that a checkout brings is news, although readers prefer the live copy. */
export function adoptionStamps(project: Project): (string | null)[] {
  const names = [GRAPH, FINGERPRINTS] as const;
  return [...names.map((name) => join(project.dataDir, name)), ...names.map((name) => liveCopy(project, name))].map(
    stampOf,
  );
}

/** From here on the artefacts count as known. */
export function recordAdopted(db: Db, project: Project): void {
  writeSetting(db, SETTINGS.adopted, adoptionStamps(project), project.scope);
}

/** What meta.json in the data dir claims; the live copy is ours alone, and never news. */
export function metaSignature(project: Project): string {
  const file = join(project.dataDir, META);
  const text = readTextIfThere(file);
  if (text === null) return "";
  // With a merge's markers in it it claims nothing: what was made of it is in the live copy.
  if (conflictSides(text) !== null) return `conflict ${contentHash(Buffer.from(text))}`;
  const meta = parseJsonObject(text, file);
  return `${String(meta.gitCommitHash)} ${String(meta.lastAnalyzedAt)}`;
}

/** Announces a write of meta.json by us, before it happens: a kill in between must not look like another tool's. */
export function announceMeta(db: Db, project: Project, signature: string): void {
  writeSetting(db, SETTINGS.meta, [...new Set([metaSignature(project), signature])], project.scope);
}
