import { closeSync, openSync, readdirSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../errors.js";
import type { FingerprintOptions } from "../fingerprint/extract.js";
import { extractorOf } from "../fingerprint/languages.js";
import { isGone, type ProcessId, processNumber, processOf } from "../platform/process.js";
import { isNumber, isText, objectOf, orNull, parseJson } from "../store/check.js";
import { faultPoint } from "../store/fault.js";
import { makeFolder, readTextIfThere, writeFileAtomic } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import type { Limits, WantedFact } from "./facts.js";

/**
 * A text can end the process that parses it: V8 out of memory, a parser that writes past its own. No `catch` sees that, so the blob is noted
 * before it is parsed, and the next process finds the note and compares this blob by its content only.
 *
 * Each thread that parses has a file of its own in the folder `parsing` of the state dir, opened once and written over in place, once before
 * a blob and once after it. Nothing is synced: what a dead process has written is read from the kernel's cache.
 */
export interface NotedBlob {
  path: string;
  oid: string;
  extractor: string;
}

interface Note {
  /** Who parses; null: found dead by somebody, so that a later process with its pid changes nothing. */
  process: ProcessId | null;
  /** The version of the program: another one tries again. */
  program: string;
  /** null between two blobs. */
  blob: NotedBlob | null;
}

/** What a thread needs in order to write. */
export interface NotePad {
  fd: number;
  process: ProcessId;
}

const isProcess = objectOf<ProcessId>({ pid: isNumber, born: isText, host: isText, space: isText });
const isBlob = objectOf<NotedBlob>({ path: isText, oid: isText, extractor: isText });
const isNote = objectOf<Note>({ process: orNull(isProcess), program: isText, blob: orNull(isBlob) });

/** A blob takes seconds at most: a note of this age is of a process that stands still, or that cannot be seen and is gone. */
const STUCK_MS = 10 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

const folderIn = (stateDir: string) => join(stateDir, "parsing");

/** Beside the state database; null for one in memory. */
function stateDirOf(db: Db): string | null {
  const file = db.get<{ file: string | null }>("PRAGMA database_list")?.file ?? "";
  return file === "" ? null : dirname(file);
}

/** The notes of a run of the parser. `end` must be called. */
export class ParseNotes {
  readonly #folder: string | null;
  readonly #refused: ReadonlySet<string>;
  readonly #pads = new Map<NotePad, string>();

  /** `keep`: false for a command that writes nothing; it only reads what others left. */
  constructor(db: Db, { keep }: { keep: boolean }) {
    const stateDir = stateDirOf(db);
    this.#folder = stateDir === null || !keep ? null : folderIn(stateDir);
    const left = stateDir === null ? [] : readLeft(stateDir, keep);
    this.#refused = new Set(left.map(keyOf));
  }

  /** Whether a process died while it parsed this. */
  isRefused({ path, oid }: WantedFact): boolean {
    return this.#refused.size > 0 && this.#refused.has(keyOf({ oid, extractor: extractorOf(path) }));
  }

  /** For one thread. null where nothing can be written: it parses without notes. */
  open(): NotePad | null {
    const folder = this.#folder;
    if (folder === null) return null;
    try {
      makeFolder(folder, dirname(folder));
      const path = newPath(folder);
      const pad = { fd: openSync(path, "wx", 0o600), process: processOf(process.pid) };
      if (opened.size === 0) process.on("exit", removeOpened);
      opened.add(path);
      this.#pads.set(pad, path);
      writeNote(pad, null);
      return pad;
    } catch {
      return null; // a full disk, a read-only mount
    }
  }

  /** Of a thread that died without taking the process with it: its note stays. */
  leave(pad: NotePad): void {
    const path = this.#close(pad);
    if (path !== null && readNote(path)?.blob != null) noteDeath(path);
  }

  /** Called when no thread writes any more. */
  end(): void {
    for (const pad of [...this.#pads.keys()]) {
      const path = this.#close(pad);
      if (path !== null) rmSync(path, { force: true });
    }
  }

  #close(pad: NotePad): string | null {
    const path = this.#pads.get(pad);
    if (path === undefined) return null;
    this.#pads.delete(pad);
    closeSync(pad.fd);
    opened.delete(path);
    if (opened.size === 0) process.off("exit", removeOpened);
    return path;
  }
}

/** Of this process: one that ends in order leaves none. */
const opened = new Set<string>();

function removeOpened(): void {
  for (const path of opened) rmSync(path, { force: true });
}

/** A name that no other note has, also not one of a dead process that had our pid. */
function newPath(folder: string): string {
  return join(folder, `${processNumber()}-${Date.now().toString(36)}-${opened.size}`);
}

const keyOf = ({ oid, extractor }: Pick<NotedBlob, "oid" | "extractor">) => `${oid} ${extractor}`;

/** With what a text is fingerprinted. */
export function limitsFor(
  notes: ParseNotes | null,
  { maxFileBytes, parseBudgetMs }: Limits,
  file: WantedFact,
): FingerprintOptions {
  return { maxFileBytes, parseBudgetMs, isRefused: notes?.isRefused(file) === true };
}

/** Runs what parses this blob with these limits, with the blob noted meanwhile. */
export async function noted<T>(
  pad: NotePad | null,
  file: WantedFact,
  limits: FingerprintOptions,
  parse: (limits: FingerprintOptions) => Promise<T>,
): Promise<T> {
  if (pad === null || limits.isRefused === true) return parse(limits);
  writeNote(pad, { path: file.path, oid: file.oid, extractor: extractorOf(file.path) });
  faultPoint(`parse ${file.path}`);
  try {
    return await parse(limits);
  } finally {
    writeNote(pad, null);
  }
}

/** One system call. The line ends what counts: behind it can be the rest of a longer one. */
function writeNote({ fd, process }: NotePad, blob: NotedBlob | null): void {
  try {
    writeSync(fd, noteText({ process, program: UA_HOOKS_VERSION, blob }), 0);
  } catch {
    // a full disk: it is parsed all the same
  }
}

const noteText = (note: Note) => `${JSON.stringify(note)}\n`;

function readNote(path: string): Note | null {
  try {
    const [line = ""] = (readTextIfThere(path) ?? "").split("\n", 1);
    return parseJson(line, isNote);
  } catch {
    return null; // no file of ours, or one that cannot be read
  }
}

/** The blobs whose parsing ended a process. `mayWrite`: what is of no more use is removed. */
export function readLeft(stateDir: string, mayWrite: boolean): NotedBlob[] {
  const folder = folderIn(stateDir);
  const found: NotedBlob[] = [];
  for (const name of notesIn(folder)) {
    const path = join(folder, name);
    const note = readNote(path);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    const isDead = note !== null && (note.process === null || isGone(note.process));
    const isOver =
      note === null || note.blob === null ? isDead || age > DAY_MS : note.program !== UA_HOOKS_VERSION && isDead;
    if (isOver) {
      if (mayWrite) attempt(() => rmSync(path, { force: true }));
    } else if (note?.blob && (isDead || age > STUCK_MS)) {
      found.push(note.blob);
      if (mayWrite && note.process !== null) attempt(() => noteDeath(path));
    }
  }
  return found;
}

/** Without those that are being written under another name. */
function notesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith("."));
  } catch (error) {
    if (errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

function noteDeath(path: string): void {
  const note = readNote(path);
  if (note !== null) writeFileAtomic(path, noteText({ process: null, program: note.program, blob: note.blob }), 0o600);
}

/** A read-only git dir keeps its notes. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // the next process that may write does it
  }
}

/** All notes of dead processes go, so that their blobs are parsed again. Returns those blobs. */
export function forgetLeft(stateDir: string): NotedBlob[] {
  const left = readLeft(stateDir, true);
  const folder = folderIn(stateDir);
  for (const name of notesIn(folder)) {
    const path = join(folder, name);
    if (readNote(path)?.process === null) rmSync(path, { force: true });
  }
  return left;
}
