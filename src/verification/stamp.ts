import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ENGINE } from "../fingerprint/engine.js";
import { type Head, readHead } from "../git/head.js";
import { artefactPlaces } from "../knowledge/artefacts.js";
import { markerPath } from "../marker/marker.js";
import { configFiles, ignoreFiles } from "../repository/inputs.js";
import type { Project } from "../repository/locate.js";
import { worktreeToken } from "../repository/worktrees.js";
import { isText, objectOf, oneOf, parseJson } from "../store/check.js";
import { type FileStamp, readTextIfThere, stampOf, stateDb, writeFileAtomic } from "../store/files.js";

/** What the last verification of a view found. */
export interface VerifiedOutcome {
  outcome: (typeof OUTCOMES)[number];
  reason: string;
}

const OUTCOMES = ["settled", "pending", "off", "no-graph", "unborn", "unknown"] as const;

/**
 * The cheap proof (invariant "reads verify first"): HEAD, the extractor, and the stamps of every file that a verdict depends on are as they
 * were. It is kept in a file of its own, so that a hook or an agent with nothing to hear opens no database.
 */
export async function checkStamp(project: Project): Promise<{ head: Head; stamped: VerifiedOutcome | null }> {
  const head = await readHead(project.worktree.gitDir, project.commonDir);
  return { head, stamped: matchStamp(project, head) };
}

function matchStamp(project: Project, head: Head): VerifiedOutcome | null {
  const [, key, stamped] = readTextIfThere(stampPath(project))?.split("\n") ?? [];
  if (key === undefined || stamped === undefined) return null;
  const now = new Map([...stampInputs(project), [markerPath(project), stampOf(markerPath(project))]]);
  return key === stampKey(project, head, now) ? parseOutcome(stamped) : null;
}

/**
 * The commit that the last proof was made at, whether or not it still holds: where the next verification will start. A
 * line of its own, so that sh can read it (hooks/shim.sh).
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

/** `seen`: the inputs as they were before the verification read them. What changed since then is not stamped. */
export function saveStamp(project: Project, head: Head, stamped: VerifiedOutcome, seen: Stamps): void {
  const stamps = new Map([...seen, [markerPath(project), stampOf(markerPath(project))]]);
  mkdirSync(join(project.stateDir, "proofs"), { recursive: true, mode: 0o700 });
  const lines = [head.commit ?? "", stampKey(project, head, stamps), JSON.stringify(stamped)];
  const text = `${lines.join("\n")}\n`;
  // One that holds already stays: readers would believe it, and nobody would come by to sweep up after a killed write.
  if (readTextIfThere(stampPath(project)) !== text) writeFileAtomic(stampPath(project), text, 0o600);
}

/** Before the life of a view's marker moves on (a lease): a kill on the way leaves no reader who believes the file. */
export function dropStamp(project: Project): void {
  rmSync(stampPath(project), { force: true });
}

/**
 * Before something is delivered: every proof of this clone, our own too, is about to say too much. A kill right after
 * the delivery then leaves no reader who believes that nothing has changed.
 */
export function dropStamps({ stateDir }: Pick<Project, "stateDir">): void {
  const dir = join(stateDir, "proofs");
  for (const name of existsSync(dir) ? readdirSync(dir) : []) rmSync(join(dir, name), { force: true });
}

/**
 * Somebody changed what markers speak of besides files (records): where something is pending, in any view, the next look
 * makes its marker anew. A view with nothing pending has no marker to be wrong.
 */
export function dropPendingStamps({ stateDir }: Pick<Project, "stateDir">): void {
  const dir = join(stateDir, "proofs");
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const [, , stamped = ""] = readTextIfThere(join(dir, name))?.split("\n") ?? [];
    if (parseOutcome(stamped)?.outcome === "pending") rmSync(join(dir, name), { force: true });
  }
}

export function stampPath({ stateDir, worktree }: Pick<Project, "stateDir" | "worktree">): string {
  return join(stateDir, "proofs", worktree.id === "." ? "main" : `linked.${worktree.id}`);
}

export type Stamps = Map<string, FileStamp>;

/** Every file that a verdict depends on. Whoever verifies takes them first, and again those it wrote itself. */
export function stampInputs(project: Project): Stamps {
  const { root, dataDir } = project;
  const files = [...artefactPlaces(project), ...ignoreFiles(root, dataDir), ...configFiles(root)];
  return new Map(files.map((file) => [file, stampOf(file)]));
}

function stampKey(project: Project, head: Head, stamps: Stamps): string {
  const where = [project.worktree.path, project.dataDir, existsSync(stateDb(project.stateDir))];
  return JSON.stringify([
    UA_HOOKS_VERSION,
    ENGINE,
    head.commit,
    head.branch ?? null,
    worktreeToken(project.worktree),
    where,
    [...stamps.values()],
  ]);
}
