import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { errnoOf, isUaError, jsonProblem, UaError } from "../errors.js";
import { fromJson } from "../json.js";
import { linkInCheckout, makeFolder, refuseLinks } from "../platform/change-files.js";
import { isNumberGone, processNumber } from "../platform/process.js";
import {
  MOST_DATA_BYTES,
  MOST_STREAM_BYTES,
  MOST_TEXT_BYTES,
  readChunks,
  readRegularFile,
  resolveWithin,
} from "../platform/read-file.js";
import { renameFile } from "../platform/windows.js";
import { faultPoint } from "./fault.js";

export { makeFolder } from "../platform/change-files.js";
export { MOST_TEXT_BYTES } from "../platform/read-file.js";

/** The state database of a clone. Here, so that a stamp check finds it without loading a driver. */
export function stateDb(stateDir: string): string {
  return join(stateDir, "state.db");
}

/** A umask may take rights from others; one that takes the owner's rights would lock us out of our own files. */
export function keepOwnRights(): void {
  process.umask(process.umask(0o077) & 0o077);
}

/**
 * What tells that a file was written again: `size:mtime:ctime:inode`. ctime, since anyone can set an mtime back. A file that changed within
 * one tick of its file system's clock can change again and keep all four: its stamp then ends in `=` and the content, or `=?` where that is too
 * much to keep (git's index has the same problem: "racy git"). null where there is no file.
 */
export type FileStamp = string | null;

/** A kernel's clock ticks every 1 to 10 ms; a file system that keeps whole seconds needs two of them (FAT has even numbers only). */
const TICK_MS = 20;
const WHOLE_SECONDS_MS = 2_000;
const MOST_KEPT_BYTES = 16 * 1024;

/** `own`: this process has just written the file under a new inode, so that only another write within the same tick could be missed. */
export function stampOf(path: string, { own = false }: { own?: boolean } = {}): FileStamp {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const numbers = stampNumbers(stat);
  if (isSettled(stat) || (own && !hasWholeSeconds(stat))) return numbers;
  return `${numbers}=${contentOf(path, stat) ?? "?"}`;
}

/** Whether a file is as it was when its stamp was taken. */
export function isAsStamped(path: string, stamp: FileStamp | undefined): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || typeof stamp !== "string") return stat === undefined && stamp === null;
  const at = stamp.indexOf("=");
  if (stampNumbers(stat) !== (at < 0 ? stamp : stamp.slice(0, at))) return false;
  return at < 0 || contentOf(path, stat) === stamp.slice(at + 1);
}

/** Before the stamps of large files are taken: some milliseconds later they differ from those of the next write. */
export function waitOneTick(paths: readonly string[]): void {
  const isNew = paths.some((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat !== undefined && !isSettled(stat) && !hasWholeSeconds(stat);
  });
  if (isNew) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TICK_MS + 1);
}

type StampedStat = Pick<Stats, "size" | "mtimeMs" | "ctimeMs" | "ino">;

export function stampNumbers({ size, mtimeMs, ctimeMs, ino }: StampedStat): string {
  return `${size}:${mtimeMs}:${ctimeMs}:${ino}`;
}

/** Whether another write would change the numbers of the stamp. A ctime in the future says nothing about that. */
export function isSettled(stat: StampedStat): boolean {
  return stat.ctimeMs + (hasWholeSeconds(stat) ? WHOLE_SECONDS_MS : TICK_MS) < Date.now();
}

/** mtime can be set to anything; ctime is the file system's own. */
function hasWholeSeconds({ ctimeMs }: StampedStat): boolean {
  return ctimeMs % 1000 === 0;
}

/** null where it is too large to keep. A folder or a device has no content, and never changes into another one with the same numbers. */
function contentOf(path: string, stat: Stats): string | null {
  if (!stat.isFile()) return "";
  if (stat.size > MOST_KEPT_BYTES) return null;
  return readRegularFile(path, { most: MOST_KEPT_BYTES })?.toString("base64") ?? null;
}

/** The text of a file of ours, null where there is none. What a checkout can bring is read by readProjectFile. */
export function readTextIfThere(path: string, most = MOST_DATA_BYTES): string | null {
  return readRegularFile(path, { most })?.toString("utf8") ?? null;
}

/** The same as bytes: also for a file of others that is about to be replaced, or put back. */
export function readOwnBytes(path: string): Buffer | null {
  return readRegularFile(path, { most: MOST_DATA_BYTES });
}

/** A file that tools write and a checkout can bring, as bytes. */
export function readProjectBytes(path: string | Buffer, home: string): Buffer | null {
  return readRegularFile(path, { most: MOST_DATA_BYTES, within: home });
}

/** The same in parts, for one of any size; nothing where there is none. */
export function readProjectChunks(path: string, home: string): Iterable<Buffer> {
  return readChunks(path, { most: MOST_STREAM_BYTES, within: home });
}

/** Whether there is something to read. Refuses a link out of `home`. */
export function isThere(path: string, home: string): boolean {
  return resolveWithin(path, home) !== null;
}

/**
 * The text of a file that a checkout can bring, null where there is none: a regular file inside of `home`, of limited size. Throws where it is
 * anything else; the error names the file and never its content.
 */
export function readProjectFile(path: string, home: string, most = MOST_TEXT_BYTES): string | null {
  return readRegularFile(path, { most, within: home })?.toString("utf8") ?? null;
}

/**
 * The only way files are written: whole, to a temporary file, synced, renamed. A reader sees the old file or the new
 * one, also after a kill. Nothing is written through a link of a checkout. The mode of an existing file is kept. The temporary file is beside it, or in
 * `staging`: a user's `git add -A` must not find it in the work tree. A large text is a function that gives its parts. `mayReplace` is called right before the rename, and throws if the
 * file must stay.
 */
export function writeFileAtomic(
  path: string,
  text: string | Buffer | (() => Iterable<Buffer>),
  mode = 0o644,
  staging = dirname(path),
  mayReplace: () => void = () => {},
): void {
  refuseLinks(path);
  const temp = join(staging, `.${basename(path)}.${processNumber()}.tmp`);
  const kept = statSync(path, { throwIfNoEntry: false });
  try {
    // Never through a link that a checkout created: remove the name first, then create a new file.
    rmSync(temp, { force: true });
    const fd = openSync(temp, "wx", mode);
    try {
      if (kept !== undefined) fchmodSync(fd, kept.mode & 0o777); // the umask is only for new files
      faultPoint("file.write");
      if (typeof text === "function") writeParts(fd, text());
      else writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    faultPoint("file.rename");
    mayReplace();
    refuseLinks(path); // a checkout may have put one there meanwhile
    renameFile(temp, path);
    faultPoint("file.renamed");
  } catch (error) {
    rmSync(temp, { force: true });
    // A git dir on another file system than its work tree (--separate-git-dir): use the file's own folder.
    if (errnoOf(error) !== "EXDEV" || staging === dirname(path)) throw error;
    writeFileAtomic(path, text, mode, dirname(path), mayReplace);
  }
}

/** Collected, because most parts are short. */
function writeParts(fd: number, parts: Iterable<Buffer>): void {
  let waiting: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    waiting.push(part);
    size += part.length;
    if (size < PART_BYTES) continue;
    writeFileSync(fd, Buffer.concat(waiting));
    [waiting, size] = [[], 0];
  }
  writeFileSync(fd, Buffer.concat(waiting));
}

const PART_BYTES = 1024 * 1024;

/** Where files for the work tree are written first. In the git dir, so that no user command sees them. */
export function stagingDir(stateDir: string): string {
  const dir = join(stateDir, "staging");
  makeFolder(dir, stateDir);
  return dir;
}

const ORPHAN_MS = 24 * 60 * 60 * 1000;

/** A temporary file of ours whose process has ended, or cannot be seen and is a day old: for folders into which several processes write. */
export function isOrphan(name: string, dir: string): boolean {
  const number = /\.(\d+)\.tmp$/.exec(name)?.[1];
  if (number === undefined) return false;
  const written = statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return isNumberGone(number) || written < Date.now() - ORPHAN_MS;
}

/** Removes what a killed write left; only safe if no other process writes there. Nothing of ours is behind a link of a checkout. */
export function removeTemporaries(
  dir: string,
  isOurs: (name: string, dir: string) => boolean = (name) => /^\..+\.\d+\.tmp$/.test(name),
): void {
  const names = existsSync(dir) && linkInCheckout(dir) === null ? readdirSync(dir) : [];
  for (const name of names) if (isOurs(name, dir)) rmSync(join(dir, name), { force: true });
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * A JSON object from a file inside of `home`; null if there is no file. A file that does not parse is an error, never "nothing there".
 */
export function readJsonObject(path: string, home: string): Record<string, unknown> | null {
  const text = readProjectFile(path, home, MOST_DATA_BYTES);
  return text === null ? null : parseJsonObject(text, path);
}

export function parseJsonObject(text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = fromJson(text);
  } catch (error) {
    const marked = /^(<{7}|={7}|>{7})/m.test(text);
    throw damaged(path, marked ? "it has conflict markers" : `it ${jsonProblem(text, error)}`);
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

/**
 * A file of others', in Latin-1, which keeps every byte; "" where there is none that may be read: a folder, a device, one that is too large,
 * or, for what a checkout can bring, a link out of `home`.
 */
export function readBytes(file: string, home?: string): string {
  const limits = home === undefined ? { most: MOST_TEXT_BYTES } : { most: MOST_TEXT_BYTES, within: home };
  try {
    return readRegularFile(file, limits)?.toString("latin1") ?? "";
  } catch (error) {
    if (isUaError(error) || ["EACCES", "EPERM", "ELOOP"].includes(errnoOf(error) ?? "")) return "";
    throw error;
  }
}
