import { createReadStream, existsSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { errnoOf, isUaError, UaError } from "../errors.js";
import { readStoredMarker } from "../marker/marker.js";
import type { Project } from "../repository/locate.js";
import { printable } from "./output.js";

const MEGABYTE = 1024 * 1024;

/**
 * The text that a command was given: a file by its name, which may be a pipe of the shell (`<(…)`), or standard input. At most
 * `most` bytes (invariant "everything has a bound").
 */
export async function readGiven(cwd: string, file: string | undefined, most: number): Promise<string> {
  const isStdin = file === undefined || file === "-";
  const name = isStdin ? "standard input" : printable(file);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of isStdin ? process.stdin : createReadStream(resolve(cwd, file))) {
      size += chunk.length;
      if (size > most) throw new UaError("usage", `${name} has more than ${most / MEGABYTE} MB`, "give it in parts");
      chunks.push(chunk);
    }
  } catch (error) {
    if (isUaError(error)) throw error;
    if (errnoOf(error) === "ENOENT") throw new UaError("usage", `there is no file ${name}`, `this folder is ${cwd}`);
    throw new UaError("usage", `${name} cannot be read (${errnoOf(error) ?? "unknown"})`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** A number of things that an option names. */
export function wholeNumber(given: unknown, option: string): number {
  if (typeof given === "string" && /^\d{1,12}$/.test(given) && Number(given) > 0) return Number(given);
  throw new UaError("usage", `${option} must be a whole number above 0`);
}

/** A path that was given to a command, from the root of the worktree; empty for the root itself. */
export function repositoryPath(project: Project, cwd: string, given: string): string {
  const absolute = resolve(baseOfPath(project, cwd, given), given);
  const path = relative(project.worktree.path, absolute);
  if (!path.startsWith("..")) return path;
  throw new UaError("usage", `${printable(absolute)} is not in this worktree (${project.worktree.path})`);
}

/**
 * The folder that a path of the repository counts from: the current one, as for git, or the top of the worktree, as `pending` and the messages
 * print it. What `pending` lists is meant from every folder; else what is there decides, the current folder first. `./src/a.ts` is always in the
 * current folder. A symbol may follow: `src/a.ts:name`, `src/a.ts#name`.
 */
export function baseOfPath(project: Project, cwd: string, given: string): string {
  const top = project.worktree.path;
  if (cwd === top || isAbsolute(given) || /^\.{0,2}(\/|$)/.test(given)) return cwd;
  const names = [given, ...[...given.matchAll(/[:#]/g)].map(({ index }) => given.slice(0, index)).reverse()];
  const marker = readStoredMarker(project);
  const listed = new Set([...(marker?.filesToReanalyze ?? []), ...(marker?.deletedFiles ?? [])]);
  if (names.some((name) => listed.has(name))) return top;
  const isIn = (base: string) => names.some((name) => name !== "" && existsSync(resolve(base, name)));
  if (isIn(cwd)) return cwd;
  if (isIn(top)) return top;
  const hasFolder = (base: string) => existsSync(dirname(resolve(base, given))); // of a file that is gone
  return !hasFolder(cwd) && hasFolder(top) ? top : cwd;
}
