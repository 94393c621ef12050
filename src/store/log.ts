import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../errors.js";
import { faultPoint } from "./fault.js";
import { readTextIfThere } from "./files.js";

/** One line of ua-hooks.log: the decision of a run, or its error. */
export interface LogEntry {
  at: string;
  view: string;
  events: string[];
  head: string | null;
  outcome: string;
  action?: string;
  reason: string;
  /** What is to be described, as far as it fits. */
  symbols?: LoggedSymbol[];
  /** How many more there are. */
  moreSymbols?: number;
  /** Number of parsed texts: 0 if all content was known. */
  parses: number;
  ms: number;
}

export interface LoggedSymbol {
  id: string;
  change: string;
}

const LIMIT = 512 * 1024;

export function logPath(stateDir: string): string {
  return join(stateDir, "ua-hooks.log");
}

/**
 * Called with the lock held, so that rotations never overlap. A full disk or a log that is not writable is ignored:
 * there is no other place to report it.
 */
export function writeLog(stateDir: string, entry: LogEntry): void {
  const file = logPath(stateDir);
  try {
    faultPoint("log.write");
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LIMIT) renameSync(file, `${file}.1`);
    appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
  } catch {
    // see above
  }
}

function isEntry(value: unknown): value is LogEntry {
  const { at, view: worktree, head, outcome, reason } = Object(value) as Record<string, unknown>;
  const texts = [at, worktree, outcome, reason];
  return texts.every((one) => typeof one === "string") && (head === null || typeof head === "string");
}

/** The newest `last` entries, oldest first. Invalid lines, cut short by a kill or a full disk, are skipped. */
export function readLog(stateDir: string, last: number): LogEntry[] {
  const file = logPath(stateDir);
  const text = (readTextIfThere(`${file}.1`) ?? "") + (readTextIfThere(file) ?? "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.slice(-last).flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return isEntry(entry) ? [entry] : [];
    } catch {
      return [];
    }
  });
}

/** Logs errors outside the verification of a worktree. */
export function logFailure(stateDir: string, error: unknown): void {
  const entry = { at: new Date().toISOString(), view: ".", events: [], head: null, outcome: "unknown" };
  writeLog(stateDir, { ...entry, reason: messageOf(error), parses: 0, ms: 0 });
}
