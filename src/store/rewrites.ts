import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { faultPoint } from "./fault.js";
import { readTextIfThere } from "./files.js";
import type { Db } from "./sqlite.js";

/** Whether the shim's last line is there; without it the writer has not finished, or was killed. */
function isWhole(text: string): boolean {
  return text.endsWith("end\n");
}

export function parseRewrites(text: string): [string, string][] {
  return text.split("\n").flatMap((line) => {
    const match = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64})( |$)/.exec(line);
    return match?.[1] !== undefined && match[2] !== undefined ? [[match[1], match[2]] as [string, string]] : [];
  });
}

/** Reports of post-rewrite that no worker has processed yet: a reader that follows commits needs them too. */
export function waitingRewrites(stateDir: string): Map<string, string> {
  const dir = join(stateDir, "rewrites");
  const texts = (existsSync(dir) ? readdirSync(dir) : []).map((name) => readTextIfThere(join(dir, name)) ?? "");
  return new Map(texts.filter(isWhole).flatMap(parseRewrites));
}

/**
 * post-rewrite's pairs, one file per rewrite, `<old> <new>` per line (githooks(5)): stored commits are updated. Saved
 * in the database before the file is removed.
 */
export function takeRewrites(db: Db, stateDir: string, now: string): void {
  const dir = join(stateDir, "rewrites");
  for (const name of existsSync(dir) ? readdirSync(dir) : []) {
    const file = join(dir, name);
    const text = readFileSync(file, "utf8");
    if (!isWhole(text) && !isAbandoned(file)) continue;
    const worktree = worktreeOf(name);
    db.write(() => {
      for (const [from, to] of parseRewrites(text)) {
        db.run("INSERT OR REPLACE INTO rewrites(old, new, at) VALUES(?, ?, ?)", from, to, now);
        // Only for this worktree: the old commit may still be on another worktree's branch.
        db.run("UPDATE views SET base_sha = ? WHERE base_sha = ? AND id = ?", to, from, worktree);
      }
      db.run("DELETE FROM rewrites WHERE rowid <= (SELECT MAX(rowid) FROM rewrites) - ?", KEPT_REWRITES);
    });
    faultPoint("rewrites.taken");
    rmSync(file, { force: true });
  }
}

const KEPT_REWRITES = 20_000;
const ABANDONED_MS = 60_000;

function isAbandoned(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < Date.now() - ABANDONED_MS;
}

/** `<worktree>.<amend|rebase>.<pid>`; a worktree's name may contain dots. */
function worktreeOf(name: string): string {
  return name.replace(/\.[a-z]*\.\d+$/, "");
}
