import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { errnoOf, isUaError, messageOf, UaError } from "../errors.js";
import { chownCommand, currentUser, ownerOf } from "../platform/owner.js";

interface SystemError {
  errno: RegExp;
  sqlite: RegExp;
  next: string;
}

const RIGHTS: SystemError = {
  errno: /^(EACCES|EPERM|EROFS)$/,
  sqlite: /readonly database|unable to open database file/i,
  next: "make the file and its folder writable for you and run it again; nothing was changed",
};

/** Codex's sandbox, for one, cannot write .git, but starts MCP servers outside of itself. */
const READ_ONLY = `${RIGHTS.next}. In a sandbox that cannot write here: the MCP tools claim_update and apply_update`;

/** System errors of disks and rights, and what to do about them. */
const SYSTEM_ERRORS: readonly SystemError[] = [
  {
    errno: /^(ENOSPC|EDQUOT|EFBIG)$/,
    sqlite: /database or disk is full/i,
    next: "free some disk space and run it again; nothing was changed",
  },
  RIGHTS,
  {
    errno: /^EIO$/,
    sqlite: /disk I\/O error/i, // SQLite's only words for a full disk as well, if it cannot make the file beside the database
    next: "the disk is full or reports errors: check it, then run it again",
  },
  {
    errno: /^(ENOTDIR|EISDIR|EEXIST|ENOTEMPTY|ELOOP|ENAMETOOLONG)$/,
    sqlite: /(?!)/,
    next: "a file is where a folder is expected, or the other way round: move it away and run it again",
  },
  {
    errno: /^(ENOENT|ESTALE|ENODEV|ENXIO)$/,
    sqlite: /(?!)/,
    next: "it went away meanwhile: if the repository was moved or removed, run it again in its new place",
  },
  {
    errno: /^(EMFILE|ENFILE|ENOMEM)$/,
    sqlite: /out of memory|too many open files/i,
    next: "the machine has too few resources: run it again later",
  },
];

/** Translates a system error, with what to do next; null for every other error. `where`: the file, if known. */
export function toUserError(error: unknown, where?: string): UaError | null {
  if (!(error instanceof Error) || isUaError(error)) return null;
  const message = messageOf(error);
  // Node's error names neither the file nor the process.
  if (errnoOf(error) === "ERR_INVALID_ARG_VALUE" && message.includes("null bytes"))
    return new UaError("usage", "a file name cannot contain a NUL byte", undefined, error);
  // JSON.parse reads any depth; JSON.stringify runs out of stack at some thousand levels.
  if (error instanceof RangeError && error.stack?.includes("at JSON.stringify") === true) {
    const next = "correct the graph, its meta.json or the record that another tool wrote; nothing was overwritten";
    return new UaError("damaged", "a JSON value is nested too deeply to be written again", next, error);
  }
  const found = SYSTEM_ERRORS.find(({ errno, sqlite }) => errno.test(errnoOf(error) ?? "") || sqlite.test(message));
  if (found === undefined) return null;
  const why = found === RIGHTS && where !== undefined && RIGHTS.sqlite.test(message) ? refusalOf(where) : null;
  const next = found === RIGHTS ? nextForRights(where ?? pathOf(error), why ?? message) : found.next;
  if (where === undefined) return new UaError("failed", message, next, error);
  return new UaError("failed", `${where}: ${why ?? message}`, next, error);
}

const pathOf = (error: Error) => ("path" in error && typeof error.path === "string" ? error.path : undefined);

function nextForRights(path: string | undefined, message: string): string {
  return otherOwner(path) ?? (message.includes("EROFS") ? READ_ONLY : RIGHTS.next);
}

/** The one command that helps, where files of another user are in the way: a commit under sudo leaves such files. */
function otherOwner(path: string | undefined): string | null {
  if (path === undefined) return null;
  const folder = /^.*\/(ua-hooks|\.understand-anything|\.ua)(?=\/|$)/s.exec(path)?.[0];
  const user = currentUser();
  if (folder === undefined || user === null) return null;
  const [owner, folderOwner] = [ownerSeen(path), ownerSeen(folder)];
  if ((owner ?? user) === user && (folderOwner ?? user) === user) return null;
  return `it belongs to another user (uid ${owner ?? folderOwner}): ${chownCommand(folder)}`;
}

/** null also below a folder that this user may not look into. */
function ownerSeen(path: string): number | null {
  try {
    return ownerOf(path);
  } catch {
    return null;
  }
}

/** SQLite only reports that it cannot open the file; the system reports why. */
function refusalOf(file: string): string | null {
  try {
    for (const path of [dirname(file), file]) accessSync(path, constants.W_OK);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
