import { existsSync } from "node:fs";
import { join } from "node:path";
import { UaError } from "../errors.js";
import type { Project } from "../repository/locate.js";
import { readProjectFile, refuseEscape } from "../store/files.js";

/** The session that somebody works in, as `.claude/sessions/.active-session` names it. */
export interface Session {
  /** The worktree that it belongs to. */
  home: string;
  name: string;
  dir: string;
  /** What is kept up to date. */
  context: string;
  /** There while an update is due. */
  marker: string;
}

const SESSIONS = join(".claude", "sessions");
const LONGEST = 100;

/**
 * In the worktree that the agent works in, else in the main one. null where no session is active. The name becomes part
 * of a path and comes from a file that may have been checked out: nothing that leads elsewhere is taken for one.
 */
export function activeSession(project: Project): Session | null {
  for (const home of [project.worktree.path, project.root]) {
    const file = home === null ? null : join(home, SESSIONS, ".active-session");
    const name = file === null || home === null ? null : (readProjectFile(file, home)?.trim() ?? null);
    if (home !== null && name !== null && name !== "") return sessionAt(home, name);
  }
  return null;
}

function sessionAt(home: string, name: string): Session {
  if (!isName(name)) {
    const next = "a session's name is one folder's name: no slash, no `..`";
    throw new UaError("refused", `${JSON.stringify(name.slice(0, LONGEST))} is no name of a session`, next);
  }
  const dir = join(home, SESSIONS, name);
  const session = { home, name, dir, context: join(dir, "context.md"), marker: join(dir, ".pending-context-update") };
  for (const path of [join(home, ".claude"), join(home, SESSIONS), dir, session.context, session.marker]) {
    if (existsSync(path)) refuseEscape(path, home);
  }
  return session;
}

function isName(name: string): boolean {
  return name.length <= LONGEST && !/[/\\\p{Cc}]|\.\./u.test(name) && name !== ".";
}
