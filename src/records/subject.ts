import { statSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import { UaError } from "../errors.js";
import type { Subject, SubjectKind } from "./types.js";

/** A subject as given: `src/a.ts`, `src/a.ts#retry`, `src/queue/`. */
export interface NamedSubject {
  kind: SubjectKind;
  path: string;
  symbol: string;
}

/** `home`: the repository's top; `cwd`: the folder that names are relative to. */
export interface SubjectOptions {
  home: string;
  cwd: string;
}

/**
 * A name that ends with a slash, or is a folder, is a directory. A `#` separates file and symbol, unless a file with
 * the whole name exists.
 */
export function parseSubject(text: string, { home, cwd }: SubjectOptions): NamedSubject {
  const whole = inRepository(text, home, cwd);
  const found = statSync(resolve(home, whole), { throwIfNoEntry: false });
  if (text.endsWith("/") || whole === "" || found?.isDirectory() === true) {
    return { kind: "directory", path: whole, symbol: "" };
  }
  const hash = symbolAt(text, cwd);
  if (found !== undefined || hash < 1 || hash === text.length - 1) return { kind: "path", path: whole, symbol: "" };
  return { kind: "symbol", path: inRepository(text.slice(0, hash), home, cwd), symbol: text.slice(hash + 1) };
}

/** The `#` after the name of an existing file, which may contain one itself; else the first. */
function symbolAt(text: string, cwd: string): number {
  for (let at = text.lastIndexOf("#"); at > 0; at = text.lastIndexOf("#", at - 1)) {
    if (statSync(resolve(cwd, text.slice(0, at)), { throwIfNoEntry: false })?.isFile()) return at;
  }
  return text.indexOf("#");
}

function inRepository(text: string, home: string, cwd: string): string {
  const path = relative(home, resolve(cwd, text));
  if (text === "" || path === ".." || path.startsWith("../") || isAbsolute(path)) {
    throw new UaError("usage", `"${text}" is not in this worktree (${home})`, "use a path inside it");
  }
  return path;
}

/** The same as text. */
export function spell({ kind, path, symbol }: Pick<Subject, "kind" | "path" | "symbol">): string {
  if (kind === "directory") return path === "" ? "./" : `${path}/`;
  return kind === "symbol" ? `${path}#${symbol}` : path;
}

/** Statements are equal if they differ only in case, spacing, or final punctuation. */
export function normalise(statement: string): string {
  return statement
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s+/g, " ")
    .replace(/[\s.!;:,]+$/, "")
    .trim();
}

/** The folders above a path, nearest first, the root ("") last. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) folders.push(path.slice(0, at));
  return path === "" ? folders : [...folders, ""];
}

/** The files and symbols of the worktree that a text mentions. */
export function mentionedPaths(text: string, home: string): NamedSubject[] {
  const words = new Set(text.match(/[\w@.-]+(?:\/[\w@.-]+)*\.\w+(?:#[\w.$]+)?/g) ?? []);
  return [...words].flatMap((word): NamedSubject[] => {
    if (word.split("/").includes("..")) return [];
    const [path = "", symbol = ""] = word.split("#");
    if (statSync(resolve(home, path), { throwIfNoEntry: false })?.isFile() !== true) return [];
    return [symbol === "" ? { kind: "path", path, symbol } : { kind: "symbol", path, symbol }];
  });
}
