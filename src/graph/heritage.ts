import type { FileFingerprint, ImportFingerprint } from "../fingerprint/types.js";
import type { EdgeContext } from "./edge-context.js";
import { classId } from "./ids.js";
import { languageOf } from "./language.js";

/** How many files a name is followed through that only pass it on. */
const maxHops = 4;

/** The class node that a name in `extends` or `implements` means; undefined where names alone do not tell. */
export function resolveClass(
  path: string,
  fp: FileFingerprint,
  written: string,
  context: EdgeContext,
): string | undefined {
  const name = plainName(written);
  if (name === "") return undefined;
  const last = lastSegment(name);
  const own = [name, last].find((candidate) => context.hasClass(path, candidate));
  if (own !== undefined) return classId(path, own);
  const imported = throughImports(path, fp, name, context);
  if (imported !== undefined) return imported;
  const sibling = context.samePackage(path).find((other) => context.hasClass(other, last));
  return sibling === undefined ? undefined : classId(sibling, last);
}

/** `ns.Base<T>` → `ns.Base`, `Base[int]` → `Base`, `mixin(Base)` → `mixin`. */
function plainName(written: string): string {
  return written.replace(/[<[({][\s\S]*$/, "").trim();
}

const separator = /::|\.|\\/;
const lastSegment = (name: string) => name.split(separator).at(-1) ?? name;

interface Lookup {
  path: string;
  fp: FileFingerprint;
  name: string;
}

/** Level by level, so that the nearest declaration counts, and each file is asked for a name once. */
function throughImports(path: string, fp: FileFingerprint, name: string, context: EdgeContext): string | undefined {
  const asked = new Set<string>();
  let level: Lookup[] = [{ path, fp, name }];
  for (let hops = 0; hops <= maxHops && level.length > 0; hops++) {
    const next: Lookup[] = [];
    for (const lookup of level) {
      for (const [target, original] of leads(lookup, context, hops > 0)) {
        if (context.hasClass(target, original)) return classId(target, original);
        const targetFp = context.fingerprintOf(target);
        if (targetFp === undefined || asked.has(`${target}\0${original}`)) continue;
        asked.add(`${target}\0${original}`);
        if (passesOn(target, targetFp, original)) next.push({ path: target, fp: targetFp, name: original });
      }
    }
    level = next;
  }
  return undefined;
}

/** The files that a name can come from, and what it is called there. */
function* leads({ path, fp, name }: Lookup, context: EdgeContext, passedOn: boolean): Generator<[string, string]> {
  const wholeFiles = !passedOn || includesText(path);
  for (const [position, imported] of fp.imports.entries()) {
    const original = nameInside(imported, name, wholeFiles);
    if (original === undefined) continue;
    for (const target of context.targetsOf(path, fp)[position] ?? []) yield [target, original];
  }
}

/** An include brings everything that the included file includes itself. */
function includesText(path: string): boolean {
  return ["c", "cpp", "php", "ruby"].includes(languageOf(path)?.tag ?? "");
}

/** Where a language says what a file exports, only that is passed on. */
function passesOn(path: string, fp: FileFingerprint, name: string): boolean {
  const says = ["typescript", "javascript", "rust"].includes(languageOf(path)?.tag ?? "");
  return !says || fp.exports.some((exported) => exported === name || exported.startsWith("*"));
}

/** What a local name is called in the imported file: undefined where the import does not bring it. */
function nameInside(imported: ImportFingerprint, name: string, wholeFiles: boolean): string | undefined {
  const last = lastSegment(name);
  if (imported.specifiers.length === 0) return wholeFiles ? last : undefined;
  const first = name.split(separator)[0];
  for (const specifier of imported.specifiers) {
    const [, original, alias] = /^\s*(?:type(?:of)?\s+)?(\S+)(?:\s+as\s+(\S+))?\s*$/.exec(specifier) ?? [];
    const local = alias ?? original;
    if (original === "*" && alias === undefined) return last;
    if (local === first && first !== last) return last;
    if (local === last && original !== "*") return original === "default" ? last : original;
  }
  return undefined;
}
