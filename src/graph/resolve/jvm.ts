import type { MakeFamily } from "./family.js";
import { baseOf, dirOf, type FileIndex, nearest } from "./file-index.js";
import { lazily } from "./memo.js";

const extensions = [".java", ".kt", ".scala", ".groovy", ".kts", ".sc"];

type Stems = ReadonlyMap<string, readonly string[]>;

/** Java, Kotlin, Scala: the package is the end of the directory's path, the class is the file. */
export const jvm: MakeFamily = (index) => {
  const stems = lazily(() => filesByStem(index));
  return {
    resolve({ from, source, specifiers }) {
      const wildcard = /\.(?:\*|_)$/.test(source) || specifiers.some((name) => name === "*" || name === "_");
      const names = namesOf(source);
      if (names.length === 0) return [];
      // `import a.b.{C, D}` imports what it lists.
      const listed = specifiers.flatMap((name) => classFile(stems(), from, [...names, name.split(/\s/)[0] ?? ""]));
      if (listed.length > 0) return listed;
      const found = classFile(stems(), from, names);
      if (found.length > 0) return found;
      if (wildcard) return packageFiles(index, names);
      // `import static a.B.c`, `import a.B.Inner`: drop the names inside the class. A package is no class.
      const outer = names.slice(0, -1);
      return outer.length > 1 && /^\p{Lu}/u.test(outer.at(-1) ?? "") ? classFile(stems(), from, outer) : [];
    },
    samePackage: (from) => index.filesIn(dirOf(from)).filter(isSource),
  };
};

function isSource(path: string): boolean {
  return extensions.some((ending) => path.endsWith(ending));
}

function filesByStem(index: FileIndex): Stems {
  const stems = new Map<string, string[]>();
  for (const path of index.files.filter(isSource)) {
    const base = baseOf(path);
    const stem = base.slice(0, base.lastIndexOf("."));
    const known = stems.get(stem);
    if (known) known.push(path);
    else stems.set(stem, [path]);
  }
  return stems;
}

/** `import static a.b.C.*;` → a, b, C. */
function namesOf(source: string): string[] {
  const plain = source.replace(/^(?:import\s+)?(?:static\s+)?/, "").split(/[\s;]/)[0] ?? "";
  return plain
    .replace(/\.(?:\*|_)$/, "")
    .split(".")
    .filter(Boolean);
}

function classFile(stems: Stems, from: string, names: readonly string[]): string[] {
  const candidates = stems.get(names.at(-1) ?? "");
  const parent = names.at(-2);
  if (candidates === undefined || parent === undefined) return [];
  const dir = names.slice(0, -1).join("/");
  const exact = candidates.filter((path) => `/${dirOf(path)}`.endsWith(`/${dir}`));
  if (exact.length > 0) return nearest(from, exact);
  // Kotlin and Scala projects often omit the common start of the package in their folders.
  const shortened = candidates.filter((path) => !path.endsWith(".java") && baseOf(dirOf(path)) === parent);
  return nearest(from, shortened);
}

function packageFiles(index: FileIndex, names: readonly string[]): string[] {
  return index
    .dirsEndingWith(names.join("/"))
    .flatMap((dir) => index.filesIn(dir))
    .filter(isSource);
}
