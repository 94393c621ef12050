import { closeSync, lstatSync, openSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The user that this process acts as; null where the system has no such numbers (Windows). */
export function currentUser(): number | null {
  return process.geteuid?.() ?? null;
}

/** null where there is no such file. */
export function ownerOf(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.uid ?? null;
}

/**
 * git's own rule for "this user's" (git-config(1), safe.directory): the effective user, and for root also the one who called sudo.
 * False where the system has no such numbers: then git has to be asked.
 */
export function isOwn(path: string, env: NodeJS.ProcessEnv = process.env): boolean {
  const user = currentUser();
  const owner = ownerOf(path);
  if (user === null) return false;
  if (owner === null || owner === user) return true;
  return user === 0 && /^\d+$/.test(env.SUDO_UID ?? "") && owner === Number(env.SUDO_UID);
}

/** Whether only this user can have written it: owner and mode. A missing file counts as own. */
export function isOwnAlone(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const user = currentUser();
  if (stat === undefined || user === null) return true;
  return stat.uid === user && (stat.mode & 0o022) === 0;
}

/**
 * Root in another user's clone (`sudo make release`) goes on as that user: no file of root's is left that its owner cannot read, and
 * nothing that the owner can write is run or followed by root. Only in a program of ours: a library must not do that to its caller.
 * False where that user cannot read the program.
 */
export function actAsOwner(path: string): boolean {
  const { uid, gid } = lstatSync(path);
  if (currentUser() !== 0 || uid === 0 || !isOwnProgram() || !isKnown(uid)) return true;
  process.seteuid?.(uid);
  const readable = isReadable(join(import.meta.dirname, "hook.cjs"));
  process.seteuid?.(0);
  if (!readable) return false;
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  return true;
}

/** In a container a number may stand for a user outside of it, whom no process inside can become. */
function isKnown(uid: number): boolean {
  try {
    process.seteuid?.(uid);
    process.seteuid?.(0);
    return true;
  } catch {
    return false;
  }
}

function isReadable(file: string): boolean {
  try {
    closeSync(openSync(file, "r"));
    return true;
  } catch {
    return false;
  }
}

function isOwnProgram(): boolean {
  try {
    return dirname(realpathSync(process.argv[1] ?? "")) === realpathSync(import.meta.dirname);
  } catch {
    return false; // `node -e`, a file that is gone
  }
}

/** What gives the files of a folder back to this user; to be run by the user. */
export function chownCommand(folder: string): string {
  const user = `${currentUser() ?? ""}:${process.getegid?.() ?? ""}`;
  return `sudo chown -R ${user} '${folder.replaceAll("'", "'\\''")}'`;
}
