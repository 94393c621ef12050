import type { FileFingerprint } from "../fingerprint/types.js";
import { CompactCache } from "./compact-cache.js";
import { symbolId } from "./ids.js";
import type { Resolver } from "./imports.js";
import { byText } from "./order.js";
import { symbolTypes } from "./symbols.js";

/**
 * Lookups over all files for creating the edges of one file. Results are cached, so it is valid for one set of files
 * only.
 */
export interface EdgeContext {
  readonly resolver: Resolver;
  paths(): Iterable<string>;
  fingerprintOf(path: string): FileFingerprint | undefined;
  hasFile(path: string): boolean;
  /** For each import of a file, in order, the files that it resolves to. */
  targetsOf(path: string, fp: FileFingerprint): readonly (readonly string[])[];
  /** The node of a class; undefined if the file has none of that name. */
  classIn(path: string, name: string): string | undefined;
  samePackage(path: string): readonly string[];
  /** The node of a function or class; undefined if the file has none of that name, or both a function and a class. */
  symbolIn(path: string, name: string): string | undefined;
  /** The nodes of that name in files that need no import. */
  symbolsInPackage(path: string, name: string): readonly string[];
  /** What `find` says of a called name in a file; asked once for each name. */
  called(fp: FileFingerprint, name: string, find: () => readonly string[]): readonly string[];
}

type Symbols = ReadonlyMap<string, string | undefined>;

export function edgeContext(fingerprints: ReadonlyMap<string, FileFingerprint>, resolver: Resolver): EdgeContext {
  const targets = new WeakMap<FileFingerprint, string[][]>();
  const classes = new WeakMap<FileFingerprint, ReadonlyMap<string, string>>();
  const symbols = new CompactCache<Symbols>({
    toList: (table) => [...table],
    fromList: (list) => new Map((list as [string, string | null][]).map(([name, id]) => [name, id ?? undefined])),
  });
  const symbolsAt = (path: string) => symbols.get(path, () => symbolTable(path, fingerprints.get(path)));
  const packages = new PackageTables(symbolsAt);
  const calls = new WeakMap<FileFingerprint, Map<string, readonly string[]>>();
  return {
    resolver,
    paths: () => fingerprints.keys(),
    fingerprintOf: (path) => fingerprints.get(path),
    hasFile: (path) => fingerprints.has(path),
    targetsOf(path, fp) {
      const known = targets.get(fp);
      if (known !== undefined) return known;
      const made = fp.imports.map(({ source, specifiers }) => resolver.resolve(path, source, specifiers));
      targets.set(fp, made);
      return made;
    },
    classIn(path, name) {
      const fp = fingerprints.get(path);
      if (fp === undefined) return undefined;
      const known = classes.get(fp) ?? classTable(path, fp);
      classes.set(fp, known);
      return known.get(name);
    },
    samePackage: (path) => resolver.samePackage(path),
    called(fp, name, find) {
      const known = calls.get(fp) ?? new Map<string, readonly string[]>();
      calls.set(fp, known);
      const found = known.get(name) ?? find();
      known.set(name, found);
      return found;
    },
    symbolIn: (path, name) => symbolsAt(path).get(name),
    symbolsInPackage(path, name) {
      const others = resolver.samePackage(path);
      if (others.length === 0) return [];
      const own = symbolsAt(path).get(name);
      return (packages.of(path, others).get(name) ?? []).filter((id) => id !== own);
    },
  };
}

function classTable(path: string, fp: FileFingerprint): Map<string, string> {
  const typeOf = symbolTypes(path, fp);
  return new Map(fp.classes.map(({ name }) => [name, symbolId(typeOf("class", name), path, name)]));
}

function symbolTable(path: string, fp: FileFingerprint | undefined): Symbols {
  if (fp === undefined) return new Map();
  const table = new Map<string, string | undefined>(classTable(path, fp));
  const typeOf = symbolTypes(path, fp);
  for (const { name } of fp.functions) {
    const id = symbolId(typeOf("function", name), path, name);
    table.set(name, table.has(name) && table.get(name) !== id ? undefined : id);
  }
  return lua(table, fp);
}

/** The members of the table that a Lua file returns are called through that table's name. */
function lua(table: Map<string, string | undefined>, fp: FileFingerprint): Symbols {
  for (const exported of fp.exports) {
    const returned = /^return (\S+)$/.exec(exported)?.[1];
    if (returned === undefined) continue;
    for (const [name, id] of [...table]) {
      const member = name.startsWith(`${returned}.`) ? name.slice(returned.length + 1) : "";
      if (member !== "" && !table.has(member)) table.set(member, id);
    }
  }
  return table;
}

type PackageTable = ReadonlyMap<string, readonly string[]>;

/** Files are asked for in the order of paths, so that few packages are in use at a time. */
const MOST_PACKAGES = 16;

class PackageTables {
  readonly #symbolsAt: (path: string) => Symbols;
  readonly #known = new Map<string, PackageTable>();

  constructor(symbolsAt: (path: string) => Symbols) {
    this.#symbolsAt = symbolsAt;
  }

  of(path: string, others: readonly string[]): PackageTable {
    // All files of a package have the same neighbours: its first file is the key.
    const key = others.reduce((first, other) => (byText(other, first) < 0 ? other : first), path);
    const table = this.#known.get(key) ?? packageTable([path, ...others], this.#symbolsAt);
    this.#known.delete(key);
    this.#known.set(key, table);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_PACKAGES && oldest !== undefined) this.#known.delete(oldest);
    return table;
  }
}

function packageTable(paths: readonly string[], symbolsAt: (path: string) => Symbols): PackageTable {
  const table = new Map<string, string[]>();
  for (const path of paths) {
    for (const [name, id] of symbolsAt(path)) {
      if (id === undefined) continue;
      const known = table.get(name);
      if (known === undefined) table.set(name, [id]);
      else known.push(id);
    }
  }
  return table;
}
