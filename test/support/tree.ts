import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Everything under a folder: path → kind, mode and bytes. Two equal ones are the same, byte for byte. */
export function snapshot(dir: string, skip: (path: string) => boolean = () => false): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    for (const name of readdirSync(join(dir, path)).sort()) {
      const inner = path === "" ? name : `${path}/${name}`;
      if (skip(inner)) continue;
      const stat = lstatSync(join(dir, inner));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) {
        found[`${inner}/`] = mode;
        walk(inner);
      } else if (stat.isSymbolicLink()) found[inner] = `-> ${readlinkSync(join(dir, inner))}`;
      else found[inner] = `${mode} ${readFileSync(join(dir, inner), "latin1")}`;
    }
  };
  walk("");
  return found;
}

/** What git itself writes at commits is no trace of ours. */
export const gitsOwn = (path: string) =>
  /^\.git\/(objects|logs|index|COMMIT_EDITMSG|ORIG_HEAD|packed-refs|refs)(\/|$)/.test(path);
