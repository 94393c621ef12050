import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../repository/locate.js";
import { readTextIfThere, stampOf, writeFileAtomic } from "../store/files.js";

/** What the last whole look found, and the stamps of the files that it read. */
interface Seen {
  files: string[];
  stamps: string;
  warning: string | null;
}

export interface HooksNews {
  /** Why hooks do not fire, in one line. */
  warning: string | null;
  /** Whether it was not known before. */
  isNew: boolean;
  repaired: boolean;
}

/**
 * Whether git still comes by, at the price of a dozen stat calls: where the files that decide it are as they were at the last
 * look, its answer holds; else the rest is loaded and looks again, and with `selfRepair` puts us back. For status, the
 * runner and agents' hooks alike.
 */
export async function hooksNews(project: Project): Promise<HooksNews> {
  const seen = parse(readTextIfThere(seenFile(project)));
  if (seen !== null && stampsOf(seen.files) === seen.stamps)
    return { warning: seen.warning, isNew: false, repaired: false };
  const { lookAgain } = await import("./repair.js");
  const { files, warning, repaired } = await lookAgain(project);
  noteSeen(project, files, warning);
  return { warning, isNew: warning !== null && warning !== seen?.warning, repaired };
}

function noteSeen(project: Project, files: string[], warning: string | null): void {
  const seen: Seen = { files, stamps: stampsOf(files), warning };
  try {
    // Not recursive: a state dir that was taken away while we looked is not made anew.
    if (!existsSync(join(project.stateDir, "seen"))) mkdirSync(join(project.stateDir, "seen"), { mode: 0o700 });
    writeFileAtomic(seenFile(project), `${JSON.stringify(seen)}\n`, 0o600);
  } catch {
    // then whoever comes next looks again
  }
}

function seenFile({ stateDir, view }: Project): string {
  return join(stateDir, "seen", view.id === "." ? "main" : `linked.${view.id}`);
}

function parse(text: string | null): Seen | null {
  try {
    return text === null ? null : (JSON.parse(text) as Seen);
  } catch {
    return null; // garbled: look again
  }
}

function stampsOf(files: readonly string[]): string {
  return files.map((file) => stampOf(file) ?? "-").join(" ");
}
