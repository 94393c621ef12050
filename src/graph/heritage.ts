import type { FileFingerprint, ImportFingerprint } from "../fingerprint/types.js";
import { classId } from "./ids.js";
import type { Resolver } from "./imports.js";

/** What is known of the other files when the edges of one are made. */
export interface EdgeContext {
  resolver: Resolver;
  fingerprintOf(path: string): FileFingerprint | undefined;
}

/** How many files a name is followed through that only pass it on. */
const maxReExports = 4;

/** The class node that a name in `extends` or `implements` means; undefined where names alone do not tell. */
export function resolveClass(
  path: string,
  fp: FileFingerprint,
  written: string,
  context: EdgeContext,
): string | undefined {
  const name = plainName(written);
  if (name === "") return undefined;
  return (
    declaredIn(path, fp, name) ??
    throughImports(path, fp, name, context, maxReExports) ??
    context.resolver
      .samePackage(path)
      .map((sibling) => declaredAt(sibling, lastSegment(name), context))
      .find((id) => id !== undefined)
  );
}

/** `ns.Base<T>` → `ns.Base`, `Base[int]` → `Base`, `mixin(Base)` → `mixin`. */
function plainName(written: string): string {
  return written.replace(/[<[({][\s\S]*$/, "").trim();
}

const separator = /::|\.|\\/;
const lastSegment = (name: string) => name.split(separator).at(-1) ?? name;

function declaredIn(path: string, fp: FileFingerprint, name: string): string | undefined {
  const wanted = [name, lastSegment(name)];
  const found = wanted.find((candidate) => fp.classes.some((cls) => cls.name === candidate));
  return found === undefined ? undefined : classId(path, found);
}

function declaredAt(path: string, name: string, context: EdgeContext): string | undefined {
  const fp = context.fingerprintOf(path);
  return fp?.classes.some((cls) => cls.name === name) ? classId(path, name) : undefined;
}

function throughImports(
  path: string,
  fp: FileFingerprint,
  name: string,
  context: EdgeContext,
  hops: number,
): string | undefined {
  for (const imported of fp.imports) {
    const original = nameInside(imported, name);
    if (original === undefined) continue;
    for (const target of context.resolver.resolve(path, imported.source, imported.specifiers)) {
      const found = declaredAt(target, original, context) ?? passedOn(target, original, context, hops);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** A barrel exports what it imports itself. */
function passedOn(path: string, name: string, context: EdgeContext, hops: number): string | undefined {
  const fp = context.fingerprintOf(path);
  return fp === undefined || hops === 0 ? undefined : throughImports(path, fp, name, context, hops - 1);
}

/** What a local name is called in the imported file: undefined where the import does not bring it. */
function nameInside(imported: ImportFingerprint, name: string): string | undefined {
  const last = lastSegment(name);
  if (imported.specifiers.length === 0) return last;
  const first = name.split(separator)[0];
  for (const specifier of imported.specifiers) {
    const [, original, alias] = /^\s*(\S+)(?:\s+as\s+(\S+))?\s*$/.exec(specifier) ?? [];
    const local = alias ?? original;
    if (original === "*" || (local === first && first !== last)) return last;
    if (local === last || local === name) return original === "default" ? last : original;
  }
  return undefined;
}
