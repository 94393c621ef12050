import type { MakeFamily } from "./family.js";
import { baseOf, dirOf, type FileIndex, upwards } from "./file-index.js";
import { lazily } from "./memo.js";

const below = (dir: string, rest: string) => (dir === "" ? rest : `${dir}/${rest}`);

/** Where a file's module stands: the crate's directory, and the directory that holds its child modules. */
interface Position {
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
      const [base, rest] = startOf(position, names, crates());
      if (base === undefined) return [];
      const taken = specifiers.map((name) => name.split(/::|\s/)[0] ?? "").filter((name) => /^\w+$/.test(name));
      const paths = taken.length === 0 ? [rest] : taken.map((name) => (name === "self" ? rest : [...rest, name]));
      return paths.flatMap((path) => moduleFile(index, base, path) ?? []);
    },
  };
};

function positionOf(index: FileIndex, from: string): Position {
  const dir = dirOf(from);
  const base = baseOf(from);
  const crateDir = upwards(dir).find((at) => index.has(below(at, "lib.rs")) || index.has(below(at, "main.rs"))) ?? dir;
  const isRoot = ["mod.rs", "lib.rs", "main.rs", "build.rs"].includes(base) || isOwnCrate(dir);
  return { crateDir: isOwnCrate(dir) ? dir : crateDir, childDir: isRoot ? dir : below(dir, base.replace(/\.rs$/, "")) };
}

/** Every file directly in these folders is a crate of its own. */
function isOwnCrate(dir: string): boolean {
  return /(?:^|\/)(?:tests|examples|benches|src\/bin)$/.test(dir);
}

/** The directory that the names start from, and the names that are left. */
function startOf(
  { crateDir, childDir }: Position,
  names: readonly string[],
  crates: ReadonlyMap<string, string>,
): [base: string | undefined, rest: string[]] {
  const [first, ...rest] = names;
  if (first === undefined) return [undefined, []];
  if (first === "crate") return [crateDir, rest];
  if (first === "self") return [childDir, rest];
  if (first === "super") {
    const ups = names.findIndex((name) => name !== "super");
    const count = ups < 0 ? names.length : ups;
    return [upwards(childDir)[count], names.slice(count)];
  }
  const crate = crates.get(first);
  return crate === undefined ? [childDir, [...names]] : [crate, rest];
}

/** The longest part of the path that is a file; what remains are items inside it. */
function moduleFile(index: FileIndex, base: string, names: readonly string[]): string | undefined {
  for (let count = names.length; count > 0; count--) {
    const path = below(base, names.slice(0, count).join("/"));
    const found = [`${path}.rs`, `${path}/mod.rs`].find(index.has);
    if (found !== undefined) return found;
  }
  const own = ["mod.rs", "lib.rs", "main.rs"].map((name) => below(base, name));
  return [...own, `${base}.rs`].find(index.has);
}

/** `name = "my-crate"` in Cargo.toml is `my_crate` in the code. */
function readCrates(index: FileIndex, readText: (path: string) => string | undefined): Map<string, string> {
  const crates = new Map<string, string>();
  for (const file of index.files) {
    if (baseOf(file) !== "Cargo.toml") continue;
    const section = /^\[package\]([\s\S]*?)(?=^\[|(?![\s\S]))/m.exec(readText(file) ?? "")?.[1];
    const name = /^\s*name\s*=\s*"([^"]+)"/m.exec(section ?? "")?.[1];
    if (name !== undefined) crates.set(name.replaceAll("-", "_"), below(dirOf(file), "src"));
  }
  return crates;
}
