import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../platform/make-folder.js";
import type { Project } from "../repository/locate.js";
import { worktreeToken } from "../repository/worktrees.js";

const MOST = 400;

/**
 * Once per HEAD and conversation: an empty file for each, created atomically, so that of two hooks that run at the same
 * time one sends the message. If it cannot be created there is no message: it would be repeated at every command.
 */
export function isFirstTime(project: Project, client: string, session: string, what: string): boolean {
  const dir = join(project.stateDir, "told");
  const { worktree } = project;
  const key = JSON.stringify([client, session, worktree.id, worktreeToken(worktree), what]);
  try {
    makeFolder(dir, project.stateDir);
    closeSync(openSync(join(dir, createHash("sha256").update(key).digest("hex").slice(0, 32)), "wx", 0o600));
    prune(dir);
    return true;
  } catch {
    return false; // already notified, or the state dir is not writable
  }
}

/** The end of a conversation is not known: the oldest half is removed. */
function prune(dir: string): void {
  const names = readdirSync(dir);
  if (names.length <= MOST) return;
  const aged = names.map((name) => ({ name, at: statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - MOST / 2)) rmSync(join(dir, name), { force: true });
}
