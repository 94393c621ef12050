import { isAbsolute, join, relative, sep } from "node:path";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";

/** config.toml of the user. */
export const codexConfig = (home: string, env: NodeJS.ProcessEnv): string =>
  configIn(env.CODEX_HOME || join(home, ".codex"));

/**
 * The configs of a trusted project, from the top of the worktree to the current folder: each precedes the one before, and all of them the
 * user's.
 */
export function projectConfigs(top: string, folder: string): string[] {
  const inside = relative(top, folder).split(sep);
  const names = isAbsolute(relative(top, folder)) || inside[0] === ".." ? [] : inside.filter((name) => name !== "");
  return [...names, ""].map((_, depth) => configIn(join(top, ...names.slice(0, depth), ".codex")));
}

/** Empty if there is none, or if it cannot be read. */
function configIn(folder: string): string {
  try {
    return readTextIfThere(join(folder, "config.toml"), MOST_TEXT_BYTES) ?? "";
  } catch {
    return "";
  }
}

interface TomlValue {
  path: string[];
  value: string;
}

/**
 * The values of a TOML file, each with all of its keys: `[plugins."a@b"]` and `enabled = true` is `plugins`, `a@b`, `enabled`. Inline tables
 * are opened; arrays and texts of several lines are not.
 */
export function* tomlValues(text: string): Iterable<TomlValue> {
  let table: string[] = [];
  for (const line of text.split("\n")) {
    const header = /^\s*\[(?!\[)/.exec(line);
    if (header !== null) table = keysAt(line, header[0].length).keys;
    else if (/^\s*\[\[/.test(line)) table = [];
    else yield* valuesOf(line, table);
  }
}

function* valuesOf(text: string, table: readonly string[]): Iterable<TomlValue> {
  const { keys, end } = keysAt(text, 0);
  const value = /^\s*=\s*(.*?)\s*$/s.exec(text.slice(end))?.[1];
  if (keys.length === 0 || value === undefined) return;
  const path = [...table, ...keys];
  const inline = /^\{(.*)\}/.exec(value)?.[1];
  if (inline === undefined) yield { path, value };
  else for (const part of inline.split(",")) yield* valuesOf(part, path);
}

const KEY = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))\s*(\.?)/y;

/** `a."b.c".d`, and where it ends. */
function keysAt(text: string, from: number): { keys: string[]; end: number } {
  const keys: string[] = [];
  for (KEY.lastIndex = from; ; ) {
    const end = KEY.lastIndex;
    const [found, double, single, bare, dot] = KEY.exec(text) ?? [];
    if (found === undefined) return { keys, end };
    keys.push(double?.replace(/\\(["\\])/g, "$1") ?? single ?? bare ?? "");
    if (dot === "") return { keys, end: KEY.lastIndex };
  }
}
