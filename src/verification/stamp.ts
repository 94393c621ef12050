import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ENGINE } from "../fingerprint/engine.js";
import { type Head, readHead } from "../git/head.js";
import { artefactPlaces } from "../knowledge/artefacts.js";
import { markerPath } from "../marker/marker.js";
import { makeFolder } from "../platform/change-files.js";
import { configFiles, ignoreFiles } from "../repository/inputs.js";
import type { Project } from "../repository/locate.js";
import { worktreeToken } from "../repository/worktrees.js";
import { isText, listOf, objectOf, oneOf, orNull, parseJson } from "../store/check.js";
import { type FileStamp, isAsStamped, readTextIfThere, stampOf, stateDb, writeFileAtomic } from "../store/files.js";

/** The result of a worktree's last verification. */
export interface VerifiedOutcome {
  outcome: (typeof OUTCOMES)[number];
  reason: string;
}

const OUTCOMES = ["settled", "pending", "off", "no-graph", "unborn", "unknown"] as const;

/**
 * Checks the freshness stamp (invariant "reads verify first"): HEAD, the extractor, and the stamps of every file that a
 * verdict depends on are unchanged. It is a file of its own, so that a hook or an agent with nothing to do opens no
 * database.
 */
export async function checkStamp(project: Project): Promise<{ head: Head; stamped: VerifiedOutcome | null }> {
  const head = await readHead(project.worktree.gitDir, project.commonDir);
  return { head, stamped: matchStamp(project, head) };
}

function matchStamp(project: Project, head: Head): VerifiedOutcome | null {
  const [, key, stamps, stamped] = readTextIfThere(stampPath(project))?.split("\n") ?? [];
  if (stamps === undefined || stamped === undefined || key !== stampKey(project, head)) return null;
  return areAsStamped([...inputFiles(project), markerPath(project)], stamps) ? parseOutcome(stamped) : null;
}

function areAsStamped(files: readonly string[], text: string): boolean {
  const stamps = parseJson(text, listOf(orNull(isText)));
  return files.length === stamps?.length && files.every((file, at) => isAsStamped(file, stamps[at]));
}

/**
 * The commit of the last stamp, even if it no longer matches: the next verification starts there. A line of its own, so
 * that sh can read it (hooks/shim.sh).
 */
export function lastVerifiedHead(project: Project): string | null {
  const commit = readTextIfThere(stampPath(project))?.split("\n", 1)[0] ?? "";
  return /^[0-9a-f]+$/.test(commit) ? commit : null;
}

const isOutcome = objectOf<VerifiedOutcome>({ outcome: oneOf(...OUTCOMES), reason: isText });

/** null: the line is damaged, and the stamp does not match. */
function parseOutcome(text: string): VerifiedOutcome | null {
  return parseJson(text, isOutcome);
}

/** `seen`: the inputs before verification read them. Later changes are not stamped. */
export function saveStamp(project: Project, head: Head, stamped: VerifiedOutcome, seen: Stamps): void {
  const stamps = [...seen.values(), stampOf(markerPath(project), { own: true })];
  makeFolder(join(project.stateDir, "proofs"), project.stateDir);
  const lines = [head.commit ?? "", stampKey(project, head), JSON.stringify(stamps), JSON.stringify(stamped)];
  const text = `${lines.join("\n")}\n`;
  // An equal stamp is not written again: after a kill during the write no process would remove the temporary file.
  if (readTextIfThere(stampPath(project)) !== text) writeFileAtomic(stampPath(project), text, 0o600);
}

/** Before a worktree's marker changes (a lease): after a kill no reader must trust the old file. */
export function dropStamp(project: Project): void {
  rmSync(stampPath(project), { force: true });
}

/**
 * Before a delivery: all stamps of this clone will be outdated. After a kill no reader must believe that nothing has
 * changed.
 */
export function dropStamps({ stateDir }: Pick<Project, "stateDir">): void {
  const dir = join(stateDir, "proofs");
  for (const name of existsSync(dir) ? readdirSync(dir) : []) rmSync(join(dir, name), { force: true });
}

/**
 * Records changed, which markers list besides files: where something is pending, in any worktree, the next read
 * computes its marker again. A worktree with nothing pending has no marker.
 */
export function dropPendingStamps({ stateDir }: Pick<Project, "stateDir">): void {
  const dir = join(stateDir, "proofs");
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const [, , , stamped = ""] = readTextIfThere(join(dir, name))?.split("\n") ?? [];
    if (parseOutcome(stamped)?.outcome === "pending") rmSync(join(dir, name), { force: true });
  }
}

export function stampPath({ stateDir, worktree }: Pick<Project, "stateDir" | "worktree">): string {
  return join(stateDir, "proofs", worktree.id === "." ? "main" : `linked.${worktree.id}`);
}

export type Stamps = Map<string, FileStamp>;

/** Every file that a verdict depends on. Verification takes these first, and again those that it wrote. */
export function stampInputs(project: Project): Stamps {
  return new Map(inputFiles(project).map((file) => [file, stampOf(file)]));
}

function inputFiles(project: Project): string[] {
  const { root, dataDir } = project;
  return [...new Set([...artefactPlaces(project), ...ignoreFiles(root, dataDir), ...configFiles(root)])];
}

function stampKey(project: Project, head: Head): string {
  const where = [project.worktree.path, project.dataDir, existsSync(stateDb(project.stateDir))];
  return JSON.stringify([
    UA_HOOKS_VERSION,
    ENGINE,
    head.commit,
    head.branch ?? null,
    worktreeToken(project.worktree),
    where,
  ]);
}
