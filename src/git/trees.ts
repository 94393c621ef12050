import { decodePath } from "./paths.js";
import { type GitError, git, isRefusal } from "./run.js";

/** One path in a tree. `oid` is null if the path is absent. */
export interface TreeEntry {
  path: string;
  mode: string;
  oid: string;
}

export interface TreeChange {
  path: string;
  /** Mode and oid after the change; null if the path was deleted. */
  mode: string | null;
  oid: string | null;
  oldMode: string | null;
  oldOid: string | null;
}

/** The differences between two commits, where they are known already. */
export interface CommitDiff {
  from: string;
  to: string;
  changes: readonly TreeChange[];
}

/** What a diff says about one of its commits, by path; null: it has nothing there. */
export type KnownEntries = ReadonlyMap<string, TreeEntry | null>;

export function entriesAfter(changes: readonly TreeChange[]): KnownEntries {
  return new Map(changes.map(({ path, mode, oid }) => [path, entryOf(path, mode, oid)]));
}

export function entriesBefore(changes: readonly TreeChange[]): KnownEntries {
  return new Map(changes.map(({ path, oldMode, oldOid }) => [path, entryOf(path, oldMode, oldOid)]));
}

const entryOf = (path: string, mode: string | null, oid: string | null) =>
  mode === null || oid === null ? null : { path, mode, oid };

/** Blobs that are text or could be: not symbolic links (120000), not submodules (160000). */
export function isRegularFile(mode: string | null): boolean {
  return mode === "100644" || mode === "100755";
}

/**
 * The differences between two commits, from their trees. Cost grows with the change, not with the repository.
 * --no-renames: both sides of a rename are needed, by blob; the flags against external diff and textconv keep programs
 * that .gitattributes names from running; --no-abbrev gives whole oids, used as content hashes.
 */
export async function diffTrees(cwd: string, from: string, to: string): Promise<TreeChange[]> {
  const key = `${cwd}\0${from}\0${to}`;
  const output = early.get(key) ?? rawDiff(cwd, from, to);
  early.delete(key);
  return parseRawDiff(await output);
}

const early = new Map<string, Promise<Buffer>>();

/** Uses the output of a diff that was started in advance. */
export function expectDiff(cwd: string, from: string, to: string, output: Promise<Buffer>): void {
  early.set(`${cwd}\0${from}\0${to}`, output);
}

/** `bad object <oid>`, and `unable to read tree` or `could not fetch <oid>` where a clone has only the commit. */
export function isGone(error: GitError): boolean {
  return /bad object|unable to read|bad revision|could not (access|fetch)/i.test(error.stderr);
}

/** git's raw output, for parseRawDiff. */
export function rawDiff(cwd: string, from: string, to: string): Promise<Buffer> {
  const args = ["diff", "--raw", "-z", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-color"];
  return git(cwd, [...args, "--ignore-submodules=none", from, to, "--"]);
}

export function parseRawDiff(output: Buffer): TreeChange[] {
  return parseRawRecords([...records(output)]);
}

/**
 * `:100644 100644 bcd1234… 0123456… M\0file0\0` (git-diff-tree(1), "RAW OUTPUT FORMAT", with -z): pairs of records.
 * Mode 000000 means that the path is absent on this side.
 */
export function parseRawRecords(pairs: readonly Buffer[]): TreeChange[] {
  const changes: TreeChange[] = [];
  for (let at = 0; at < pairs.length; at += 2) {
    const meta = pairs[at]?.toString("latin1") ?? "";
    const path = pairs[at + 1];
    const match = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) [A-Z]/.exec(meta);
    if (match === null || path === undefined) throw new Error(`git diff-tree: unexpected output: ${meta}`);
    const [, oldMode = "", newMode = "", oldOid = "", newOid = ""] = match;
    changes.push({
      path: decodePath(path),
      mode: newMode === "000000" ? null : newMode,
      oid: newMode === "000000" ? null : newOid,
      oldMode: oldMode === "000000" ? null : oldMode,
      oldOid: oldMode === "000000" ? null : oldOid,
    });
  }
  return changes;
}

/** Every file of a commit. Cost grows with the repository: for baselines and fallbacks only. */
export async function listTree(cwd: string, commit: string, paths: readonly string[] = []): Promise<TreeEntry[]> {
  const list = async (some: readonly string[]) =>
    parseLsTree(await git(cwd, ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", commit, "--", ...some]));
  if (fitArguments(paths)) return list(paths);
  const wanted = new Set(paths);
  return (await list([])).filter(({ path }) => isAmong(wanted, path));
}

/** The path itself, or a folder above it. */
function isAmong(wanted: ReadonlySet<string>, path: string): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    if (wanted.has(path.slice(0, end))) return true;
  }
  return false;
}

/** More names than this go beyond what a command line should hold (Windows: 32,767 characters); then git lists all, and we choose. */
const MOST_NAMES = 400;
const MOST_NAME_BYTES = 24_000;

/** Whether paths can be arguments of one process: few enough, and text, which a path in git need not be. */
export function fitArguments(paths: readonly string[]): boolean {
  if (paths.length > MOST_NAMES) return false;
  const bytes = paths.reduce((sum, path) => sum + Buffer.byteLength(path) + 1, 0);
  return bytes <= MOST_NAME_BYTES && paths.every((path) => path.isWellFormed());
}

/**
 * The entries of a commit at some paths, files and directories (mode 040000); "" is the root. Missing paths are not in
 * the map.
 */
export async function entriesAt(
  cwd: string,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, TreeEntry>> {
  const names = paths.filter((path) => path !== "");
  const listing = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree"];
  const found = new Map<string, TreeEntry>();
  if (names.length > 0) {
    const which = fitArguments(names) ? [commit, "--", ...names] : ["-r", "-t", commit];
    for (const entry of parseLsTree(await git(cwd, [...listing, ...which]))) found.set(entry.path, entry);
  }
  if (paths.length > names.length) {
    const oid = (await git(cwd, ["rev-parse", "--verify", "-q", `${commit}^{tree}`])).toString("latin1").trim();
    found.set("", { path: "", mode: DIRECTORY, oid });
  }
  return found;
}

export const DIRECTORY = "040000";

export interface SizedEntry extends TreeEntry {
  /** null if the blob is missing in a partial clone. */
  bytes: number | null;
}

/** With sizes: git reads every blob's header, so this is for reports only. A partial clone may miss some. */
export async function listTreeSizes(cwd: string, commit: string): Promise<SizedEntry[]> {
  const sized = git(cwd, ["ls-tree", "-r", "-l", "-z", "--full-tree", commit]).then(parseSizedTree);
  return sized.catch(async (error: unknown) => {
    if (!isRefusal(error)) throw error;
    return (await listTree(cwd, commit)).map((entry) => ({ ...entry, bytes: null }));
  });
}

/** `100644 blob 0123456…\tpath\0` (git-ls-tree(1), "OUTPUT FORMAT", with -z). */
export function parseLsTree(output: Buffer): TreeEntry[] {
  return Array.from(treeFields(output), ([{ mode, oid, path }]) => ({ mode, oid, path }));
}

/** `100644 blob 0123456…    1234\tpath\0`: the size is padded with spaces, `-` for a submodule, `BAD` for a missing blob. */
export function parseSizedTree(output: Buffer): SizedEntry[] {
  return Array.from(treeFields(output), ([entry, size]) => ({
    ...entry,
    bytes: /^\d+$/.test(size) ? Number(size) : null,
  }));
}

function* treeFields(output: Buffer): Generator<[entry: TreeEntry, size: string]> {
  for (const record of records(output)) {
    const tab = record.indexOf(0x09);
    const [mode = "", , oid = "", size = ""] = record.toString("latin1", 0, tab).split(/ +/);
    if (tab < 0 || oid === "") throw new Error("git ls-tree: unexpected output");
    yield [{ mode, oid, path: decodePath(record.subarray(tab + 1)) }, size];
  }
}

/** The NUL-terminated records of git's -z output. */
export function* records(output: Buffer): Generator<Buffer> {
  let start = 0;
  while (start < output.length) {
    const end = output.indexOf(0, start);
    if (end < 0) throw new Error("git's output ends in the middle of a record");
    yield output.subarray(start, end);
    start = end + 1;
  }
}
