import { readFileSync } from "node:fs";
import { errnoOf } from "../errors.js";

/**
 * A process, distinguished from a later one with the same pid by its start time. `born` is from Linux'
 * /proc/<pid>/stat; on other systems it is empty, and only the pid is compared.
 */
export interface ProcessId {
  pid: number;
  born: string;
}

export function processOf(pid: number): ProcessId {
  return { pid, born: readStat(pid).born };
}

/** A zombie counts as dead: in a container whose first process reaps no children, it would stay forever. */
export function isRunning({ pid, born }: ProcessId): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isThere(pid)) return false;
  const now = readStat(pid);
  if (now.zombie) return false;
  return now.born === "" || born === "" || now.born === born;
}

/**
 * `<pid> (<name>) <state> … ` (proc(5)): the name may contain anything, so parse after the last parenthesis. Field 22
 * is the start time.
 */
function readStat(pid: number): { zombie: boolean; born: string } {
  const stat = statLine(pid);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { zombie: fields[0] === "Z" || fields[0] === "X", born: fields[19] ?? "" };
}

function statLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return ""; // no /proc, no access, or gone meanwhile (ESRCH)
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM"; // another user's process, but alive
  }
}
