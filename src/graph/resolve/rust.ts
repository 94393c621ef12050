import type { MakeFamily } from "./family.js";
import { baseOf, dirOf, type FileIndex, upwards } from "./file-index.js";
import { lazily } from "./memo.js";

const below = (dir: string, rest: string) => (dir === "" ? rest : `${dir}/${rest}`);

/** Position of a file's module: the crate's directory, and the directory of its child modules. */
interface ModulePosition {
  crateDir: string;
  childDir: string;
}

/** Rust: `mod x;`, `use crate::…`, `super::…`, `self::…`, and other crates of the workspace by their name. */
export const rust: MakeFamily = (index, readText) => {
  const crates = lazily(() => readCrates(index, readText));

  return {
    resolve({ from, source, specifiers }) {
      const position = positionOf(index, from);
      const names = source
        .replace(/^(?:pub(?:\([^)]*\))?\s+)?(?:mod|use|extern\s+crate)\s+/, "")
        .replace(/[;{].*$/s, "")
        .split("::")
        .map((name) => name.trim().replace(/^r#/, ""))
        .filter((name) => name !== "" && name !== "*");
      const { base, rest, known } = startOf(position, names, crates());
      if (base === undefined) return [];
      const taken = specifiers.map((name) => name.split(/::|\s/)[0] ?? "").filter((name) => /^\w+$/.test(name));
      const paths = taken.length === 0 ? [rest] : taken.map((name) => (name === "self" ? rest : [...rest, name]));
      return paths.flatMap((path) => moduleFile(index, base, path) ?? (known ? (moduleRoot(index, base) ?? []) : []));
    },
  };
};

function positionOf(index: FileIndex, from: string): ModulePosition {
  const dir = dirOf(from);
  const base = baseOf(from);
  const crateDir = upwards(dir).find((at) => index.has(below(at, "lib.rs")) || index.has(below(at, "main.rs"))) ?? dir;
  const isRoot = ["mod.rs", "lib.rs", "main.rs", "build.rs"].includes(base) || isOwnCrate(dir);
  return { crateDir: isOwnCrate(dir) ? dir : crateDir, childDir: isRoot ? dir : below(dir, base.replace(/\.rs$/, "")) };
}

/** Every file directly in these folders is a separate crate. */
function isOwnCrate(dir: string): boolean {
  return /(?:^|\/)(?:tests|examples|benches|src\/bin)$/.test(dir);
}

/** Where to search: the directory, the remaining names, and whether they certainly belong to this project. */
interface Start {
  base: string | undefined;
  rest: readonly string[];
  known: boolean;
}

function startOf(
  { crateDir, childDir }: ModulePosition,
  names: readonly string[],
  crates: ReadonlyMap<string, string>,
): Start {
  const [first, ...rest] = names;
  if (first === undefined) return { base: undefined, rest, known: false };
  if (first === "crate") return { base: crateDir, rest, known: true };
  if (first === "self") return { base: childDir, rest, known: true };
  if (first === "super") {
    const other = names.findIndex((name) => name !== "super");
    const count = other < 0 ? names.length : other;
    return { base: upwards(childDir)[count], rest: names.slice(count), known: true };
  }
  const crate = crates.get(first);
  // A bare name is a child module or an external crate.
  return crate === undefined ? { base: childDir, rest: names, known: false } : { base: crate, rest, known: true };
}

/** The longest part of the path that is a file; the remaining names are items inside it. */
function moduleFile(index: FileIndex, base: string, names: readonly string[]): string | undefined {
  for (let count = names.length; count > 0; count--) {
    const path = below(base, names.slice(0, count).join("/"));
    const found = [`${path}.rs`, `${path}/mod.rs`].find(index.has);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The file of the module whose children are in this directory. */
function moduleRoot(index: FileIndex, dir: string): string | undefined {
  return [...["mod.rs", "lib.rs", "main.rs"].map((name) => below(dir, name)), `${dir}.rs`].find(index.has);
}

/** `name = "my-crate"` in Cargo.toml is `my_crate` in the code. */
function readCrates(index: FileIndex, readText: (path: string) => string | undefined): Map<string, string> {
  const crates = new Map<string, string>();
  for (const file of index.files) {
    if (baseOf(file) !== "Cargo.toml") continue;
    const section = /^\[package\]([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(readText(file) ?? "")?.[1];
    const name = /^[ \t]*name[ \t]*=[ \t]*"([^"\n]+)"/m.exec(section ?? "")?.[1];
    if (name !== undefined) crates.set(name.replaceAll("-", "_"), below(dirOf(file), "src"));
  }
  return crates;
}
