import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, UaError } from "../errors.js";
import { git } from "./run.js";

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
  if (text === null) throw broken(join(gitDir, "HEAD"), "it is missing");
  const value = text.trim();
  if (OID.test(value)) return { commit: value };
  const ref = /^ref: (.+)$/.exec(value)?.[1];
  if (ref === undefined) throw broken(join(gitDir, "HEAD"), "it names neither a commit nor a ref");
  if (ref === "refs/heads/.invalid") return askGit(gitDir);
  const branch = ref.startsWith("refs/heads/") ? { branch: ref.slice("refs/heads/".length) } : {};
  return { commit: resolveRef(ref, gitDir, commonDir), ...branch };
}

function resolveRef(ref: string, gitDir: string, commonDir: string, depth = 0): string | null {
  if (depth > 5) throw broken(join(commonDir, ref), "it is part of a symbolic ref that refers to itself");
  for (const dir of gitDir === commonDir ? [commonDir] : [gitDir, commonDir]) {
    const value = readText(join(dir, ref))?.trim();
    if (value === undefined) continue;
    if (OID.test(value)) return value;
    const next = /^ref: (.+)$/.exec(value)?.[1];
    // Empty after a power cut, or anything else: not "no commit yet" (invariant "unknown is not fresh").
    if (next === undefined) throw broken(join(dir, ref), "it names no commit");
    return resolveRef(next, gitDir, commonDir, depth + 1);
  }
  return packedRef(ref, commonDir);
}

/** `<oid> <ref>\n`, with `#` comments and `^<peeled>` lines between. */
function packedRef(ref: string, commonDir: string): string | null {
  const packed = readText(join(commonDir, "packed-refs"));
  const at = packed?.indexOf(` ${ref}\n`) ?? -1;
  if (packed === null || at < 0) return null;
  const oid = packed.slice(packed.lastIndexOf("\n", at - 1) + 1, at);
  if (!OID.test(oid)) throw broken(join(commonDir, "packed-refs"), "a line in it names no commit");
  return oid;
}

function broken(file: string, why: string): UaError {
  return new UaError("git", `${file} is damaged: ${why}`, "`git fsck` and `git reflog` help to repair the branch");
}

async function askGit(gitDir: string): Promise<Head> {
  // In the git dir itself, so that it answers for this worktree.
  const at = ["--git-dir", gitDir];
  // Exit 1 is an answer of both: no commit yet, and a detached HEAD. Every other failure is none.
  const ask = async (...args: string[]) =>
    (await git(gitDir, [...at, ...args], { ok: [1] })).toString("utf8").replace(/\n$/, "") || null;
  const commit = await ask("rev-parse", "-q", "--verify", "HEAD^{commit}");
  const branch = await ask("symbolic-ref", "-q", "--short", "HEAD");
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
