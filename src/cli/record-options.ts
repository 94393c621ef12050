import { UaError } from "../errors.js";
import { type NamedSubject, parseSubject } from "../records/subject.js";
import { openRecords, type RecordsContext } from "../records/verify.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Flags, Invocation } from "./command.js";
import { baseOfPath } from "./given.js";

/** Opens the records of the command's worktree. */
export async function withRecords<T>({ cwd }: Invocation, work: (worktree: RecordsContext) => Promise<T>): Promise<T> {
  return withContext(await projectAt(cwd), async (context) => work(await openRecords(context)));
}

export function subjectsOf(worktree: RecordsContext, cwd: string, texts: readonly string[]): NamedSubject[] {
  const { project } = worktree;
  return texts.map((text) => parseSubject(text, { home: project.worktree.path, cwd: baseOfPath(project, cwd, text) }));
}

export function texts(flags: Flags, name: string): string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export function text(flags: Flags, name: string): string | null {
  const value = flags[name];
  return typeof value === "string" ? value : null;
}

/** One of a closed list, or null if the option was not given. */
export function choice<T extends string>(flags: Flags, name: string, allowed: readonly T[]): T | null {
  const value = text(flags, name);
  if (value === null) return null;
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new UaError("usage", `--${name} "${value}" is not one of ${allowed.join(", ")}`);
  return found;
}

export function number(flags: Flags, name: string, otherwise: number, fits: (n: number) => boolean): number {
  const value = text(flags, name);
  if (value === null) return otherwise;
  const n = Number(value);
  if (value.trim() === "" || !Number.isFinite(n) || !fits(n))
    throw new UaError("usage", `--${name} "${value}" is not valid`);
  return n;
}

export const isCount = (n: number): boolean => Number.isInteger(n) && n > 0;
