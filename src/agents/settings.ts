import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { UaError } from "../errors.js";
import { trackedAmong } from "../git/tracked.js";
import { linkInCheckout, refuseLinks } from "../platform/change-files.js";
import { withSlashes } from "../platform/windows.js";
import type { Project } from "../repository/locate.js";
import { listWorktrees } from "../repository/worktrees.js";
import { readOwnBytes, readProjectFile, readTextIfThere } from "../store/files.js";
import { PARAGRAPH_FILES, withParagraph } from "./paragraph.js";
import { hasOurs, isBare, withOurs, withoutOurs } from "./settings-entries.js";
import { SETTINGS_FILES, skillFile } from "./settings-files.js";
import {
  readWrittenFiles,
  type WrittenFile,
  type WrittenFiles,
  writtenFilesPath,
  writtenFilesText,
} from "./written-files.js";

/** One file with its new text; install applies it with its other steps. `text: null` removes the file. */
export interface Edit {
  file: string;
  what: string;
  text: string | null;
  mode?: number;
}

export interface AgentOptions {
  clients: readonly string[];
  /** Write the files that are committed, not the local ones. */
  shared: boolean;
  /** The text of a file in templates/. */
  template: (name: string) => string;
  /** Whether files that git tracks may be written. */
  mayWriteTracked: (files: readonly string[]) => Promise<boolean>;
}

export interface AgentPlan {
  edits: Edit[];
  /** Our local files, relative to a worktree's top: excluded from git. */
  exclude: string[];
  /** Files that were not written, and why. */
  notes: string[];
}

/** One agent, where `auto` looks for signs of its use, and the first that is there; null if there is none. */
export interface AgentSign {
  client: string;
  places: string[];
  found: string | null;
}

/** `auto`: every agent that is in use in the worktree or in the user's home. `~/` stands for the home folder. */
export function findAgents(project: Project, env: NodeJS.ProcessEnv): AgentSign[] {
  const { path } = project.worktree;
  const home = env.HOME || env.USERPROFILE || null;
  return [...SETTINGS_FILES].map(([client, { signs, homes }]) => {
    const inHome = homes.map((name) => ({ sign: `~/${name}`, file: home === null ? null : join(home, name) }));
    const all = [...signs.map((sign) => ({ sign, file: join(path, sign) })), ...inHome];
    const found = all.find(({ file }) => file !== null && existsSync(file));
    return { client, places: all.map(({ sign }) => sign), found: found?.sign ?? null };
  });
}

export function agentsInUse(project: Project, env: NodeJS.ProcessEnv): string[] {
  return findAgents(project, env).flatMap(({ client, found }) => (found === null ? [] : [client]));
}

/** The agents that an earlier install wrote for in this worktree: a later install updates them. */
export function agentsInstalled(project: Project): { clients: string[]; shared: boolean } {
  const mine = [...readWrittenFiles(project.stateDir)].filter(([file]) =>
    file.startsWith(`${project.worktree.path}${sep}`),
  );
  const clients = new Set(mine.map(([, { client }]) => client).filter((client) => SETTINGS_FILES.has(client)));
  return { clients: [...clients], shared: mine.some(([, { shared }]) => shared) };
}

/** The files that `install` has to write for these agents, and what to report. */
export async function planAgents(project: Project, options: AgentOptions): Promise<AgentPlan> {
  const root = project.worktree.path;
  const wanted = wantedFiles(options, root);
  const tracked = await trackedAmong(
    root,
    wanted.map(({ file }) => file),
  );
  if (options.shared && tracked.size > 0 && !(await options.mayWriteTracked([...tracked]))) {
    return planAgents(project, { ...options, shared: false }); // local files need no confirmation
  }
  const record = readWrittenFiles(project.stateDir);
  const noted = new Map(record);
  const plan: AgentPlan = { edits: [], exclude: [], notes: [] };
  for (const one of wanted) {
    const file = join(root, one.file);
    const why = options.shared ? null : elsewhere(root, one, tracked);
    if (why !== null) plan.notes.push(why);
    else plan.edits = [...plan.edits, ...moveFrom(root, one, record), ...editFor(root, file, one, record, options)];
  }
  return {
    ...plan,
    edits: withNotes(plan.edits, noted, record, project.stateDir),
    exclude: localFiles(project, record),
  };
}

/**
 * A new file is recorded before it is written, so that a kill in between leaves no unrecorded file; a changed one
 * afterwards: until then the file is as recorded.
 */
function withNotes(edits: readonly Edit[], noted: WrittenFiles, record: WrittenFiles, stateDir: string): Edit[] {
  const file = writtenFilesPath(stateDir);
  const there = readTextIfThere(file);
  const first = writtenFilesText(new Map([...record, ...noted]), stateDir);
  const last = writtenFilesText(record, stateDir);
  const note = (text: string | null): Edit => ({ file, what: "record of the earlier content", text, mode: 0o600 });
  return [...(first === there ? [] : [note(first)]), ...edits, ...(last === first ? [] : [note(last)])];
}

/** One file of a client: its current and its new text. */
interface WantedFile {
  client: string;
  file: string;
  /** The client's other file, which an earlier install may have written. */
  other: string;
  /** Files that an earlier version wrote in its place. */
  former: readonly string[];
  make(before: string | null, file: string): string;
  /** The whole file is ours. */
  whole: boolean;
  what: string;
}

function wantedFiles({ clients, shared, template }: AgentOptions, root: string): WantedFile[] {
  const files = new Map<string, WantedFile>();
  const add = (one: WantedFile) => files.set(one.file, one);
  for (const client of clients) {
    const place = SETTINGS_FILES.get(client);
    if (place === undefined) {
      const known = [...SETTINGS_FILES.keys()].join(", ");
      throw new UaError("usage", `unknown agent "${client}"`, `known agents: ${known}, or auto`);
    }
    const [file, other] = shared ? [place.shared, place.file] : [place.file, place.shared];
    const make: WantedFile["make"] = (text, path) => withOurs(text, place, path);
    const whole = (own: string, from: string, what: string): WantedFile => ({
      ...{ client, file: own, other: own, former: [], make: () => template(from), whole: true, what },
    });
    const { added, former = [] } = place;
    if (added !== undefined) add(whole(added.file, added.template, `the plugin for ${client}`));
    add({ client, file, other, former, make, whole: false, what: `${client} is notified of pending updates` });
    add(whole(skillFile(client), "skill.md", "instructions for updating the graph"));
  }
  if (shared && clients.length > 0) {
    const make = (text: string | null) => withParagraph(text ?? "", template("agents.md"));
    const what = "a paragraph for every agent";
    const named = clients.includes("gemini") && existsSync(join(root, "GEMINI.md")) ? PARAGRAPH_FILES : ["AGENTS.md"];
    for (const file of named) add({ client: "any", file, other: file, former: [], make, whole: false, what });
  }
  return [...files.values()];
}

/** Why a local install does not write a file: git tracks it, or the shared file already has the entry. */
function elsewhere(root: string, { file, other, client }: WantedFile, tracked: ReadonlySet<string>): string | null {
  const text = other === file ? null : readProjectFile(join(root, other), root);
  if (text !== null && hasOurs(text, join(root, other))) return `${client} is already notified through ${other}`;
  return tracked.has(file) ? `${file} is tracked by git and was not changed; --shared writes it` : null;
}

/** From local to shared settings, or from the place of an earlier version: the entry is in one of them. */
function moveFrom(root: string, { file, other, former }: WantedFile, record: WrittenFiles): Edit[] {
  return [other, ...former].flatMap((name) => {
    const old = join(root, name);
    const written = name === file ? undefined : record.get(old);
    if (written === undefined) return [];
    record.delete(old);
    return undoOne(old, written, `moved to ${file}`);
  });
}

function editFor(
  root: string,
  file: string,
  wanted: WantedFile,
  record: WrittenFiles,
  { shared }: { shared: boolean },
): Edit[] {
  const { client, make, whole, what } = wanted;
  refuseLinks(file); // before it is read
  const now = readExact(file);
  const known = record.get(file);
  const after = make(now, file);
  if (now === after && known?.after === after && known.shared === shared) return [];
  // Written by us and unchanged since: the earlier original is still what uninstall restores. A kill may have prevented
  // the update of the record.
  const isOurs = known !== undefined && (now === known.after || (whole && now === after));
  const before = isOurs ? known.before : original(now, file);
  const missing = now === null ? missingFolders(root, file) : [];
  const folders = [...new Set([...(known?.folders ?? []), ...missing])].sort((a, b) => a.length - b.length);
  record.set(file, { client, before, after, folders, shared });
  return now === after ? [] : [{ file, what, text: after }];
}

/** Without a record (a lost state dir): the text without our part counts as the original. */
function original(now: string | null, file: string): string | null {
  if (now === null || now.trim() === "" || !hasOurs(now, file)) return now;
  const rest = withoutOurs(now, file);
  return isBare(rest, file) ? null : rest;
}

function missingFolders(root: string, file: string): string[] {
  const missing: string[] = [];
  for (let dir = dirname(file); dir !== root && !existsSync(dir); dir = dirname(dir)) missing.unshift(dir);
  return missing;
}

/** Of all worktrees: they share one exclude file. */
function localFiles(project: Project, record: WrittenFiles): string[] {
  const roots = listWorktrees(project).map(({ path }) => path);
  const files = [...record].flatMap(([file, { shared }]) => {
    const root = shared ? undefined : roots.find((path) => file.startsWith(`${path}${sep}`));
    return root === undefined ? [] : [withSlashes(relative(root, file))];
  });
  return [...new Set(files)].sort();
}

/**
 * Removes all entries, in every worktree. `exclude`: files that were excluded until now. `folders`: folders created for
 * them, removed if they are empty, innermost first.
 */
export function undoAgents(project: Project): { edits: Edit[]; exclude: string[]; folders: string[] } {
  const record = readWrittenFiles(project.stateDir);
  const edits = [...record].flatMap(([file, one]) => undoOne(file, one, `${one.client} is no longer notified`));
  if (record.size > 0) {
    edits.push({ file: writtenFilesPath(project.stateDir), what: "no earlier content left to restore", text: null });
  }
  const folders = new Set([...record.values()].flatMap((written) => written.folders));
  const exclude = localFiles(project, record);
  return { edits, exclude, folders: [...folders].sort((a, b) => b.length - a.length) };
}

/** Edited since: only our part is removed. A file of our own that the user changed is kept. */
function undoOne(file: string, { before, after }: WrittenFile, what: string): Edit[] {
  if (linkInCheckout(file) !== null) return [{ file, what, text: null }]; // not read; whoever carries it out refuses it
  const now = readExact(file);
  if (now === null) return []; // already removed
  if (now === after) return [{ file, what, text: before }];
  const rest = withoutOurs(now, file);
  if (rest === now) return [];
  return [{ file, what, text: before === null && isBare(rest, file) ? null : rest }];
}

/** Text that is not UTF-8 cannot be written back unchanged. */
function readExact(file: string): string | null {
  const bytes = readOwnBytes(file);
  const text = bytes?.toString("utf8") ?? null;
  if (text?.includes("\ufffd") && bytes?.equals(Buffer.from(text)) !== true) {
    throw new UaError(
      "damaged",
      `${file} is not UTF-8`,
      "convert the file to UTF-8, then run `ua-hooks install` again",
    );
  }
  return text;
}
