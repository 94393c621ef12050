import { readdirSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";

/**
 * Work in the background gives way to everything that a user or an agent waits for. Linux derives the priority of reads and writes from
 * this number, and counts it per thread: the threads that Node has started by now are named in /proc. Children inherit it. It is never
 * raised: a commit that runs under `nice -n 15` keeps its own.
 */
export function lowerPriority(): void {
  for (const thread of [0, ...threadIds()]) {
    try {
      setPriority(thread, Math.max(getPriority(thread), constants.priority.PRIORITY_BELOW_NORMAL));
    } catch {
      // the thread has ended, or the system does not allow it
    }
  }
}

function threadIds(): number[] {
  try {
    return readdirSync("/proc/self/task").map(Number);
  } catch {
    return []; // no /proc: one number for the whole process
  }
}
