import { entriesAt, isRegularFile, listTree, type TreeEntry } from "./trees.js";

/** The files of one commit, as far as they were asked for: the cost grows with the questions, not with the tree. */
export class HeadTree {
  readonly commit: string;
  readonly #cwd: string;
  readonly #blobs = new Map<string, string | null>();
  #isWhole = false;

  constructor(cwd: string, commit: string) {
    this.#cwd = cwd;
    this.commit = commit;
  }

  /** What a diff to this commit says. */
  note(entries: Iterable<{ path: string; mode: string | null; oid: string | null }>): void {
    for (const { path, mode, oid } of entries) this.#blobs.set(path, isRegularFile(mode) ? oid : null);
  }

  /** Every entry, submodules and links included. */
  async list(): Promise<TreeEntry[]> {
    const entries = await listTree(this.#cwd, this.commit);
    this.note(entries);
    this.#isWhole = true;
    return entries;
  }

  /** The files below some top-level directories. */
  async filesIn(directories: readonly string[]): Promise<string[]> {
    const entries = await listTree(this.#cwd, this.commit, directories);
    return entries.filter(({ mode }) => isRegularFile(mode)).map(({ path }) => path);
  }

  async load(paths: Iterable<string>): Promise<void> {
    const wanted = this.#isWhole ? [] : [...new Set(paths)].filter((path) => path !== "" && !this.#blobs.has(path));
    if (wanted.length === 0) return;
    const found = await entriesAt(this.#cwd, this.commit, wanted);
    for (const path of wanted) {
      const entry = found.get(path);
      this.#blobs.set(path, entry !== undefined && isRegularFile(entry.mode) ? entry.oid : null);
    }
  }

  /** null: the commit has no such file. Throws for a path that nobody loaded: an answer of "no" would pass for the truth. */
  blobOf(path: string): string | null {
    const blob = this.#blobs.get(path);
    if (blob !== undefined) return blob;
    if (this.#isWhole || path === "") return null;
    throw new Error(`unreachable: ${JSON.stringify(path)} was not loaded`);
  }
}
