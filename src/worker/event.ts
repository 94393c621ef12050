import { readFileSync } from "node:fs";
import { rawDiff } from "../git/trees.js";
import { codeFolder, withCodeCache } from "../platform/code-cache.js";
import { locateProject, type Project } from "../repository/locate.js";
import { isRebasing } from "../repository/worktrees.js";
import { checkStamp, lastVerifiedHead } from "../verification/stamp.js";

/** A diff that git computes while the rest of the program is loaded. */
export interface EarlyDiff {
  from: string;
  to: string;
  output: Promise<Buffer>;
}

/**
 * Verifies the worktree of the hook, before git returns. Modules that the stamp check does not need are loaded after
 * it. `piped`: the two commits whose raw diff hooks/shim.sh has on our stdin, started before Node.
 */
export async function onEvent(cwd: string, event: string, piped: readonly string[]): Promise<void> {
  const project: Project = await locateProject({ cwd, env: process.env });
  const { head, stamped } = await checkStamp(project);
  if (stamped !== null) return;
  // At post-rewrite git's rebase folder still exists, but HEAD is final.
  if (isRebasing(project.worktree) && event !== "post-rewrite") return;
  const early = startDiff(project, head.commit, piped);
  const verify = async () => (await import("./foreground.js")).verifyNow(project, event, early);
  await withCodeCache(codeFolder(project.stateDir), "hook", verify);
}

function startDiff(project: Project, to: string | null, piped: readonly string[]): EarlyDiff | null {
  const from = lastVerifiedHead(project);
  if (from === null || to === null || from === to) return null;
  const ready = from === piped[0] && to === piped[1] ? pipedDiff() : null;
  const output = ready === null ? rawDiff(project.worktree.path, from, to) : Promise.resolve(ready);
  output.catch(() => {}); // reported where it is awaited
  return { from, to, output };
}

const END = "end";

/** A pipe does not show git's exit status: the shim appends a last line only after success. */
function pipedDiff(): Buffer | null {
  try {
    const text = readFileSync(0);
    const size = text.length - END.length;
    return text.toString("latin1", Math.max(size, 0)) === END ? text.subarray(0, size) : null;
  } catch {
    return null; // no such pipe: run git again
  }
}
