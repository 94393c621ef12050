import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { faultPoint } from "./fault.js";
import { readTextIfThere } from "./files.js";
import type { Db } from "./sqlite.js";

/** The shim's last line; without it the writer is not through yet, or was killed. */
function isWhole(text: string): boolean {
  return text.endsWith("end\n");
}

export function parseRewrites(text: string): [string, string][] {
  return text.split("\n").flatMap((line) => {
    const match = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64})( |$)/.exec(line);
    return match?.[1] !== undefined && match[2] !== undefined ? [[match[1], match[2]] as [string, string]] : [];
  });
}

/** What post-rewrite told and no runner has taken in yet: a reader that follows commits must not miss it. */
export function waitingRewrites(stateDir: string): Map<string, string> {
  const dir = join(stateDir, "rewrites");
  const texts = (existsSync(dir) ? readdirSync(dir) : []).map((name) => readTextIfThere(join(dir, name)) ?? "");
  return new Map(texts.filter(isWhole).flatMap(parseRewrites));
}

/**
 * post-rewrite's pairs, one file a rewrite, `<old> <new>` a line (githooks(5)): commits that others hold on to are
 * moved along. Kept in the database before the file goes.
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
        // Of this view alone: the rewritten commit may live on in another worktree's branch.
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

/** `<view>.<amend|rebase>.<pid>`, and a view's name may hold dots. */
function worktreeOf(name: string): string {
  return name.replace(/\.[a-z]*\.\d+$/, "");
}
