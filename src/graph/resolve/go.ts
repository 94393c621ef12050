import type { MakeFamily } from "./family.js";
import { baseOf, dirOf, type FileIndex, joinInside } from "./file-index.js";
import { lazily } from "./memo.js";

/** A module path, or the path that a `replace` maps to a local copy, with its directory. */
interface Module {
  path: string;
  dir: string;
}

/** Go: an import names a package, which is all files of a directory, found through the module path of go.mod. */
export const go: MakeFamily = (index, readText) => {
  const modules = lazily(() => readModules(index, readText));
  const isSource = (path: string) => path.endsWith(".go") && !path.endsWith("_test.go");

  return {
    resolve({ source }) {
      const path = source.replace(/^["`]|["`]$/g, "");
      const module = modules().find((known) => path === known.path || path.startsWith(`${known.path}/`));
      const dir = module && joinInside(module.dir, `./${path.slice(module.path.length)}`);
      return dir === undefined ? [] : index.filesIn(dir).filter(isSource);
    },
    samePackage: (from) => index.filesIn(dirOf(from)).filter((path) => path.endsWith(".go")),
  };
};

/** The longest path first: a nested module owns its packages. */
function readModules(index: FileIndex, readText: (path: string) => string | undefined): Module[] {
  const found: Module[] = [];
  for (const file of index.files) {
    if (baseOf(file) !== "go.mod") continue;
    const text = (readText(file) ?? "").replace(/\/\/.*$/gm, "");
    const dir = dirOf(file);
    const path = /^\s*module\s+"?([^\s"]+)"?/m.exec(text)?.[1];
    if (path !== undefined) found.push({ path, dir });
    // replace example.com/old [v1.2.3] => ../local
    for (const [, old = "", local = ""] of text.matchAll(/([^\s(]+)(?:\s+v[^\s]+)?\s+=>\s+(\.{1,2}\/[^\s]*)/g)) {
      const at = joinInside(dir, local);
      if (at !== undefined) found.push({ path: old, dir: at });
    }
  }
  return found.sort((a, b) => b.path.length - a.path.length);
}
