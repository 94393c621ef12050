import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Closes inherited descriptors: sh can only close 3 to 9, and a caller that holds a lock on descriptor 200, or reads a
 * pipe to its end, must not wait for us. Only Linux shows what each descriptor is.
 */
export function closeInherited(): void {
  for (const fd of inherited()) {
    try {
      closeSync(fd);
    } catch {
      // it was the one that listed the folder
    }
  }
}

/**
 * Without a /proc, hooks/entry.sh learns from this named pipe whether a worker is running: it stays open for reading until this
 * process ends, however it ends. The shell that started us may have opened it already; a second time does no harm.
 */
export function openAlivePipe(path: string): void {
  if (existsSync("/proc/self/stat")) return;
  try {
    openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    // no such pipe: then every event starts a worker, and the second one ends at once
  }
}

function inherited(): number[] {
  const open = new Map<number, string>();
  for (const name of namesIn("/proc/self/fd")) {
    const target = linkOf(Number(name));
    if (Number(name) > 2 && target !== null) open.set(Number(name), target);
  }
  const targets = [...open.values()];
  // Node's own are marked close-on-exec; it marks low inherited ones too, but has no files, sockets or single pipe
  // ends. Entries in /dev/ are no files, except in shm/, where locks can be.
  const isTheirs = (target: string) =>
    /^(\/(?!dev\/(?!shm\/))|socket:)/.test(target) ||
    (target.startsWith("pipe:") && targets.filter((t) => t === target).length === 1);
  return [...open].filter(([fd, target]) => !closesOnExec(fd) || isTheirs(target)).map(([fd]) => fd);
}

/** `flags:	02100000` (proc(5), fdinfo), octal; O_CLOEXEC is 02000000. */
function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    return true; // already closed
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return []; // no /proc here
  }
}

function linkOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null; // the one that listed the folder
  }
}
