import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { errnoOf, messageOf, UaError } from "../errors.js";
import { faultPoint } from "./fault.js";

/** The state database of a clone. Here, so that a stamp check finds it without loading a driver. */
export function stateDb(stateDir: string): string {
  return join(stateDir, "state.db");
}

/** A umask may take rights from others; one that takes the owner's rights would lock us out of our own files. */
export function keepOwnRights(): void {
  process.umask(process.umask(0o077) & 0o077);
}

/** (size, mtime, inode): enough to see that a file was written. null if there is none. */
export type FileStamp = string | null;

export function stampOf(path: string): FileStamp {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.size}:${stat.mtimeMs}:${stat.ino}`;
}

/** The text of a file; null if there is none. */
export function readTextIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return null;
    throw error;
  }
}

/**
 * The only way files are written: whole, to a temporary file, synced, renamed. A reader sees the old file or the new
 * one, also after a kill. The mode of an existing file is kept. The temporary file is beside it, or in
 * `staging`: a user's `git add -A` must not find it in the work tree.
 */
export function writeFileAtomic(path: string, text: string | Buffer, mode = 0o644, staging = dirname(path)): void {
  const temp = join(staging, `.${basename(path)}.${process.pid}.tmp`);
  const kept = statSync(path, { throwIfNoEntry: false });
  try {
    // Never through a link that a checkout created: remove the name first, then create a new file.
    rmSync(temp, { force: true });
    const fd = openSync(temp, "wx", mode);
    try {
      if (kept !== undefined) fchmodSync(fd, kept.mode & 0o777); // the umask is only for new files
      faultPoint("file.write");
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    faultPoint("file.rename");
    renameSync(temp, path);
    faultPoint("file.renamed");
  } catch (error) {
    rmSync(temp, { force: true });
    // A git dir on another file system than its work tree (--separate-git-dir): use the file's own folder.
    if (errnoOf(error) !== "EXDEV" || staging === dirname(path)) throw error;
    writeFileAtomic(path, text, mode);
  }
}

/** Where files for the work tree are written first. In the git dir, so that no user command sees them. */
export function stagingDir(stateDir: string): string {
  const dir = join(stateDir, "staging");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return dir;
}

/** Removes what a killed write left; only safe if no other process writes there. */
export function removeTemporaries(dir: string, isOurs = (name: string) => /^\..+\.\d+\.tmp$/.test(name)): void {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  for (const name of names) if (isOurs(name)) rmSync(join(dir, name), { force: true });
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * The same JSON with nothing invisible in it: control characters that JSON does not escape (an eight-bit terminal
 * treats U+009B as an escape sequence), direction marks, tags. Parsing gives the same names.
 */
export function visible(json: string): string {
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    char.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

/**
 * A JSON object from a file; null if there is no file. A file that does not parse is an error, never "nothing there".
 */
export function readJsonObject(path: string): Record<string, unknown> | null {
  const text = readTextIfThere(path);
  return text === null ? null : parseJsonObject(text, path);
}

export function parseJsonObject(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const marked = /^(<{7}|={7}|>{7})/m.test(text);
    throw damaged(path, marked ? "it contains conflict markers" : messageOf(error));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw damaged(path, "it is not an object");
  return value as Record<string, unknown>;
}

export function damaged(path: string, why: string): UaError {
  return new UaError(
    "damaged",
    `${path} cannot be read: ${why}`,
    "correct the file, or move it away and run `ua-hooks install` to build it again; nothing was overwritten",
  );
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A resolved path must be inside `home`: a checked-out symlink must not make us read or write elsewhere. */
export function refuseEscape(path: string, home: string): void {
  if (!isLink(path)) return;
  const real = realpathOr(path);
  if (real !== null && (real === home || real.startsWith(home + sep))) return;
  throw new UaError(
    "refused",
    `${path} is a symbolic link to a place outside ${home}`,
    "replace the link by the file itself",
  );
}

function realpathOr(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // a dangling link has no target to check
  }
}

/** As Latin-1, which keeps every byte of an unknown file. */
export function readBytes(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // missing, or a folder
  }
}
