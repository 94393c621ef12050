import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";

/**
 * PATH for a program that runs in `cwd`, without the folders where a branch decides what a name means (invariant "a checkout runs no
 * code"): relative ones, those of the checkout around `cwd`, and every `node_modules/.bin`, which npm puts first.
 */
export function programPath(cwd: string, path = process.env.PATH ?? ""): string {
  const top = checkoutAround(realOf(resolve(cwd)));
  const isCheckout = (dir: string) => `${dir}${sep}`.startsWith(`${top}${sep}`) || dir.endsWith(BIN);
  return path
    .split(delimiter)
    .filter((dir) => isAbsolute(dir) && !isCheckout(resolve(dir)) && !isCheckout(realOf(dir)))
    .join(delimiter);
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
