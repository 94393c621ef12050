import type { FileFingerprint, ImportFingerprint } from "../fingerprint/types.js";
import type { EdgeContext } from "./edge-context.js";
import { followImports } from "./follow.js";
import { resolveClass } from "./heritage.js";
import { placeOf } from "./ids.js";
import { languageOf } from "./language.js";
import { baseOf, dirOf } from "./resolve/file-index.js";
import { specifiersOf } from "./specifiers.js";

interface Caller {
  path: string;
  fp: FileFingerprint;
  /** The calling function's full name: `Outer.method`. */
  name: string;
  tag: string;
  context: EdgeContext;
}

/** Languages in which a method calls other methods of its class by their bare names. */
const IMPLICIT = new Set(["java", "kotlin", "csharp", "cpp", "swift", "scala", "ruby", "dart"]);
/** Languages in which an import without a list imports every name. */
const BRINGS_ALL = new Set(["c", "cpp", "php", "ruby", "csharp", "bash", "swift"]);
/** Languages in which an imported name can be a file of its own. */
const LISTS_MODULES = new Set(["python", "rust"]);
/** Number of base classes that are searched for a method. */
const MAX_BASES = 4;

/** The function or class that is called; undefined if the name is unknown or ambiguous. */
export function resolveCall(
  path: string,
  fp: FileFingerprint,
  caller: string,
  written: string,
  context: EdgeContext,
): string | undefined {
  const tag = languageOf(path)?.tag ?? "";
  const from: Caller = { path, fp, name: caller, tag, context };
  const [root = "", ...rest] = written.split(".");
  if (tag === "rust" && ["crate", "super", "self"].includes(root)) return throughPath(from, written.split("."));
  if (["this", "self", "Self", "static"].includes(root)) return ofOwner(from, rest.join("."));
  return named(from, written, scopesOf(from));
}

/** A method of the caller's class, or of one of its base classes. */
function ofOwner(from: Caller, method: string): string | undefined {
  const owner = from.name.slice(0, Math.max(0, from.name.lastIndexOf(".")));
  if (owner === "") return undefined;
  return named(from, `${owner}.${method}`, [""]) ?? inherited({ ...from, owner }, method);
}

/** The class that a method is looked for above. */
interface CallOwner extends Pick<Caller, "path" | "fp" | "context"> {
  owner: string;
}

function inherited({ path, fp, owner, context }: CallOwner, method: string, hops = 0): string | undefined {
  const bases = fp.classes.find(({ name }) => name === owner)?.extends ?? [];
  const found = (hops < MAX_BASES ? bases : []).map((base) => {
    const id = resolveClass(path, fp, base, context);
    if (id === undefined) return undefined;
    const above = placeOf(id);
    const theirs = context.fingerprintOf(above.path);
    const own = context.symbolIn(above.path, `${above.name}.${method}`);
    if (own !== undefined || theirs === undefined) return own;
    return inherited({ path: above.path, fp: theirs, owner: above.name, context }, method, hops + 1);
  });
  return only(found);
}

/** The scopes around the caller in which a bare name is searched, nearest first. */
function scopesOf({ name, fp, tag }: Caller): string[] {
  const scopes = [""];
  const parts = name.split(".").slice(0, -1);
  for (let count = 1; count <= parts.length; count++) {
    const scope = parts.slice(0, count).join(".");
    // In other languages a class is no scope for names: only a namespace is.
    const holder = fp.classes.find((one) => one.name === scope);
    if (IMPLICIT.has(tag) || holder === undefined || holder.kind === "module") scopes.unshift(`${scope}.`);
  }
  return scopes;
}

function named(from: Caller, name: string, scopes: readonly string[]): string | undefined {
  const { path, fp, tag, context } = from;
  // Ruby creates an object with a method of its class.
  const forms = tag === "ruby" && name.endsWith(".new") ? [name, name.slice(0, -".new".length)] : [name];
  const names = scopes.flatMap((scope) => forms.map((form) => scope + form));
  const own = names.map((one) => context.symbolIn(path, one)).find((id) => id !== undefined);
  if (own !== undefined) return own;
  const bare = IMPLICIT.has(tag) && !name.includes(".") ? ofBases(from, name) : undefined;
  if (bare !== undefined) return bare;
  const asked = BRINGS_ALL.has(tag) ? names : forms;
  for (const one of asked) {
    const found = context.called(fp, one, () =>
      followImports({ path, fp, name: one }, { context, namesInside, find: context.symbolIn }),
    );
    if (found.length > 0) return only(found);
  }
  for (const one of names) {
    const found = context.symbolsInPackage(path, one);
    if (found.length > 0) return only(found);
  }
  return undefined;
}

function ofBases({ path, fp, name, context }: Caller, method: string): string | undefined {
  const owner = name.slice(0, Math.max(0, name.lastIndexOf(".")));
  return owner === "" ? undefined : inherited({ path, fp, owner, context }, method);
}

/** More than one candidate counts as none: a guess would often be wrong. */
function only(found: readonly (string | undefined)[]): string | undefined {
  const distinct = new Set(found.filter((one) => one !== undefined));
  return distinct.size === 1 ? [...distinct][0] : undefined;
}

/** `crate::a::b::f()` needs no import. */
function throughPath({ path, context }: Caller, parts: readonly string[]): string | undefined {
  if (parts[0] === "self" && parts.length === 2) return context.symbolIn(path, parts[1] ?? "");
  const found: (string | undefined)[] = [];
  for (let count = parts.length - 1; count > 0 && found.length === 0; count--) {
    const targets = context.resolver.resolve(path, parts.slice(0, count).join("::"));
    for (const target of targets) found.push(context.symbolIn(target, parts.slice(count).join(".")));
  }
  return only(found);
}

/** Possible names of the called symbol in an imported file; empty if the import does not provide it. */
function namesInside(imported: ImportFingerprint, name: string, from: string, target: string): string[] {
  const tag = languageOf(from)?.tag ?? "";
  const [root = "", ...rest] = name.split(".");
  const below = rest.join(".");
  if (imported.specifiers.length === 0) return insideWhole(imported.source, name, tag);
  return specifiersOf(imported).flatMap(({ original, alias }) => {
    if (original === "*" && alias === undefined) return [name];
    if ((alias ?? original) !== root) return [];
    const last = partsOf(imported.source).at(-1) ?? "";
    // In PHP and C# an alias stands for one class, in other languages for everything in the file.
    if (original === "*") return [[last, ...rest].join("."), ...(below === "" ? [] : [below])];
    if (original === "default") return [["default", ...rest].join("."), name];
    const isModule = LISTS_MODULES.has(tag) && below !== "" && moduleName(target) === original;
    const inClass = /^\p{Lu}/u.test(last) ? [[last, original, ...rest].join(".")] : [];
    return [[original, ...rest].join("."), ...inClass, ...(isModule ? [below] : [])];
  });
}

/** An import without a list provides all names, bare or behind its own name. */
function insideWhole(source: string, name: string, tag: string): string[] {
  if (BRINGS_ALL.has(tag)) return [name];
  const parts = name.split(".");
  const module = partsOf(source);
  if (parts.length > module.length && module.every((part, at) => part === parts[at])) {
    return [parts.slice(module.length).join(".")];
  }
  return tag !== "python" && parts.length > 1 && module.at(-1) === parts[0] ? [parts.slice(1).join(".")] : [];
}

const partsOf = (source: string) => source.split(/[./\\]|::/).filter((part) => part !== "");

/** `a/b.py` and `a/b/__init__.py` are both b. */
function moduleName(path: string): string {
  const stem = baseOf(path).replace(/\.[^.]*$/, "");
  return stem === "__init__" || stem === "mod" ? baseOf(dirOf(path)) : stem;
}
