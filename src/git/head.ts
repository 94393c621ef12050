import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../errors.js";
import { gitLine } from "./run.js";

export interface Head {
  /** null: no commit yet. */
  commit: string | null;
  branch?: string;
}

const OID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * HEAD read from git's files, because a git process costs as much as the rest of a stamp check. Loose, packed,
 * detached, per-worktree and unborn HEADs; a reftable repository shows `ref: refs/heads/.invalid`: then git is asked.
 */
export async function readHead(gitDir: string, commonDir: string): Promise<Head> {
  const text = readText(join(gitDir, "HEAD"));
  if (text === null) throw new Error(`${join(gitDir, "HEAD")} cannot be read`);
  const value = text.trim();
  if (OID.test(value)) return { commit: value };
  const ref = /^ref: (.+)$/.exec(value)?.[1];
  if (ref === undefined) throw new Error(`${join(gitDir, "HEAD")} contains neither a commit nor a ref`);
  if (ref === "refs/heads/.invalid") return askGit(gitDir);
  const branch = ref.startsWith("refs/heads/") ? { branch: ref.slice("refs/heads/".length) } : {};
  return { commit: resolveRef(ref, gitDir, commonDir), ...branch };
}

function resolveRef(ref: string, gitDir: string, commonDir: string, depth = 0): string | null {
  if (depth > 5) throw new Error(`${ref} is a symbolic ref that refers to itself`);
  for (const dir of gitDir === commonDir ? [commonDir] : [gitDir, commonDir]) {
    const value = readText(join(dir, ref))?.trim();
    if (value === undefined || value === "") continue;
    if (OID.test(value)) return value;
    const next = /^ref: (.+)$/.exec(value)?.[1];
    if (next !== undefined) return resolveRef(next, gitDir, commonDir, depth + 1);
  }
  return packedRef(ref, commonDir);
}

/** `<oid> <ref>\n`, with `#` comments and `^<peeled>` lines between. */
function packedRef(ref: string, commonDir: string): string | null {
  const packed = readText(join(commonDir, "packed-refs"));
  const at = packed?.indexOf(` ${ref}\n`) ?? -1;
  if (packed === null || at < 0) return null;
  const oid = packed.slice(packed.lastIndexOf("\n", at - 1) + 1, at);
  return OID.test(oid) ? oid : null;
}

async function askGit(gitDir: string): Promise<Head> {
  // In the git dir itself, so that it answers for this worktree.
  const at = ["--git-dir", gitDir];
  const commit = await gitLine(gitDir, [...at, "rev-parse", "-q", "--verify", "HEAD^{commit}"]).catch(() => null);
  const branch = await gitLine(gitDir, [...at, "symbolic-ref", "-q", "--short", "HEAD"]).catch(() => null);
  return { commit, ...(branch === null ? {} : { branch }) };
}

/** null if there is no such file; a directory of that name is not a ref. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return null;
    throw error;
  }
}
