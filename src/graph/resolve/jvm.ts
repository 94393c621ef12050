import type { MakeFamily } from "./family.js";
import { baseOf, dirOf, type FileIndex, nearest } from "./file-index.js";

const extensions = [".java", ".kt", ".scala", ".groovy", ".kts", ".sc"];

/** Java, Kotlin, Scala: the package is the end of the directory's path, the class is the file. */
export const jvm: MakeFamily = (index) => ({
  resolve({ from, source, specifiers }) {
    const wildcard = /\.(?:\*|_)$/.test(source) || specifiers.some((name) => name === "*" || name === "_");
    const names = source
      .replace(/^(?:import\s+)?(?:static\s+)?/, "")
      .replace(/\.(?:\*|_)$/, "")
      .split(/\s/)[0]
      ?.replace(/;$/, "")
      .split(".")
      .filter(Boolean);
    if (names === undefined || names.length === 0) return [];
    // `import a.b.{C, D}` brings what it lists.
    const listed = specifiers.flatMap((name) => classFile(index, from, [...names, name.split(/\s/)[0] ?? ""]));
    if (listed.length > 0) return listed;
    const found = classFile(index, from, names);
    if (found.length > 0) return found;
    if (wildcard) return packageFiles(index, names);
    // `import static a.B.c`, `import a.B.Inner`: drop what stands inside the class.
    return names.length > 2 ? classFile(index, from, names.slice(0, -1), true) : [];
  },
  samePackage: (from) =>
    index.filesIn(dirOf(from)).filter((path) => extensions.some((ending) => path.endsWith(ending))),
});

function classFile(index: FileIndex, from: string, names: readonly string[], classOnly = false): string[] {
  const last = names.at(-1) ?? "";
  // A package is no class: without this, `a.b.function` would be looked for in a file named b.
  if (classOnly && !/^\p{Lu}/u.test(last)) return [];
  const exact = extensions.flatMap((ending) => index.endingWith(names.join("/") + ending));
  if (exact.length > 0) return nearest(from, exact);
  // Kotlin projects often leave the common start of the package out of the folders.
  const parent = names.at(-2);
  if (parent === undefined) return [];
  const shortened = [".kt", ".scala"].flatMap((ending) => index.named(last + ending));
  return nearest(
    from,
    shortened.filter((path) => baseOf(dirOf(path)) === parent),
  );
}

function packageFiles(index: FileIndex, names: readonly string[]): string[] {
  return index
    .dirsEndingWith(names.join("/"))
    .flatMap((dir) => index.filesIn(dir))
    .filter((path) => extensions.some((ending) => path.endsWith(ending)));
}
