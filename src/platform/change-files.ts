import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, parse, sep } from "node:path";
import { errnoOf, UaError } from "../errors.js";
import { renameFile } from "./windows.js";

/**
 * Files and folders that a checkout can have put a link in front of are changed by the functions of this file, and by writeFileAtomic, which asks
 * it (invariant "nothing is written through a link"). Only code that stays in the state dir or in a temporary folder uses Node's own.
 */

/**
 * Throws where a link of a checkout is on the way to this path, or is the path itself. A checkout can track a link at any component below its top,
 * to another clone's hooks, to `.git/hooks`, or to the user's settings. One that the user made there cannot be told from it at the next checkout.
 */
export function refuseLinks(path: string): void {
  const refusal = refusalOf(path);
  if (refusal !== null) throw refusal;
}

/** The same as a value, for a caller that goes on with the rest. */
export function refusalOf(path: string): UaError | null {
  const link = linkInCheckout(path);
  if (link === null) return null;
  return new UaError(
    "refused",
    `${link === path ? path : `${path} is behind ${link}, which`} is a symbolic link: nothing in a work tree is written through one`,
    isDirectory(link)
      ? "make it a folder, in which each entry that is needed is a link of its own; or leave out what would be written there"
      : "replace the link by the file itself, or leave out what would be written there",
  );
}

/**
 * The first link on the way to this path, itself included, that belongs to a checkout; null if there is none. The user's own are followed: those
 * outside of every work tree, so that a work tree can be reached through one, and those in a git dir, where git checks out nothing.
 */
export function linkInCheckout(path: string): string | null {
  const { root } = parse(path);
  let names = namesOf(path.slice(root.length));
  let at = root;
  for (let followed = 0; names.length > 0; ) {
    const name = names.shift() as string;
    const next = name === ".." ? dirname(at) : join(at, name);
    if (!isLink(next)) at = next;
    else if (isInCheckout(at)) return next;
    else if (++followed > MOST_LINKS) return null;
    else {
      const target = readlinkSync(next);
      const absolute = parse(target).root;
      if (absolute !== "") at = absolute;
      names = [...namesOf(target.slice(absolute.length)), ...names];
    }
  }
  return null;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // a link to nothing, or in a circle
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch (error) {
    if (errnoOf(error) === "ENOTDIR") return false; // below a file there is nothing
    throw error;
  }
}

/** As Linux (path_resolution(7)). More are a circle: the system call that follows says so. */
const MOST_LINKS = 40;

function namesOf(path: string): string[] {
  return path.split(sep === "/" ? "/" : /[\\/]/).filter((name) => name !== "" && name !== ".");
}

/** Whether a folder, without links on the way to it, is in a work tree: a `.git` is in it or above it, and it is not in that one. */
function isInCheckout(folder: string): boolean {
  for (let dir = folder; ; dir = dirname(dir)) {
    if (basename(dir) === ".git") return false; // no tree of git's has a name like this
    if (lstatSync(join(dir, ".git"), { throwIfNoEntry: false }) !== undefined) return true;
    if (dir === dirname(dir)) return false;
  }
}

/**
 * Creates a folder below `home`, which must exist: a repository or state dir that was moved or removed meanwhile is not created again in
 * its old place, which a recursive mkdir would do. Returns the first folder that was missing.
 */
export function makeFolder(path: string, home: string, mode = 0o700): string | null {
  const missing: string[] = [];
  for (let dir = path; dir !== home && dir !== dirname(dir) && !existsSync(dir); dir = dirname(dir)) missing.push(dir);
  if (missing.length === 0) return null;
  refuseLinks(path);
  for (const dir of missing.toReversed()) {
    try {
      mkdirSync(dir, { mode });
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error; // another process created it
    }
  }
  return missing.at(-1) ?? null;
}

/** Removes a file, if it is there. */
export function removeFile(path: string): void {
  refuseLinks(path);
  rmSync(path, { force: true });
}

/** Removes a file or a whole folder, if it is there. Links in the folder go, not what they lead to. */
export function removeAll(path: string): void {
  refuseLinks(path);
  rmSync(path, { recursive: true, force: true });
}

/** Removes an empty folder; throws for another one. */
export function removeEmptyFolder(path: string): void {
  refuseLinks(path);
  rmdirSync(path);
}

export function moveFile(from: string, to: string): void {
  refuseLinks(from);
  refuseLinks(to);
  renameFile(from, to);
}

/** Moves files and folders from one folder into another, in place of those with their names; links go as they are. Also to another file system. */
export function moveEntries(from: string, to: string, names: readonly string[]): void {
  refuseLinks(from);
  refuseLinks(to);
  for (const name of names) {
    const [source, target] = [join(from, name), join(to, name)];
    rmSync(target, { recursive: true, force: true });
    try {
      renameFile(source, target);
    } catch (error) {
      if (errnoOf(error) !== "EXDEV") throw error;
      cpSync(source, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
      rmSync(source, { recursive: true, force: true });
    }
  }
}

export function setMode(path: string, mode: number): void {
  refuseLinks(path);
  chmodSync(path, mode);
}
