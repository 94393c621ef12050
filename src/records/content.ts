import { isRefusal } from "../git/run.js";
import {
  DIRECTORY,
  diffTrees,
  entriesAt,
  isRegularFile,
  type KnownEntries,
  listTree,
  type TreeEntry,
} from "../git/trees.js";

/** One state of the code, in which subjects are looked up. Missing ones are not in the answers. */
export interface TreeContent {
  /** The blobs of files, including symbolic links. */
  files(paths: readonly string[]): Promise<Map<string, string>>;
  /** The oids of directories, "" for the root. */
  trees(paths: readonly string[]): Promise<Map<string, string>>;
  /** The files below a directory, by their names in it. */
  below(folder: string): Promise<Map<string, string>>;
  cameSince(commit: string): Promise<Came>;
  /** The folder with contents that git has no blob for. */
  workTree: string | null;
}

/** Paths that did not exist at another commit: candidates for moved files. */
export interface Came {
  files: Map<string, string>;
  /** False if that commit is gone: then these are all files, and only equal content counts. */
  isExact: boolean;
}

const NOTHING_KNOWN: KnownEntries = new Map();

/** A commit: used for markers. git is not asked for what a diff has said about it. */
export class CommitContent implements TreeContent {
  readonly workTree = null;
  readonly #cwd: string;
  readonly #commit: string;
  readonly #known: KnownEntries;

  constructor(cwd: string, commit: string, known: KnownEntries = NOTHING_KNOWN) {
    this.#cwd = cwd;
    this.#commit = commit;
    this.#known = known;
  }

  async files(paths: readonly string[]): Promise<Map<string, string>> {
    const open = paths.filter((path) => !this.#known.has(path));
    const found = await this.#entries(open, isFile);
    for (const path of paths) {
      const entry = this.#known.get(path) ?? null;
      if (entry !== null && isFile(entry)) found.set(path, entry.oid);
    }
    return found;
  }

  async trees(paths: readonly string[]): Promise<Map<string, string>> {
    return this.#entries(paths, ({ mode }) => mode === DIRECTORY);
  }

  async #entries(paths: readonly string[], fits: (entry: TreeEntry) => boolean): Promise<Map<string, string>> {
    if (paths.length === 0) return new Map();
    const wanted = new Set(paths);
    const found = await entriesAt(this.#cwd, this.#commit, paths);
    return new Map(
      [...found.values()].filter((entry) => wanted.has(entry.path) && fits(entry)).map(({ path, oid }) => [path, oid]),
    );
  }

  async below(folder: string): Promise<Map<string, string>> {
    const entries = await listTree(this.#cwd, this.#commit, folder === "" ? [] : [folder]);
    const start = folder === "" ? 0 : folder.length + 1;
    return new Map(entries.map(({ path, oid }) => [path.slice(start), oid]));
  }

  async cameSince(commit: string): Promise<Came> {
    const changes = await diffTrees(this.#cwd, commit, this.#commit).catch((error: unknown) => {
      if (isRefusal(error)) return null; // rebased away and collected, or a shallow clone
      throw error;
    });
    if (changes === null) {
      const all = (await listTree(this.#cwd, this.#commit)).filter(({ mode }) => isRegularFile(mode));
      return { files: new Map(all.map(({ path, oid }) => [path, oid])), isExact: false };
    }
    const came = changes.flatMap(({ path, mode, oid, oldOid }) =>
      oldOid === null && oid !== null && isRegularFile(mode) ? [[path, oid] as const] : [],
    );
    return { files: new Map(came), isExact: true };
  }
}

const SUBMODULE = "160000";
const isFile = ({ mode }: TreeEntry) => mode !== DIRECTORY && mode !== SUBMODULE;
