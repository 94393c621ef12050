import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { errnoOf } from "../errors.js";

/**
 * A process, distinguished from a later one with the same pid by its start time, and from one with the same pid in another container.
 * `born` is from Linux' /proc/<pid>/stat, `space` names the kernel and the pid namespace. On other systems both are empty, and only
 * host and pid are compared.
 */
export interface ProcessId {
  pid: number;
  born: string;
  host: string;
  space: string;
}

export function processOf(pid: number): ProcessId {
  return { pid, born: readStat(pid).born, host: hostname(), space: ownSpace() };
}

/**
 * Whether it is known to have ended. A process of another machine or pid namespace is never known to: its number means nothing here, and
 * what it holds is left to its age. Containers may share a host name (`docker run --uts=host`), so that alone says nothing.
 */
export function isGone(process: ProcessId): boolean {
  return process.host === hostname() && isSpaceOurs(process.space) && !isRunning(process);
}

function isSpaceOurs(space: string): boolean {
  return space === ownSpace() && (space !== "" || !HAS_NAMESPACES);
}

/** A zombie counts as dead: in a container whose first process reaps no children, it would stay forever. */
export function isRunning({ pid, born }: Pick<ProcessId, "pid" | "born">): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isThere(pid)) return false;
  const now = readStat(pid);
  if (now.zombie) return false;
  return now.born === "" || born === "" || now.born === born;
}

const HAS_NAMESPACES = process.platform === "linux";

/** `<boot id> pid:[4026531836]` (pid_namespaces(7)); the first namespace has the same number on every machine. Empty without a /proc. */
function ownSpace(): string {
  try {
    return `${readText("/proc/sys/kernel/random/boot_id").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

const SPACE_DIGITS = 10;

/** In the names of temporary files: a number that no other living process of this machine has, not even one with our pid in another container. */
export function processNumber(): string {
  return `${process.pid}${spaceNumber()}`;
}

function spaceNumber(): string {
  const [, inode = "0"] = /\[(\d+)\]$/.exec(ownSpace()) ?? [];
  return inode.slice(-SPACE_DIGITS).padStart(SPACE_DIGITS, "0");
}

/** Of a `processNumber`, or of a shell's `$$`, which needs its file for an instant only: false where the process cannot be seen. */
export function isNumberGone(number: string): boolean {
  const isShell = number.length <= SPACE_DIGITS;
  if (!isShell && number.slice(-SPACE_DIGITS) !== spaceNumber()) return false;
  return !isRunning({ pid: Number(isShell ? number : number.slice(0, -SPACE_DIGITS)), born: "" });
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
    return isProcOurs() ? readText(`/proc/${pid}/stat`) : "";
  } catch {
    return ""; // no /proc, no access, or gone meanwhile (ESRCH)
  }
}

/** `unshare --pid` without `--mount-proc` leaves the /proc of another namespace, whose numbers are other processes'. */
function isProcOurs(): boolean {
  return readlinkSync("/proc/self") === String(process.pid);
}

function readText(file: string): string {
  return readFileSync(file, "utf8");
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM"; // another user's process, but alive
  }
}
