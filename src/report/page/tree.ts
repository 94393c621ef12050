import { type ReportFile, SHADES, type Shade } from "../types.js";

export interface Leaf {
  kind: "file";
  name: string;
  path: string;
  parent: Folder;
  file: ReportFile;
}

export interface Folder {
  kind: "folder";
  /** Several names joined by slashes if each folder contains only the next one. */
  name: string;
  path: string;
  parent: Folder | null;
  children: TreeItem[];
  counts: Record<Shade, number>;
  files: number;
  bytes: number;
}

export type TreeItem = Folder | Leaf;

export interface Tree {
  root: Folder;
  /** In the order of the report's files. */
  leaves: Leaf[];
}

function folder(name: string, path: string, parent: Folder | null): Folder {
  const counts = Object.fromEntries(SHADES.map((shade) => [shade, 0])) as Record<Shade, number>;
  return { kind: "folder", name, path, parent, children: [], counts, files: 0, bytes: 0 };
}

/** Finds folders by their whole path, in a map: names like `__proto__` are safe. */
export function buildTree(files: readonly ReportFile[], name: string): Tree {
  const root = folder(name, "", null);
  const folders = new Map<string, Folder>([["", root]]);
  const folderOf = (path: string): Folder => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const slash = path.lastIndexOf("/");
    const parent = folderOf(slash < 0 ? "" : path.slice(0, slash));
    const made = folder(path.slice(slash + 1), path, parent);
    parent.children.push(made);
    folders.set(path, made);
    return made;
  };
  const leaves = files.map((file): Leaf => {
    const slash = file.path.lastIndexOf("/");
    const parent = folderOf(slash < 0 ? "" : file.path.slice(0, slash));
    const leaf: Leaf = { kind: "file", name: file.path.slice(slash + 1), path: file.path, parent, file };
    parent.children.push(leaf);
    return leaf;
  });
  for (const { file, parent } of leaves) addUp(parent, file);
  foldChains(root);
  return { root, leaves };
}

function addUp(from: Folder, file: ReportFile): void {
  for (let at: Folder | null = from; at !== null; at = at.parent) {
    at.counts[file.drift]++;
    at.files++;
    at.bytes += file.bytes ?? 0;
  }
}

/** `src` › `main` › `java` that contain only each other are shown as one step. */
function foldChains(at: Folder): void {
  at.children.forEach((child, index) => {
    if (child.kind === "file") return;
    let last = child;
    for (let only = last.children[0]; last.children.length === 1 && only?.kind === "folder"; only = last.children[0]) {
      only.name = `${last.name}/${only.name}`;
      only.parent = at;
      last = only;
    }
    at.children[index] = last;
    foldChains(last);
  });
}

/** The folders from the root down to this one. */
export function trail(to: Folder): Folder[] {
  return to.parent === null ? [to] : [...trail(to.parent), to];
}

export function* leavesOf(item: TreeItem): Generator<Leaf> {
  if (item.kind === "file") yield item;
  else for (const child of item.children) yield* leavesOf(child);
}

/** How important each shade is; a folder that is too small to be opened shows its worst. */
const WEIGHT: Record<Shade, number> = {
  ...{ none: 0, cosmetic: 1, body: 2, unknown: 3, behaviour: 4 },
  ...{ gone: 5, new: 6, interface: 7 },
};

export function worst(counts: Readonly<Record<Shade, number>>): Shade {
  const there = SHADES.filter((shade) => counts[shade] > 0);
  return there.sort((a, b) => WEIGHT[b] - WEIGHT[a])[0] ?? "none";
}

export function byUrgency(a: Leaf, b: Leaf): number {
  return WEIGHT[b.file.drift] - WEIGHT[a.file.drift] || (a.path < b.path ? -1 : 1);
}
