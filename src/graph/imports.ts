import { byText } from "./order.js";
import { clike, csharp, swift } from "./resolve/clike.js";
import { dart } from "./resolve/dart.js";
import type { Family, MakeFamily, ResolverContext } from "./resolve/family.js";
import { baseOf, createFileIndex } from "./resolve/file-index.js";
import { go } from "./resolve/go.js";
import { hcl } from "./resolve/hcl.js";
import { javascript } from "./resolve/javascript.js";
import { jvm } from "./resolve/jvm.js";
import { lazily } from "./resolve/memo.js";
import { python } from "./resolve/python.js";
import { rust } from "./resolve/rust.js";
import { bash, lua, php, ruby } from "./resolve/scripts.js";

export type { ResolverContext } from "./resolve/family.js";

export interface Resolver {
  /**
   * The project's files that an import resolves to, sorted; empty if it is outside the project or unknown.
   * `specifiers` are needed where they can be modules of their own (`from . import x`, `use crate::{a, b}`).
   */
  resolve(fromPath: string, source: string, specifiers?: readonly string[]): string[];
  /** Other files whose names need no import, because they are in the same package. */
  samePackage(fromPath: string): string[];
}

/** A longer one is no name of a file or a module: some languages try every part of it. */
const MOST_SOURCE = 4_096;

const families: [extensions: string[], make: MakeFamily][] = [
  [["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "astro"], javascript],
  [["py", "pyi"], python],
  [["go"], go],
  [["rs"], rust],
  [["java", "kt", "kts", "scala", "sc", "groovy"], jvm],
  [["c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inl", "m", "mm"], clike],
  [["cs"], csharp],
  [["swift"], swift],
  [["rb", "rake", "gemspec"], ruby],
  [["php"], php],
  [["lua"], lua],
  [["sh", "bash"], bash],
  [["dart"], dart],
  [["tf", "tofu", "hcl"], hcl],
];

export function createResolver(files: Iterable<string>, context: ResolverContext = {}): Resolver {
  const index = createFileIndex(files);
  const readText = context.readText ?? (() => undefined);
  const byExtension = new Map<string, () => Family>();
  for (const [extensions, make] of families) {
    const family = lazily(() => make(index, readText));
    for (const extension of extensions) byExtension.set(extension, family);
  }
  const familyOf = (path: string) => byExtension.get(extensionOf(path))?.();

  return {
    resolve(fromPath, source, specifiers = []) {
      if (source.length > MOST_SOURCE) return [];
      const found = familyOf(fromPath)?.resolve({ from: fromPath, source, specifiers }) ?? [];
      return [...new Set(found)].filter((path) => path !== fromPath).sort(byText);
    },
    samePackage(fromPath) {
      const found = familyOf(fromPath)?.samePackage?.(fromPath) ?? [];
      return found.filter((path) => path !== fromPath);
    },
  };
}

function extensionOf(path: string): string {
  const base = baseOf(path);
  return base.slice(base.lastIndexOf(".") + 1).toLowerCase();
}
