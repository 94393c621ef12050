import { lstatSync, readlinkSync } from "node:fs";
import { blobOid } from "../git/blobs.js";
import { encodePath } from "../git/paths.js";
import { dirtyPaths } from "../git/status.js";
import { treeOid } from "../git/tree-oid.js";
import { type KnownEntries, listTree, type TreeEntry } from "../git/trees.js";
import { isBlob, worktreeOids } from "../git/worktree.js";
import { isSettled, stampNumbers } from "../store/files.js";
import type { Db } from "../store/sqlite.js";
import { pathKey } from "../store/state.js";
import { type Came, CommitContent, type TreeContent } from "./content.js";

/** Up to this number files are checked one by one; for more, git's status reports which ones to check. */
const FEW = 100;

/**
 * The current worktree: HEAD plus uncommitted changes, through git's filters. For a few files neither HEAD nor status
 * are read: the file is hashed by git once, and recognised by its stamp from then on.
 */
export class WorkTreeContent implements TreeContent {
  readonly workTree: string;
  readonly #db: Db;
  readonly #worktree: string;
  readonly #commit: string | null;
  readonly #head: CommitContent | null;
  readonly #inHead: KnownEntries;
  #dirty: Promise<Set<string>> | null = null;

  /** `inHead`: entries of the commit that are known already. */
  constructor(db: Db, { id, path }: { id: string; path: string }, commit: string | null, inHead: KnownEntries) {
    this.#db = db;
    this.#worktree = id;
    this.workTree = path;
    this.#commit = commit;
    this.#head = commit === null ? null : new CommitContent(path, commit, inHead);
    this.#inHead = inHead;
  }

  async files(paths: readonly string[]): Promise<Map<string, string>> {
    const wanted = [...new Set(paths)];
    if (wanted.length <= FEW) return this.#fromDisk(wanted);
    const dirty = await this.#dirtyPaths();
    const clean = (await this.#head?.files(wanted)) ?? new Map<string, string>();
    // Neither dirty nor in HEAD: an ignored file, or none.
    const open = wanted.filter((path) => dirty.has(path) || !clean.has(path));
    for (const path of open) clean.delete(path);
    return new Map([...clean, ...(await this.#onDisk(open))]);
  }

  /** A file that is in HEAD and not on disk, and not reported by git, is left out of a sparse checkout. */
  async #fromDisk(paths: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#onDisk(paths);
    const missing = paths.filter((path) => !found.has(path));
    if (missing.length === 0 || this.#head === null) return found;
    const inHead = await this.#head.files(missing);
    if (inHead.size === 0) return found;
    const dirty = await this.#dirtyPaths();
    for (const [path, oid] of inHead) if (!dirty.has(path)) found.set(path, oid);
    return found;
  }

  async #onDisk(paths: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const open = new Map<string, string | null>();
    const digits = this.#commit?.length ?? 40;
    for (const path of paths) {
      const file = Buffer.concat([Buffer.from(`${this.workTree}/`), encodePath(path)]);
      const stat = lstatSync(file, { throwIfNoEntry: false });
      if (stat?.isSymbolicLink()) found.set(path, linkOid(file, digits));
      if (!stat?.isFile()) continue;
      const known = this.#known(path, stampNumbers(stat));
      if (known === undefined) open.set(path, isSettled(stat) ? stampNumbers(stat) : null);
      else found.set(path, known);
    }
    const oids = this.#asCommitted([...open.keys()]);
    const others = [...open.keys()].filter((path) => !oids.has(path));
    if (others.length > 0) for (const [path, oid] of await worktreeOids(this.workTree, others)) oids.set(path, oid);
    this.#remember([...open].flatMap(([path, stamp]) => (stamp === null ? [] : [[path, stamp, oids.get(path) ?? ""]])));
    return new Map([...found, ...oids]);
  }

  /** Files with exactly the bytes of a blob that HEAD is known to have there: git need not hash them. */
  #asCommitted(paths: readonly string[]): Map<string, string> {
    const oids = new Map<string, string>();
    for (const path of paths) {
      const entry = this.#inHead.get(path) ?? null;
      if (entry !== null && isBlob(this.workTree, path, entry.oid)) oids.set(path, entry.oid);
    }
    return oids;
  }

  #known(path: string, stamp: string): string | undefined {
    const sql = "SELECT oid FROM record_files WHERE view = ? AND path = ? AND stamp = ?";
    return this.#db.get<{ oid: string }>(sql, this.#worktree, pathKey(path), stamp)?.oid;
  }

  #remember(files: readonly (readonly [path: string, stamp: string, oid: string])[]): void {
    if (files.length === 0) return;
    this.#db.write(() => {
      const sql = "INSERT OR REPLACE INTO record_files(view, path, stamp, oid) VALUES(?, ?, ?, ?)";
      for (const [path, stamp, oid] of files)
        if (oid !== "") this.#db.run(sql, this.#worktree, pathKey(path), stamp, oid);
    });
  }

  /** The tree of a directory as if everything were committed. */
  async trees(paths: readonly string[]): Promise<Map<string, string>> {
    if (paths.length === 0) return new Map();
    const dirty = [...(await this.#dirtyPaths())];
    const isChanged = (folder: string) => dirty.some((path) => folder === "" || path.startsWith(`${folder}/`));
    const found = (await this.#head?.trees(paths.filter((path) => !isChanged(path)))) ?? new Map<string, string>();
    for (const folder of paths.filter(isChanged)) {
      const oid = treeOid(await this.#entriesBelow(folder, dirty));
      if (oid !== null) found.set(folder, oid);
    }
    return found;
  }

  async below(folder: string): Promise<Map<string, string>> {
    const entries = await this.#entriesBelow(folder, [...(await this.#dirtyPaths())]);
    return new Map(entries.map(({ path, oid }) => [path, oid]));
  }

  async #entriesBelow(folder: string, dirty: readonly string[]): Promise<TreeEntry[]> {
    const prefix = folder === "" ? "" : `${folder}/`;
    const below = dirty.filter((path) => path.startsWith(prefix));
    const listed = this.#commit === null ? [] : await listTree(this.workTree, this.#commit, folder ? [folder] : []);
    const entries = new Map(listed.map((entry) => [entry.path, entry]));
    const oids = await this.#onDisk(below);
    for (const path of below) {
      const oid = oids.get(path);
      if (oid === undefined) entries.delete(path);
      else entries.set(path, { path, oid, mode: this.#modeOf(path) });
    }
    return [...entries.values()].map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
  }

  #modeOf(path: string): string {
    const stat = lstatSync(Buffer.concat([Buffer.from(`${this.workTree}/`), encodePath(path)]));
    if (stat.isSymbolicLink()) return "120000";
    return (stat.mode & 0o100) === 0 ? "100644" : "100755";
  }

  async cameSince(commit: string): Promise<Came> {
    const came = (await this.#head?.cameSince(commit)) ?? { files: new Map<string, string>(), isExact: false };
    const dirty = [...(await this.#dirtyPaths())];
    const before = came.isExact ? await new CommitContent(this.workTree, commit).files(dirty) : new Map();
    const now = await this.#onDisk(dirty);
    const files = new Map(came.files);
    for (const path of dirty) {
      const oid = now.get(path);
      if (oid === undefined) files.delete(path);
      else if (!before.has(path)) files.set(path, oid);
    }
    return { ...came, files };
  }

  #dirtyPaths(): Promise<Set<string>> {
    this.#dirty ??= dirtyPaths(this.workTree).then((paths) => new Set(paths));
    return this.#dirty;
  }
}

/** A link's blob is its target path. */
function linkOid(file: Buffer, digits: number): string {
  return blobOid(readlinkSync(file, { encoding: "buffer" }), digits);
}
