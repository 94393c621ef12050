import { lstatSync } from "node:fs";

/** The user that this process acts as; null where the system has no such numbers (Windows). */
export function currentUser(): number | null {
  return process.geteuid?.() ?? null;
}

/** Whether only this user can have written it: owner and mode. What is not there was written by nobody. */
export function isOwnAlone(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const user = currentUser();
  if (stat === undefined || user === null) return true;
  return stat.uid === user && (stat.mode & 0o022) === 0;
}
