import { join } from "node:path";
import { makeFolder } from "../platform/change-files.js";
import type { Project } from "../repository/locate.js";
import { isText, listOf, objectOf, orNull, parseJson } from "../store/check.js";
import { type FileStamp, isAsStamped, readTextIfThere, stampOf, writeFileAtomic } from "../store/files.js";

/** The result of the last full check, and the stamps of the files that it read. */
interface SeenHooks {
  files: string[];
  stamps: FileStamp[];
  warning: string | null;
}

export interface HooksWarning {
  /** Why hooks do not fire, in one line. */
  warning: string | null;
  /** Whether it is new since the last check. */
  isNew: boolean;
  repaired: boolean;
}

/**
 * Whether git still runs our hooks, at the cost of some sixty stat calls (0.2 ms): if the files are unchanged since the last full
 * check, its result holds; else the full check runs again, and with `selfRepair` restores the hooks. For status, the
 * worker and agent hooks.
 */
export async function checkHooks(project: Project): Promise<HooksWarning> {
  const seen = parse(readTextIfThere(seenFile(project)));
  if (seen?.files.every((file, at) => isAsStamped(file, seen.stamps[at])) === true)
    return { warning: seen.warning, isNew: false, repaired: false };
  const { repairHooks } = await import("./repair.js");
  const { files, warning, repaired } = await repairHooks(project);
  saveSeen(project, files, warning);
  return { warning, isNew: warning !== null && warning !== seen?.warning, repaired };
}

function saveSeen(project: Project, files: string[], warning: string | null): void {
  const seen: SeenHooks = { files, stamps: files.map((file) => stampOf(file)), warning };
  try {
    makeFolder(join(project.stateDir, "seen"), project.stateDir);
    writeFileAtomic(seenFile(project), `${JSON.stringify(seen)}\n`, 0o600);
  } catch {
    // the next caller checks again
  }
}

function seenFile({ stateDir, worktree }: Project): string {
  return join(stateDir, "seen", worktree.id === "." ? "main" : `linked.${worktree.id}`);
}

const isSeenHooks = objectOf<SeenHooks>({
  files: listOf(isText),
  stamps: listOf(orNull(isText)),
  warning: orNull(isText),
});

/** null: it cannot be read, and the hooks are checked again. */
function parse(text: string | null): SeenHooks | null {
  return text === null ? null : parseJson(text, isSeenHooks);
}
