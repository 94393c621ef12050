import { appendFileSync, closeSync, existsSync, openSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../platform/change-files.js";
import type { Project } from "../repository/locate.js";
import { worktreeToken } from "../repository/worktrees.js";
import { MOST_TEXT_BYTES, readTextIfThere } from "../store/files.js";

/** Most files; a conversation in one worktree has one, and more for a moment. */
const MOST = 400;
/** A hook that was killed leaves its lock behind. */
const STALE_MS = 10_000;

/** One conversation in one worktree: the file with what its agent was notified of, one line each. */
export interface Conversation {
  file: string;
  stateDir: string;
}

/**
 * The client's name is left out if there is an id: other clients run the hooks of Claude Code's settings, too, and one
 * conversation gets a message once.
 */
export function conversationOf({ stateDir, worktree }: Project, client: string, session: string): Conversation {
  const parts = [session === "" ? client : session, worktree.id, worktreeToken(worktree)];
  return { file: join(stateDir, "told", parts.map(fileName).join("@")), stateDir };
}

/** Ids of clients are such names already; the hash of any other one is, too. */
function fileName(id: string): string {
  if (/^[\w-]{1,64}$/.test(id) || id === ".") return id;
  const { createHash } = process.getBuiltinModule("node:crypto"); // 4 ms, and hardly ever needed
  return createHash("sha256").update(id).digest("hex").slice(0, 32);
}

/** What a message is about, item by item. */
export interface MessageItems {
  items: readonly string[];
  /** Nothing else is pending: what is not among the items was delivered, and would be new if it came back. */
  isComplete: boolean;
}

/**
 * Whether one of the items is new to the conversation; all of them are recorded. Of two hooks that run at the same time one
 * sends the message. If it cannot be recorded there is no message: it would be repeated at every command.
 */
export function recordNew(conversation: Conversation, { items, isComplete }: MessageItems, event: string): boolean {
  const { file, stateDir } = conversation;
  if (items.length === 0 && !existsSync(file)) return false;
  try {
    makeFolder(join(stateDir, "told"), stateDir);
    return withLockFile(`${file}.lock`, () => {
      const before = readLines(file);
      const current = new Set(items);
      const known = new Set(before.map(({ item }) => item));
      const added = items.filter((item) => !known.has(item));
      const left = isComplete ? before.filter(({ item }) => current.has(item)) : before;
      if (added.length > 0 || left.length < before.length)
        writeLines(file, [...left, ...added.map((item) => ({ event, item }))]);
      if (added.length > 0) prune(join(stateDir, "told"));
      return added.length > 0;
    });
  } catch {
    return false; // another hook does it just now, or the state dir is not writable
  }
}

export function isRecorded({ file }: Conversation, { items }: MessageItems): boolean {
  if (!existsSync(file)) return false;
  const known = new Set(readLines(file).map(({ item }) => item));
  return items.every((item) => known.has(item));
}

/** The conversation has lost our messages, apart from those of the events that are kept. */
export function forgetNotified({ file }: Conversation, kept: readonly string[]): void {
  if (!existsSync(file)) return;
  const lines = readLines(file).filter(({ event }) => kept.includes(event));
  try {
    writeLines(file, lines);
  } catch {
    // not writable: then no message can be sent either
  }
}

interface Line {
  event: string;
  item: string;
}

/** `<event> <item as JSON>` */
function readLines(file: string): Line[] {
  const text = readTextIfThere(file, MOST_TEXT_BYTES) ?? "";
  return text.split("\n").flatMap((line) => {
    const at = line.indexOf(" ");
    return at < 0 ? [] : [{ event: line.slice(0, at), item: line.slice(at + 1) }];
  });
}

function writeLines(file: string, lines: readonly Line[]): void {
  if (lines.length === 0) rmSync(file, { force: true });
  else writeFileSync(file, lines.map(({ event, item }) => `${event} ${item}\n`).join(""), { mode: 0o600 });
}

function withLockFile<T>(path: string, work: () => T): T {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (Math.abs(age) > STALE_MS) rmSync(path, { force: true }); // also one of the future: the clock was set back
  closeSync(openSync(path, "wx", 0o600));
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}

const subAgentsFile = ({ file }: Conversation) => `${file}.agents`;

/** For a client whose sub-agents cannot be recognized by what they send: their starts and ends are counted. */
export function countSubAgents(conversation: Conversation, change: "+" | "-"): void {
  try {
    makeFolder(join(conversation.stateDir, "told"), conversation.stateDir);
    appendFileSync(subAgentsFile(conversation), change, { mode: 0o600 });
  } catch {
    // not writable: then no message can be sent either
  }
}

export function hasSubAgents(conversation: Conversation): boolean {
  const counted = readTextIfThere(subAgentsFile(conversation), MOST_TEXT_BYTES) ?? "";
  return counted.split("+").length > counted.split("-").length;
}

/** At a prompt of the user no sub-agent runs, whatever was counted: the client may have been killed. */
export function forgetSubAgents(conversation: Conversation): void {
  const file = subAgentsFile(conversation);
  if (existsSync(file)) rmSync(file, { force: true });
}

/** Not every client reports the end of a conversation: the oldest half is removed. */
function prune(dir: string): void {
  const names = readdirSync(dir);
  if (names.length <= MOST) return;
  const aged = names.map((name) => ({ name, at: statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - MOST / 2)) rmSync(join(dir, name), { force: true });
}
