import type { MakeFamily } from "./family.js";
import { baseOf, dirOf, type FileIndex, joinInside, nearest, upwards } from "./file-index.js";
import { asObject, asStrings, parseJsonc } from "./jsonc.js";
import { lazily } from "./memo.js";

/** The first extension with which the path exists. */
function existing(index: FileIndex, path: string | undefined, endings: readonly string[]): string[] {
  if (path === undefined) return [];
  const found = endings.map((ending) => path + ending).find(index.has);
  return found === undefined ? [] : [found];
}

function firstFound(...tries: (() => string[])[]): string[] {
  for (const attempt of tries) {
    const found = attempt();
    if (found.length > 0) return found;
  }
  return [];
}

/** Ruby: require_relative from the file, require from a load path. */
export const ruby: MakeFamily = (index) => ({
  resolve({ from, source }) {
    const endings = ["", ".rb"];
    const relative = () => existing(index, joinInside(dirOf(from), source), endings);
    if (/^\.\.?\//.test(source)) return relative();
    const suffix = source.replace(/\.rb$/, "");
    // `json` of a gem is not any json.rb: only folders that Ruby or Rails put on the load path count.
    const onLoadPath = () => {
      const found = index.endingWith(`${suffix}.rb`);
      return found.filter((path) => /(?:^|\/)(?:lib|app\/\w+|src|spec|test)$/.test(path.slice(0, -suffix.length - 4)));
    };
    return firstFound(() => nearest(from, onLoadPath()), relative);
  },
});

/** PHP: `require` by path; `use` through composer's psr-4 roots, then by the end of the path. */
export const php: MakeFamily = (index, readText) => {
  const roots = lazily(() => readPsr4(index, readText));
  return {
    resolve({ from, source }) {
      if (/\.(?:php|inc)$/i.test(source)) {
        const path = source.replace(/^.*__DIR__\s*\.\s*/, "").replace(/^['"]?\/*/, "");
        return firstFound(
          () => existing(index, joinInside(dirOf(from), path), [""]),
          () => nearest(from, index.endingWith(path.replace(/^(?:\.\.?\/)+/, ""))),
        );
      }
      const name = source.replace(/^\\/, "").split(/\s/)[0] ?? "";
      const mapped = () =>
        roots()
          .filter(({ prefix }) => name.startsWith(prefix))
          .flatMap(({ prefix, dir }) =>
            existing(index, joinInside(dir, name.slice(prefix.length).replaceAll("\\", "/")), [".php"]),
          )
          .slice(0, 1);
      return firstFound(mapped, () => bySuffix(index, from, name.split("\\"), ".php"));
    },
    samePackage: (from) => index.filesIn(dirOf(from)).filter((path) => path.endsWith(".php")),
  };
};

function readPsr4(index: FileIndex, readText: (path: string) => string | undefined) {
  return index.files
    .filter((path) => baseOf(path) === "composer.json")
    .flatMap((path) => {
      const manifest = asObject(parseJsonc(readText(path) ?? ""));
      return [manifest?.autoload, manifest?.["autoload-dev"]].flatMap((section) =>
        Object.entries(asObject(asObject(section)?.["psr-4"]) ?? {}).flatMap(([prefix, dirs]) =>
          asStrings(dirs).map((dir) => ({ prefix, dir: joinInside(dirOf(path), dir) ?? "" })),
        ),
      );
    })
    .sort((a, b) => b.prefix.length - a.prefix.length);
}

/** No project has folders in folders in folders so deep. */
const MOST_FOLDERS = 64;

/** The path without its first parts, down to one folder: `App\Models\User` → Models/User.php. */
function bySuffix(index: FileIndex, from: string, names: readonly string[], ending: string): string[] {
  for (let start = Math.max(0, names.length - MOST_FOLDERS); start < names.length - 1; start++) {
    const found = index.endingWith(names.slice(start).join("/") + ending);
    if (found.length > 0) return nearest(from, found);
  }
  return [];
}

/** Lua: dots are folders, from the root, from a parent folder, or from the folders of package.path. */
export const lua: MakeFamily = (index) => ({
  resolve({ from, source }) {
    const path = source.replace(/\.lua$/, "").replaceAll(".", "/");
    const endings = [".lua", "/init.lua"];
    const places = upwards(dirOf(from)).map((dir) => () => existing(index, joinInside(dir, path), endings));
    return firstFound(...places, () =>
      path.includes("/")
        ? nearest(
            from,
            endings.flatMap((ending) => index.endingWith(path + ending)),
          )
        : [],
    );
  },
});

/** Bash: `source` of a path; a variable or $(dirname …) at the start is an unknown directory. */
export const bash: MakeFamily = (index) => ({
  resolve({ from, source }) {
    const written = source.replace(/["']/g, "");
    const path = written.replace(/^(?:\$\(.*\)|\$\{[^}]*\}|\$\w+|`.*`)\/*/, "");
    if (path === "" || path.includes("$") || path.startsWith("/")) return [];
    const places = upwards(dirOf(from)).map((dir) => () => existing(index, joinInside(dir, path), [""]));
    const anywhere = () => nearest(from, index.endingWith(path.replace(/^(?:\.\.?\/)+/, "")));
    return path === written ? firstFound(...places) : firstFound(...places, anywhere);
  },
});
