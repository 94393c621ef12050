import { type Deletion, deletionsOf, type RenamedPath, renamesBetween, renamesIn } from "../git/moves.js";
import { baseOf } from "../graph/resolve/file-index.js";
import { type Commits, withFolders } from "./snapshots.js";

/** A path that was there at a commit, and is not at HEAD. */
export interface LostPath {
  path: string;
  commit: string;
  isFolder: boolean;
}

/** Where it is now, or in which commit it went; null: no commit says so. */
export type Fate = ({ to: string } | { gone: string | null }) & {
  /** The paths that it had in between: if one of them comes back, it is there. */
  via: readonly string[];
};

/** A path that moves more often is not followed to its end. */
const MOST_STEPS = 12;
/** Of the files of a folder, so many have to go to one other folder. */
const LEAST_SHARE = 0.6;

/** A file under another name has to be this similar, in percent; under the same name in another folder, git's own limit is enough. */
const LEAST_SIMILARITY = 70;
/** Where no commit deletes a path (a merge did), so many commits are compared with HEAD themselves. */
const MOST_COMPARED = 8;

export interface Walk {
  cwd: string;
  head: string;
  commits: Commits;
  /** All deletions of the history, where they are known. */
  deletions: Deletions | null;
}

/** Follows renames over the whole way from the commits to HEAD. */
export async function fatesOf(walk: Walk, lost: readonly LostPath[]): Promise<Map<LostPath, Fate>> {
  const fates = new Map<LostPath, Fate>();
  const seen = new Map(lost.map((one) => [one, new Set([one.path])]));
  let open = new Map(lost.map((one) => [one, one.path]));
  for (let step = 0; step < MOST_STEPS && open.size > 0; step++) {
    const deletions =
      walk.deletions ?? new Deletions(await deletionsOf(walk.cwd, walk.head, [...new Set(open.values())]));
    const wanted = [...open].flatMap(([one, path]) => deletions.commitsOf(path, one.isFolder));
    const renames = await renamesIn(walk.cwd, wanted);
    const next = new Map<LostPath, string>();
    for (const [one, path] of open) {
      const where = deletions.commitsOf(path, one.isFolder);
      const to = one.isFolder
        ? folderAfter(path, where, { renames, deletions })
        : fileAfter(
            path,
            where.flatMap((commit) => renames.get(commit) ?? []),
          );
      if (to === undefined || seen.get(one)?.has(to) === true)
        fates.set(one, { gone: where[0] ?? null, via: [...(seen.get(one) ?? [])] });
      else next.set(one, to);
    }
    open = await stillOpen(walk, next, { fates, seen });
  }
  for (const one of open.keys()) fates.set(one, { gone: null, via: [...(seen.get(one) ?? [])] });
  await compareWithHead(walk, fates);
  return fates;
}

/** What is not at HEAD under its new path either. */
async function stillOpen(
  { commits, head }: Walk,
  next: ReadonlyMap<LostPath, string>,
  { fates, seen }: { fates: Map<LostPath, Fate>; seen: ReadonlyMap<LostPath, Set<string>> },
): Promise<Map<LostPath, string>> {
  await commits.load([...next.values()].map((path) => ({ commit: head, path })));
  const open = new Map<LostPath, string>();
  for (const [one, to] of next) {
    seen.get(one)?.add(to);
    if (commits.at(head).at(to) === null) open.set(one, to);
    else fates.set(one, { to, via: [...(seen.get(one) ?? [])] });
  }
  return open;
}

/** What went in a merge, as a subtree that was brought in from elsewhere. */
async function compareWithHead({ cwd, head }: Walk, fates: Map<LostPath, Fate>): Promise<void> {
  const lost = [...fates].flatMap(([one, fate]) =>
    "gone" in fate && fate.gone === null && !one.isFolder ? [one] : [],
  );
  for (const commit of [...new Set(lost.map((one) => one.commit))].slice(0, MOST_COMPARED)) {
    const renames = await renamesBetween(cwd, commit, head);
    for (const one of lost) {
      const to = one.commit === commit ? fileAfter(one.path, renames) : undefined;
      if (to !== undefined) fates.set(one, { to, via: [to] });
    }
  }
}

/** Paths, and the folders above them, by their ends. */
export class PathEnds {
  readonly #byName = new Map<string, Set<string>>();

  add(path: string): void {
    const name = baseOf(path);
    const same = this.#byName.get(name);
    if (same === undefined) this.#byName.set(name, new Set([path]));
    else same.add(path);
  }

  /** Whether there is a path with this end, in whatever folder: `docs/a.md` for `../docs/a.md`. */
  has(path: string): boolean {
    const end = path.replace(/^(?:\.{0,2}\/)+/, "").replace(/\/+$/, "");
    if (end.includes("./")) return true;
    for (const one of this.#byName.get(baseOf(end)) ?? []) if (one === end || one.endsWith(`/${end}`)) return true;
    return false;
  }
}

/** The deletions of a history, newest first, by path and by every folder above it. */
export class Deletions {
  readonly ends = new PathEnds();
  readonly #byPath = new Map<string, Deletion[]>();

  constructor(deletions: readonly Deletion[]) {
    for (const deletion of deletions)
      for (const path of withFolders(deletion.path)) {
        const list = this.#byPath.get(path);
        if (list === undefined) this.#byPath.set(path, [deletion]);
        else list.push(deletion);
        this.ends.add(path);
      }
  }

  /** The commit that deleted a file last; of a folder the one that deleted most of its files at once. */
  commitsOf(path: string, isFolder: boolean): string[] {
    const all = (this.#byPath.get(path) ?? []).filter((one) => isFolder || one.path === path);
    const counts = new Map<string, number>();
    for (const { commit } of all) counts.set(commit, (counts.get(commit) ?? 0) + 1);
    if (!isFolder) return [...counts.keys()].slice(0, 1);
    return [...counts]
      .sort(([, a], [, b]) => b - a)
      .map(([commit]) => commit)
      .slice(0, 1);
  }

  countOf(folder: string, commit: string): number {
    return (this.#byPath.get(folder) ?? []).filter((one) => one.commit === commit).length;
  }
}

function fileAfter(path: string, renames: readonly RenamedPath[]): string | undefined {
  const found = renames.find(({ from }) => from === path);
  const isSame = found !== undefined && (found.similarity >= LEAST_SIMILARITY || baseOf(found.to) === baseOf(path));
  return isSame ? found.to : undefined;
}

/** The folder that most of its files went to, each under the same name. */
function folderAfter(
  folder: string,
  [commit = ""]: readonly string[],
  { renames, deletions }: { renames: ReadonlyMap<string, RenamedPath[]>; deletions: Deletions },
): string | undefined {
  const votes = new Map<string, number>();
  for (const { from, to } of renames.get(commit) ?? []) {
    if (!from.startsWith(`${folder}/`)) continue;
    const below = from.slice(folder.length);
    const target = to.endsWith(below) ? to.slice(0, -below.length) : "";
    if (target !== "") votes.set(target, (votes.get(target) ?? 0) + 1);
  }
  const [best] = [...votes].sort(([, a], [, b]) => b - a);
  return best !== undefined && best[1] >= deletions.countOf(folder, commit) * LEAST_SHARE ? best[0] : undefined;
}
