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

/** `[replace] example.com/old [v1.2.3] => ../local`. */
function readReplacement(line: string): { path: string; local: string } | undefined {
  const words = line.trim().split(/[\s(]+/);
  const arrow = words.indexOf("=>");
  const local = words[arrow + 1] ?? "";
  const path = words[/^v\d/.test(words[arrow - 1] ?? "") ? arrow - 2 : arrow - 1];
  return arrow > 0 && path !== undefined && /^\.{1,2}\//.test(local) ? { path, local } : undefined;
}

/** The longest path first: a nested module owns its packages. */
function readModules(index: FileIndex, readText: (path: string) => string | undefined): Module[] {
  const found: Module[] = [];
  for (const file of index.files) {
    if (baseOf(file) !== "go.mod") continue;
    const text = (readText(file) ?? "").replace(/\/\/.*$/gm, "");
    const dir = dirOf(file);
    const path = /^[ \t]*module[ \t]+"?([^\s"]+)/m.exec(text)?.[1];
    if (path !== undefined) found.push({ path, dir });
    for (const line of text.split("\n")) {
      const replaced = readReplacement(line);
      const at = replaced === undefined ? undefined : joinInside(dir, replaced.local);
      if (replaced !== undefined && at !== undefined) found.push({ path: replaced.path, dir: at });
    }
  }
  return found.sort((a, b) => b.path.length - a.path.length);
}
