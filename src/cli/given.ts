import { createReadStream } from "node:fs";
import { relative, resolve } from "node:path";
import { errnoOf, isUaError, UaError } from "../errors.js";
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
export function repositoryPath(project: Project, absolute: string): string {
  const path = relative(project.worktree.path, absolute);
  if (!path.startsWith("..")) return path;
  throw new UaError("usage", `${printable(absolute)} is not in this worktree (${project.worktree.path})`);
}
