import type { FileFingerprint } from "../fingerprint/types.js";

/** The names of one content, as far as documents cite them. */
export interface DeclaredNames {
  /** Functions and classes, qualified: `Queue.push`. */
  symbols: string[];
  /** Everything else that has a name there: exports, values, properties (`Queue.size`), imports. */
  others: string[];
  /** Classes that inherit from others, whose members are theirs, too. */
  heirs: string[];
}

export function declaredNames({
  functions,
  classes,
  exports,
  values = [],
  imports,
}: Omit<FileFingerprint, "filePath">): DeclaredNames {
  const symbols = [...functions, ...classes].map(({ name }) => name);
  const members = classes.flatMap(({ name, methods, properties }) =>
    [...methods, ...properties].map((one) => `${name}.${one}`),
  );
  const imported = imports.flatMap(({ source, specifiers }) => [
    lastWord(source),
    ...specifiers.flatMap((one) => one.split(/\s+as\s+/)),
  ]);
  const heirs = classes.filter((one) => one.extends.length + one.implements.length > 0).map(({ name }) => name);
  const known = new Set(symbols);
  const others = [...members, ...exports, ...values.map(({ name }) => name), ...imported];
  return { symbols: [...known], others: [...new Set(others)].filter((name) => !known.has(name)), heirs };
}

/** Of `./queue.js`, `asyncio` or `std::collections`. */
const lastWord = (source: string): string => /([A-Za-z_$][\w$]*)(?:\.\w+)?$/.exec(source)?.[1] ?? "";

export const lastName = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
export const ownerOf = (name: string): string => name.slice(0, Math.max(name.lastIndexOf("."), 0));

export interface Definition {
  path: string;
  name: string;
}

/** Where names are declared, of those that are asked for. */
export class NameIndex {
  readonly #wanted: ReadonlySet<string>;
  readonly #definitions = new Map<string, Definition[]>();
  readonly #others = new Set<string>();
  readonly #heirs = new Set<string>();

  /** `names`: all that will be asked for. */
  constructor(names: Iterable<string>) {
    const all = [...names];
    this.#wanted = new Set([...all.map(lastName), ...all.flatMap((name) => name.split("."))]);
  }

  add(path: string, { symbols, others, heirs }: DeclaredNames): void {
    for (const name of symbols) {
      const last = lastName(name);
      if (!this.#wanted.has(last)) continue;
      const same = this.#definitions.get(last);
      if (same === undefined) this.#definitions.set(last, [{ path, name }]);
      else same.push({ path, name });
    }
    for (const name of others) {
      if (!this.#wanted.has(lastName(name))) continue;
      this.#others.add(name).add(lastName(name));
    }
    for (const name of heirs) this.#heirs.add(name);
  }

  /** The symbols that a citation can mean: of that very name, else members of any class; each file has a name once. */
  matches(name: string): Definition[] {
    const same = this.#definitions.get(lastName(name)) ?? [];
    const exact = same.filter((one) => one.name === name);
    return exact.length > 0 ? exact : same.filter((one) => one.name.endsWith(`.${name}`));
  }

  /** Whether a name that is no symbol may be right all the same: a value, a property, a member by inheritance, something imported. */
  mayBeRight(name: string): boolean {
    const owner = ownerOf(name);
    if (owner === "") return this.#others.has(name);
    if (this.#others.has(name) || this.#heirs.has(owner) || this.#heirs.has(lastName(owner))) return true;
    return this.matches(owner).length === 0 && this.#others.has(lastName(owner));
  }
}
