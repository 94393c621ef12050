import { asBlob, plainFile } from "../git/blobs.js";
import type { Uncommitted, WorkState } from "../git/status.js";
import { worktreeOids } from "../git/worktree.js";
import type { Facts, WantedFact } from "../knowledge/facts.js";
import { isOurs } from "../repository/inputs.js";
import { type FileKind, isBinary, kindByName } from "./kinds.js";
import type { OidChange } from "./tree.js";

/** A path of HEAD with something uncommitted over it. */
export interface UncommittedChange extends OidChange {
  untracked: boolean;
}

/** What counts as a change of the tree: our own artefacts do not (invariant "no self-triggering"). */
export function uncommittedFiles({ changes }: WorkState): Uncommitted[] {
  return changes.filter(({ path }) => !isOurs(path));
}

/**
 * The uncommitted changes of a view as blobs, through git's own filters; so a file that was edited back to a content that
 * is known is known. What the index has a blob for is not read.
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

/** Gives the parser what git has no object for yet. */
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
