import { readBlobs } from "../git/blobs.js";
import { type Lookup, lookUp, lookupKey } from "../git/lookups.js";
import type { Uncommitted } from "../git/status.js";
import { entriesAt, isRegularFile, listTree } from "../git/trees.js";
import { type Manifest, parseManifest } from "./manifests.js";
import type { Snapshot, Standing } from "./truth.js";

/** A manifest that is larger is not read: then nothing is said about its scripts. */
const MOST_MANIFEST_BYTES = 1024 * 1024;

const isManifest = (path: string): boolean =>
  /(?:^|\/)(?:package\.json|(?:GNU)?[Mm]akefile|\.?[Jj]ustfile)$/.test(path);

/** Commits at the paths that were asked for; each is asked of git once, all new ones together. */
export class Commits {
  readonly #cwd: string;
  readonly #found = new Map<string, { oid: string; standing: Standing } | null>();
  readonly #manifests = new Map<string, Manifest | null>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Has to be called with a path before a snapshot is asked for it. */
  async load(wanted: Iterable<Lookup>): Promise<void> {
    const missing = [...wanted].filter((one) => !this.#found.has(lookupKey(one)));
    const found = await lookUp(this.#cwd, missing);
    const manifests: string[] = [];
    for (const one of missing) {
      const key = lookupKey(one);
      const object = found.get(key);
      this.#found.set(
        key,
        object === undefined ? null : { oid: object.oid, standing: object.type === "tree" ? "folder" : "file" },
      );
      if (object?.type === "blob" && isManifest(one.path)) manifests.push(key);
    }
    const open = manifests.filter((key) => !this.#manifests.has(this.#oid(key)));
    const blobs = await readBlobs(
      this.#cwd,
      open.map((key) => this.#oid(key)),
    );
    for (const key of open) {
      const blob = blobs.get(this.#oid(key));
      const isRead = blob !== undefined && blob.length <= MOST_MANIFEST_BYTES;
      this.#manifests.set(
        this.#oid(key),
        isRead ? parseManifest(key.slice(key.indexOf(":") + 1), blob.toString("utf8")) : null,
      );
    }
  }

  #oid(key: string): string {
    return this.#found.get(key)?.oid ?? "";
  }

  oidAt(commit: string, path: string): string | null {
    return this.#found.get(lookupKey({ commit, path }))?.oid ?? null;
  }

  at(commit: string): Snapshot {
    return {
      at: (path) => this.#found.get(lookupKey({ commit, path }))?.standing ?? null,
      manifest: (path) => this.#manifests.get(this.#oid(lookupKey({ commit, path }))) ?? null,
    };
  }

  /**
   * What really stands at paths that seem to be missing: also a blob that a partial clone never fetched, and what is in a submodule or
   * behind a link. Asked of the trees, which every clone has.
   */
  async confirm(commit: string, paths: readonly string[]): Promise<void> {
    const missing = [...new Set(paths)].filter((path) => this.#found.get(lookupKey({ commit, path })) === null);
    if (missing.length === 0) return;
    const entries = await entriesAt(this.#cwd, commit, [...new Set(missing.flatMap(withFolders))]);
    for (const path of missing) {
      const own = entries.get(path);
      const above = withFolders(path).find((one) => isLeading(entries.get(one)?.mode));
      const key = lookupKey({ commit, path });
      if (above !== undefined) this.#found.set(key, { oid: "", standing: "beyond" });
      else if (own !== undefined)
        this.#found.set(key, { oid: own.oid, standing: isRegularFile(own.mode) ? "file" : "folder" });
    }
  }
}

/** A link or a submodule. */
const isLeading = (mode: string | undefined): boolean => mode === "120000" || mode === "160000";

/** The path, and the folders above it. */
export function withFolders(path: string): string[] {
  const all = [path];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) all.push(path.slice(0, end));
  return all;
}

/** A commit with the uncommitted changes of a work tree over it. `manifests`: of those that differ. */
export class WorkTree implements Snapshot {
  readonly #commit: Snapshot;
  readonly #changes: ReadonlyMap<string, Uncommitted>;
  readonly #manifests: ReadonlyMap<string, Manifest | null>;
  /** Folders with a file that HEAD does not have, and folders that have no file left. */
  readonly #came: ReadonlySet<string>;
  readonly #emptied: ReadonlySet<string>;

  private constructor(
    commit: Snapshot,
    changes: ReadonlyMap<string, Uncommitted>,
    manifests: ReadonlyMap<string, Manifest | null>,
    emptied: ReadonlySet<string>,
  ) {
    this.#commit = commit;
    this.#changes = changes;
    this.#manifests = manifests;
    this.#emptied = emptied;
    const here = [...changes.values()].filter(isThere);
    this.#came = new Set(here.flatMap(({ path }) => withFolders(path).slice(1)));
  }

  /** `read`: the text of a file of the work tree. */
  static async over(
    commit: Snapshot,
    { cwd, head, changes }: { cwd: string; head: string; changes: readonly Uncommitted[] },
    read: (path: string) => string | null,
  ): Promise<WorkTree> {
    const manifests = new Map<string, Manifest | null>();
    for (const { path, there } of changes) {
      const text = there && isManifest(path) ? read(path) : null;
      if (isManifest(path)) manifests.set(path, text === null ? null : parseManifest(path, text));
    }
    const emptied = await emptiedFolders(cwd, head, changes);
    return new WorkTree(commit, new Map(changes.map((change) => [change.path, change])), manifests, emptied);
  }

  at(path: string): Standing {
    const change = this.#changes.get(path);
    if (change !== undefined) return isThere(change) ? "file" : this.#came.has(path) ? "folder" : null;
    if (this.#came.has(path)) return "folder";
    return this.#emptied.has(path) ? null : this.#commit.at(path);
  }

  manifest(path: string): Manifest | null {
    return this.#manifests.has(path) ? (this.#manifests.get(path) ?? null) : this.#commit.manifest(path);
  }
}

/** A path that git lists without a file may be a link or a folder of its own: something is there. */
const isThere = ({ there, untracked }: Uncommitted): boolean => there || untracked;

async function emptiedFolders(cwd: string, head: string, changes: readonly Uncommitted[]): Promise<Set<string>> {
  const gone = new Set(changes.filter((one) => !isThere(one)).map(({ path }) => path));
  const folders = new Set([...gone].flatMap((path) => withFolders(path).slice(1)));
  if (folders.size === 0) return folders;
  const tops = [...new Set([...gone].map((path) => path.slice(0, Math.max(path.indexOf("/"), 0))))].filter(
    (top) => top !== "",
  );
  for (const { path } of await listTree(cwd, head, tops))
    if (!gone.has(path)) for (const folder of withFolders(path).slice(1)) folders.delete(folder);
  return folders;
}
