import type { MakeFamily } from "./family.js";
import { dirOf, type FileIndex, upwards } from "./file-index.js";
import { lazily } from "./memo.js";

const join = (dir: string, rest: string) => (dir === "" ? rest : rest === "" ? dir : `${dir}/${rest}`);

/** Python: dotted names from a source root, or leading dots from the importing file's package. */
export const python: MakeFamily = (index) => {
  const roots = lazily(() => rootsByTopName(index));

  return {
    resolve({ from, source, specifiers }) {
      const dots = /^\.*/.exec(source)?.[0].length ?? 0;
      const names = source.slice(dots).split(".").filter(Boolean);
      const bases = dots > 0 ? packageAbove(dirOf(from), dots - 1) : rootsFor(index, roots(), from, names);
      for (const base of bases) {
        const found = modulesAt(index, base, names, specifiers);
        if (found.length > 0) return found;
      }
      return [];
    },
  };
};

function packageAbove(dir: string, levels: number): string[] {
  const above = upwards(dir)[levels];
  return above === undefined ? [] : [above];
}

/** The module with this name, and its imported submodules. */
function modulesAt(index: FileIndex, base: string, names: readonly string[], specifiers: readonly string[]): string[] {
  const at = join(base, names.join("/"));
  const own = moduleFile(index, at);
  const below = specifiers
    .filter((name) => /^[\p{L}\p{N}_]+/u.test(name))
    .map((name) => moduleFile(index, join(at, name.split(/\s/)[0] ?? "")))
    .filter((path) => path !== undefined);
  const found = [...(own === undefined ? [] : [own]), ...below];
  if (found.length > 0 || names.length < 2) return found;
  // `import a.b.C` names a symbol inside a.b.
  const outer = moduleFile(index, join(base, names.slice(0, -1).join("/")));
  return outer === undefined ? [] : [outer];
}

function moduleFile(index: FileIndex, path: string): string | undefined {
  const files = path === "" ? [] : [`${path}.py`, `${path}.pyi`];
  return [...files, join(path, "__init__.py"), join(path, "__init__.pyi")].find(index.has);
}

/** A root is a directory that is not a package itself: its contents can be imported by their bare names. */
function rootsByTopName(index: FileIndex): Map<string, string[]> {
  const roots = new Map<string, Set<string>>();
  const isPackage = (dir: string) => index.has(join(dir, "__init__.py"));
  for (const file of index.files) {
    if (!/\.pyi?$/.test(file)) continue;
    let name = file.slice(file.lastIndexOf("/") + 1).replace(/\.pyi?$/, "");
    for (const dir of upwards(dirOf(file))) {
      if (!isPackage(dir)) {
        const known = roots.get(name);
        if (known) known.add(dir);
        else roots.set(name, new Set([dir]));
      }
      name = dir.slice(dir.lastIndexOf("/") + 1);
    }
  }
  return new Map([...roots].map(([name, dirs]) => [name, [...dirs]]));
}

/** Roots above the importing file first, nearest first; then the outermost of the others. */
function rootsFor(index: FileIndex, roots: Map<string, string[]>, from: string, names: readonly string[]): string[] {
  const topName = names[0] ?? "";
  const known = roots.get(topName) ?? [];
  const above = upwards(dirOf(from)).filter((dir) => known.includes(dir));
  const depth = (dir: string) => (dir === "" ? 0 : dir.split("/").length);
  // `import types` does not mean a single `types.py` in some other folder; a package or a source folder is likely.
  const isLikely = (dir: string) =>
    names.length > 1 || index.has(join(dir, `${topName}/__init__.py`)) || /(?:^|\/)(?:src|lib|python)$/.test(dir);
  const others = known.filter((dir) => !above.includes(dir) && isLikely(dir)).sort((a, b) => depth(a) - depth(b));
  return [...above, ...others];
}
