import type { MakeFamily } from "./family.js";
import { dirOf, type FileIndex, joinInside, upwards } from "./file-index.js";
import { createPackages } from "./packages.js";
import { fillStar, matchStar } from "./patterns.js";
import { createTsconfigs } from "./tsconfig.js";

const extensions = [".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte"];

/** TypeScript files are imported under their compiled name. */
const compiledFrom: [compiled: string, sources: string[]][] = [
  [".js", [".ts", ".tsx", ".d.ts", ".jsx"]],
  [".jsx", [".tsx"]],
  [".mjs", [".mts", ".d.mts"]],
  [".cjs", [".cts", ".d.cts"]],
];

/** TypeScript and JavaScript, and component files that contain them. */
export const javascript: MakeFamily = (index, readText) => {
  const tsconfigs = createTsconfigs(index, readText);
  const packages = createPackages(index, readText);
  const first = (candidates: readonly string[]) => {
    for (const candidate of candidates) {
      const found = fileAt(index, candidate);
      if (found !== undefined) return [found];
    }
    return [];
  };

  return {
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the steps of Node's resolution algorithm, in its order
    resolve({ from, source }) {
      // Bundlers accept `./icon.svg?url`; the file name is the part before `?`.
      const specifier = source.replace(/\?.*$/, "");
      if (specifier === "") return [];
      const dir = dirOf(from);
      if (/^\.\.?(?:\/|$)/.test(specifier)) {
        const path = joinInside(dir, specifier);
        return path === undefined ? [] : first([path]);
      }
      if (specifier.startsWith("#")) {
        const internal = first(packages.internal(dir, specifier));
        if (internal.length > 0) return internal;
      }
      for (const at of upwards(dir)) {
        for (const { baseUrl, paths } of tsconfigs(at)) {
          const match = paths === undefined ? undefined : matchStar(paths, specifier);
          const mapped = first(match ? match.value.flatMap((target) => fillStar(target, match.rest)) : []);
          if (mapped.length > 0) return mapped;
          const based = baseUrl === undefined ? undefined : joinInside(baseUrl, specifier);
          const found = first(based === undefined ? [] : [based]);
          if (found.length > 0) return found;
        }
      }
      return first(packages.workspace(specifier));
    },
  };
};

function fileAt(index: FileIndex, path: string): string | undefined {
  if (path !== "") {
    for (const [compiled, sources] of compiledFrom) {
      if (!path.endsWith(compiled)) continue;
      const stem = path.slice(0, -compiled.length);
      const source = sources.map((extension) => stem + extension).find(index.has);
      if (source !== undefined) return source;
    }
    if (index.has(path)) return path;
    const extended = extensions.map((extension) => path + extension).find(index.has);
    if (extended !== undefined) return extended;
  }
  const inside = path === "" ? "index" : `${path}/index`;
  return extensions.map((extension) => inside + extension).find(index.has);
}
