import { appendFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, messageOf, UaError } from "../errors.js";
import { removeFile } from "../platform/change-files.js";
import { isGone, type ProcessId, processOf } from "../platform/process.js";
import type { Project } from "../repository/locate.js";
import { isNumber, isText, objectOf, parseJson } from "../store/check.js";
import { makeFolder, readProjectFile, readTextIfThere, stagingDir, writeFileAtomic } from "../store/files.js";
import { appendItems, type Placed, sectionOf } from "./append.js";
import { extractItems } from "./extract.js";
import { activeSession, type Session } from "./session.js";
import { lastMessages } from "./transcript.js";

/**
 * Adds the decisions, requirements and discoveries of the last messages to the session's context.md. Returns the new
 * ones.
 */
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
    // Removed also after an error: otherwise every prompt would repeat the same failure.
    removeFile(session.marker);
  }
}

export function needSession(project: Project): Session {
  const session = activeSession(project);
  if (session !== null) return session;
  const next = "write the name of its folder into .claude/sessions/.active-session";
  throw new UaError("usage", "no session is active", next);
}

/** One process at a time: two updates that read the same text would each lose the other's lines. */
export function addToContext(project: Project, session: Session, items: readonly Placed[]): Placed[] {
  const done = lockOut(project);
  try {
    const before = readProjectFile(session.context, session.home) ?? "";
    const { text, added } = appendItems(before, items);
    if (added.length === 0) return [];
    makeFolder(session.dir, session.home, 0o777);
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
    writeFileSync(file, JSON.stringify(processOf(process.pid)), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    throw new UaError("busy", "another update of the context is running", "try again in a moment", error);
  }
  return () => rmSync(file, { force: true });
}

/** The holder was killed: its process is gone, or cannot be seen and has taken too long; an update takes less than a second. */
function isAbandoned(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (Math.abs(Date.now() - stat.mtimeMs) > ABANDONED_MS) return true;
  const holder = parseJson(readTextIfThere(file) ?? "", isHolder); // null: it is being written
  return holder !== null && isGone(holder);
}

const isHolder = objectOf<ProcessId>({ pid: isNumber, born: isText, host: isText, space: isText });

export function contextDir(stateDir: string): string {
  const dir = join(stateDir, "context");
  makeFolder(dir, stateDir);
  return dir;
}

/** For the detached update: prints nothing and never fails. Errors are in the log. */
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
    // the log cannot be written
  }
}
