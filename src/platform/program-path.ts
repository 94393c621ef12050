import { existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { MOST_TEXT_BYTES, readRegularFile } from "./read-file.js";

/**
 * PATH for a program that runs in `cwd`, without the folders where a branch decides what a name means (invariant "a checkout runs no
 * code"): relative ones, those of the checkout around `cwd` and of the main one that it is linked to, and every `node_modules/.bin`, which npm
 * puts first.
 */
export function programPath(cwd: string, path = process.env.PATH ?? ""): string {
  const top = checkoutAround(realOf(resolve(cwd)));
  const tops = [top, mainOf(top) ?? top];
  const isCheckout = (dir: string) => isInside(dir, tops) || dir.endsWith(BIN);
  return path
    .split(delimiter)
    .filter((dir) => isAbsolute(dir) && !isCheckout(resolve(dir)) && !isCheckout(realOf(dir)))
    .join(delimiter);
}

/** Whether a path, without links on the way to it, is in one of these folders. */
export function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => `${path}${sep}`.startsWith(`${folder}${sep}`));
}

/** Of a linked worktree, whose `.git` is a file (gitrepository-layout(5)): `gitdir: <main worktree>/.git/worktrees/<name>`. */
function mainOf(top: string): string | null {
  const file = join(top, ".git");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const text = readRegularFile(file, { most: MOST_TEXT_BYTES })?.toString("utf8") ?? "";
  const [, main] = /^gitdir: (.+)[\\/]\.git[\\/]worktrees[\\/][^\\/]+\s*$/s.exec(text) ?? [];
  return main === undefined ? null : realOf(resolve(top, main));
}

function realOf(dir: string): string {
  try {
    return realpathSync.native(dir);
  } catch {
    return dir; // PATH often names folders that are not there
  }
}

const BIN = join(sep, "node_modules", ".bin");

/** Also from inside its git dir. */
function checkoutAround(cwd: string): string {
  for (let dir = cwd; ; dir = dirname(dir)) {
    if (existsSync(join(dir, ".git"))) return dir;
    if (dir === dirname(dir)) return cwd;
  }
}
