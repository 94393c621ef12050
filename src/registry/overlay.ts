import { asBlob, plainFile } from "../git/blobs.js";
import type { Uncommitted, WorkState } from "../git/status.js";
import { worktreeOids } from "../git/worktree.js";
import type { Facts, WantedFact } from "../knowledge/facts.js";
import { isOurs } from "../repository/inputs.js";
import { type FileKind, isBinary, kindByName } from "./kinds.js";
import type { OidChange } from "./tree.js";

/** A path of HEAD with an uncommitted change. */
export interface UncommittedChange extends OidChange {
  untracked: boolean;
}

/** Our own artefacts are no changes (invariant "no self-triggering"). */
export function uncommittedFiles({ changes }: WorkState): Uncommitted[] {
  return changes.filter(({ path }) => !isOurs(path));
}

/**
 * The uncommitted changes of a worktree as blobs, through git's own filters, so that a file that was changed back to a
 * known content is known. Files whose blob is in the index are not read.
 */
export async function layOver(cwd: string, state: WorkState): Promise<UncommittedChange[]> {
  const files = uncommittedFiles(state);
  const unknown = files.filter(({ there, oid }) => there && oid === null).map(({ path }) => path);
  const hashed = unknown.length === 0 ? new Map<string, string>() : await worktreeOids(cwd, unknown);
  return files
    .map(({ path, headOid, oid, untracked }) => ({
      ...{ path, before: headOid, untracked },
      after: oid ?? hashed.get(path) ?? null,
    }))
    .filter(({ before, after }) => before !== after);
}

/** Gives the parser contents that git has no object for yet. */
export function offerContents(facts: Facts, cwd: string, contents: readonly WantedFact[]): void {
  for (const { path, oid } of contents) {
    const content = plainFile(cwd, path);
    const blob = content === null ? null : asBlob(content, oid);
    if (blob !== null) facts.offer(oid, blob);
  }
}

export interface WorkFile {
  type: FileKind;
  size: number | null;
}

export function describeWorkFile(cwd: string, path: string): WorkFile {
  const content = plainFile(cwd, path);
  const byContent: FileKind = content !== null && isBinary(content) ? "binary" : "text";
  return { type: kindByName(path) ?? byContent, size: content?.length ?? null };
}
