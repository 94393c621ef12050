import { join } from "node:path";
import { UaError } from "../errors.js";
import { refuseLinks } from "../platform/change-files.js";
import { hidesSomething } from "../printable.js";
import type { Project } from "../repository/locate.js";
import { CONTEXT_DUE_FILE } from "../repository/own-files.js";
import { readProjectFile } from "../store/files.js";

/** The active session, as named in `.claude/sessions/.active-session`. */
export interface Session {
  /** The worktree that it belongs to. */
  home: string;
  name: string;
  dir: string;
  /** The file that is updated. */
  context: string;
  /** Exists while an update is due. */
  marker: string;
}

const SESSIONS = join(".claude", "sessions");
const LONGEST = 100;

/**
 * In the current worktree, else in the main one; null if no session is active. The name becomes part of a path and
 * comes from a file that may have been checked out: a name that leads elsewhere is refused.
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
    const next = "use the name of one folder in .claude/sessions/.active-session: no slash, no `..`";
    throw new UaError("refused", `${JSON.stringify(name.slice(0, LONGEST))} is not a valid session name`, next);
  }
  const dir = join(home, SESSIONS, name);
  const session = { home, name, dir, context: join(dir, "context.md"), marker: join(dir, CONTEXT_DUE_FILE) };
  for (const path of [session.context, session.marker]) refuseLinks(path);
  return session;
}

function isName(name: string): boolean {
  return name.length <= LONGEST && !/[/\\]|\.\./.test(name) && name !== "." && !hidesSomething(name);
}
