import { readFileSync } from "node:fs";
import { errnoOf } from "../errors.js";

/**
 * A process, told apart from a later one of the same number by when it started. `born` is what Linux says in
 * /proc/<pid>/stat; elsewhere it is empty, and the number must do.
 */
export interface ProcessId {
  pid: number;
  born: string;
}

export function processOf(pid: number): ProcessId {
  return { pid, born: readStat(pid).born };
}

/** A zombie counts as dead: in a container whose first process reaps nobody, it would be "alive" for ever. */
export function isRunning({ pid, born }: ProcessId): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isThere(pid)) return false;
  const now = readStat(pid);
  if (now.zombie) return false;
  return now.born === "" || born === "" || now.born === born;
}

/** `<pid> (<name>) <state> … ` (proc(5)): the name may hold anything, so from the last parenthesis on. Field 22 is the start. */
function readStat(pid: number): { zombie: boolean; born: string } {
  const stat = statLine(pid);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { zombie: fields[0] === "Z" || fields[0] === "X", born: fields[19] ?? "" };
}

function statLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return ""; // no /proc, hidden from us, or gone while we read (ESRCH)
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM"; // somebody else's, but there
  }
}
