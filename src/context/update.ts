import { appendFileSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, messageOf, UaError } from "../errors.js";
import type { Project } from "../repository/locate.js";
import { readProjectFile, readTextIfThere, stagingDir, writeFileAtomic } from "../store/files.js";
import { appendItems, type Placed, sectionOf } from "./append.js";
import { extractItems } from "./extract.js";
import { activeSession, type Session } from "./session.js";
import { lastMessages } from "./transcript.js";

/** Takes what the last messages decided, asked for and found out into the session's context.md. Returns what was new. */
export function updateContext(project: Project, transcript: string, now = new Date()): Placed[] {
  const session = needSession(project);
  try {
    const items = extractItems(lastMessages(transcript, now));
    return addToContext(
      project,
      session,
      items.map((item) => ({ ...item, section: sectionOf(item) })),
    );
  } finally {
    // Whatever happened: a marker that stays would make the same failure happen at every prompt.
    rmSync(session.marker, { force: true });
  }
}

export function needSession(project: Project): Session {
  const session = activeSession(project);
  if (session !== null) return session;
  const next = "write its name into .claude/sessions/.active-session";
  throw new UaError("usage", "there is no active session", next);
}

/** Read, append, write: one at a time, since two updates that read the same text would each lose the other's lines. */
export function addToContext(project: Project, session: Session, items: readonly Placed[]): Placed[] {
  const done = lockOut(project);
  try {
    const before = readProjectFile(session.context, session.home) ?? "";
    const { text, added } = appendItems(before, items);
    if (added.length === 0) return [];
    mkdirSync(session.dir, { recursive: true });
    writeFileAtomic(session.context, text, 0o644, stagingDir(project.stateDir));
    return added;
  } finally {
    done();
  }
}

const ABANDONED_MS = 10_000;

function lockOut({ stateDir }: Project): () => void {
  const file = join(contextDir(stateDir), "lock");
  if (isAbandoned(file)) rmSync(file, { force: true });
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    throw new UaError("busy", "another update of the context is under way", "try again in a moment", error);
  }
  return () => rmSync(file, { force: true });
}

/** Whoever had it was killed: the process is gone, or, where its number went to another, an update takes no second. */
function isAbandoned(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (Math.abs(Date.now() - stat.mtimeMs) > ABANDONED_MS) return true;
  const pid = Number(readTextIfThere(file));
  try {
    if (pid > 0) process.kill(pid, 0); // an empty one is being written
    return false;
  } catch (error) {
    return errnoOf(error) === "ESRCH";
  }
}

export function contextDir(stateDir: string): string {
  const dir = join(stateDir, "context");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return dir;
}

/** For the detached update: silent, and never a failure. What went wrong is in the log. */
export function updateQuietly(project: Project, transcript: string): void {
  try {
    updateContext(project, transcript);
  } catch (error) {
    logError(project, error);
  }
}

const MOST_LOG = 128 * 1024;

export function logPath(stateDir: string): string {
  return join(contextDir(stateDir), "errors.log");
}

export function logError({ stateDir }: Project, error: unknown): void {
  try {
    const file = logPath(stateDir);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_LOG) renameSync(file, `${file}.1`);
    appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), error: messageOf(error) })}\n`, {
      mode: 0o600,
    });
  } catch {
    // the log is the last to tell of itself
  }
}
