import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { errnoOf, messageOf, UaError } from "../errors.js";
import { chownCommand, currentUser, ownerOf } from "../platform/owner.js";

interface SystemError {
  errno: RegExp;
  sqlite: RegExp;
  next: string;
}

const RIGHTS: SystemError = {
  errno: /^(EACCES|EPERM|EROFS)$/,
  sqlite: /readonly database|unable to open database file/i,
  next: "the file and its folder must be yours to write; mend that and run it again: what was there is as it was",
};

/** What the system says when a disk or its rights are in the way, and what one can do about it. */
const SYSTEM_ERRORS: readonly SystemError[] = [
  {
    errno: /^(ENOSPC|EDQUOT|EFBIG)$/,
    sqlite: /database or disk is full/i,
    next: "make room on the disk and run it again: what was there is as it was",
  },
  RIGHTS,
  { errno: /^EIO$/, sqlite: /disk I\/O error/i, next: "the disk reports errors: look after it, then run it again" },
  {
    errno: /^(EMFILE|ENFILE|ENOMEM)$/,
    sqlite: /out of memory/i,
    next: "the machine is short of it: run it again later",
  },
];

/** An error that is not ours, with the way out; null for every other one. `where`: the file, if known. */
export function toUserError(error: unknown, where?: string): UaError | null {
  if (!(error instanceof Error) || error instanceof UaError) return null;
  const said = messageOf(error);
  // Node takes such a name for no file and for no process.
  if (errnoOf(error) === "ERR_INVALID_ARG_VALUE" && said.includes("null bytes"))
    return new UaError("usage", "a name with a NUL in it is no file's name", undefined, error);
  const found = SYSTEM_ERRORS.find(({ errno, sqlite }) => errno.test(errnoOf(error) ?? "") || sqlite.test(said));
  if (found === undefined) return null;
  const next = (found === RIGHTS ? otherOwner(where ?? pathOf(error)) : null) ?? found.next;
  if (where === undefined) return new UaError("failed", said, next, error);
  const why = found === RIGHTS && RIGHTS.sqlite.test(said) ? refusalOf(where) : null;
  return new UaError("failed", `${where}: ${why ?? said}`, next, error);
}

const pathOf = (error: Error) => ("path" in error && typeof error.path === "string" ? error.path : undefined);

/** The one command that helps, where files of another user are in the way: a commit under sudo leaves such files. */
function otherOwner(path: string | undefined): string | null {
  if (path === undefined) return null;
  const folder = /^.*\/(ua-hooks|\.understand-anything|\.ua)(?=\/|$)/s.exec(path)?.[0];
  const user = currentUser();
  if (folder === undefined || user === null) return null;
  const [owner, folderOwner] = [ownerOf(path), ownerOf(folder)];
  if ((owner ?? user) === user && (folderOwner ?? user) === user) return null;
  return `it belongs to another user (uid ${owner ?? folderOwner}): ${chownCommand(folder)}`;
}

/** Where SQLite may not write it says that it cannot open; the system says why. */
function refusalOf(file: string): string | null {
  try {
    for (const path of [dirname(file), file]) accessSync(path, constants.W_OK);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
