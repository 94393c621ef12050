import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isEvent } from "../places/events.js";
import { faultPoint } from "../store/fault.js";
import { readTextIfThere } from "../store/files.js";
import { isWhole, parseRewrites } from "../store/rewrites.js";
import type { Db } from "../store/sqlite.js";

export function hasJournal(stateDir: string): boolean {
  return (statSync(join(stateDir, "journal"), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * Takes what sh has appended: events by view. It is a wake-up call and a name for the marker, no more: a line that
 * comes in while we take it, or is lost with us, changes no verdict. Renamed first, so that a writer goes to a new file.
 */
export function takeJournal(stateDir: string): Map<string, string[]> {
  const taken = join(stateDir, "journal.taken");
  if (!existsSync(taken)) {
    if (!hasJournal(stateDir)) return new Map();
    renameSync(join(stateDir, "journal"), taken);
  }
  faultPoint("journal.taken");
  const events = parseJournal(readTextIfThere(taken) ?? "");
  rmSync(taken, { force: true });
  return events;
}

/** `post-commit .` a line; a torn or foreign line is passed over. */
export function parseJournal(text: string): Map<string, string[]> {
  const events = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const space = line.indexOf(" ");
    const event = line.slice(0, space);
    const view = line.slice(space + 1);
    if (space < 0 || view === "" || !isEvent(event)) continue;
    const known = events.get(view) ?? [];
    if (!known.includes(event)) events.set(view, [...known, event]);
  }
  return events;
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
    const view = viewOf(name);
    db.write(() => {
      for (const [from, to] of parseRewrites(text)) {
        db.run("INSERT OR REPLACE INTO rewrites(old, new, at) VALUES(?, ?, ?)", from, to, now);
        // Of this view alone: the rewritten commit may live on in another worktree's branch.
        db.run("UPDATE views SET base_sha = ? WHERE base_sha = ? AND id = ?", to, from, view);
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
function viewOf(name: string): string {
  return name.replace(/\.[a-z]*\.\d+$/, "");
}
