import type { MakeFamily } from "./family.js";
import { baseOf, dirOf, type FileIndex, joinInside, nearest } from "./file-index.js";
import { lazily } from "./memo.js";

/** C and C++: relative to the including file, then by the end of the path, as with include directories. */
export const clike: MakeFamily = (index) => ({
  resolve({ from, source }) {
    const name = source.trim().replace(/^["<]|[">]$/g, "");
    if (name === "") return [];
    const beside = joinInside(dirOf(from), name);
    if (beside !== undefined && index.has(beside)) return [beside];
    return nearest(from, index.endingWith(name.replace(/^(?:\.\.?\/)+/, "")));
  },
});

/** C#: a namespace is a project's name and the folders below it. */
export const csharp: MakeFamily = (index) => {
  const projects = lazily(() => readProjects(index));
  const isSource = (path: string) => path.endsWith(".cs");

  return {
    resolve({ source }) {
      const namespace = source
        .replace(/^(?:global\s+)?using\s+(?:static\s+)?/, "")
        .replace(/^global::/, "")
        .replace(/;$/, "")
        .trim();
      for (const { name, dir } of projects()) {
        if (namespace !== name && !namespace.startsWith(`${name}.`)) continue;
        const folders = namespace.slice(name.length).replaceAll(".", "/");
        const found = index.filesIn(joinInside(dir, `./${folders}`) ?? dir).filter(isSource);
        if (found.length > 0) return found;
      }
      const path = namespace.replaceAll(".", "/");
      const dirs = path.includes("/") ? index.dirsEndingWith(path) : [];
      return dirs.flatMap((dir) => index.filesIn(dir)).filter(isSource);
    },
    samePackage: (from) => index.filesIn(dirOf(from)).filter(isSource),
  };
};

function readProjects(index: FileIndex): { name: string; dir: string }[] {
  return index.files
    .filter((path) => path.endsWith(".csproj"))
    .map((path) => ({ name: baseOf(path).replace(/\.csproj$/, ""), dir: dirOf(path) }))
    .sort((a, b) => b.name.length - a.name.length);
}

/** Swift: names are visible in the whole target, which is a folder below Sources; imports name other targets. */
export const swift: MakeFamily = (index) => ({
  // An edge to every file of a module would carry no information.
  resolve: () => [],
  samePackage: (from) => index.filesIn(dirOf(from)).filter((path) => path.endsWith(".swift")),
});
