import type { FileFingerprint, ImportFingerprint } from "../fingerprint/types.js";
import type { EdgeContext } from "./edge-context.js";
import { followImports } from "./follow.js";
import { specifiersOf } from "./specifiers.js";

/** The class node of a name in `extends` or `implements`; undefined if the name is unknown or ambiguous. */
export function resolveClass(
  path: string,
  fp: FileFingerprint,
  written: string,
  context: EdgeContext,
): string | undefined {
  const name = plainName(written);
  if (name === "") return undefined;
  const last = lastSegment(name);
  const own = context.classIn(path, name) ?? context.classIn(path, last);
  if (own !== undefined) return own;
  const [imported] = followImports(
    { path, fp, name },
    {
      context,
      namesInside: (one, wanted, _from, _target, wholeFiles) => nameInside(one, wanted, wholeFiles),
      find: context.classIn,
    },
  );
  if (imported !== undefined) return imported;
  for (const other of context.samePackage(path)) {
    const found = context.classIn(other, last);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `ns.Base<T>` → `ns.Base`, `Base[int]` → `Base`, `mixin(Base)` → `mixin`. */
function plainName(written: string): string {
  return written.replace(/[<[({][\s\S]*$/, "").trim();
}

const separator = /::|\.|\\/;
const lastSegment = (name: string) => name.split(separator).at(-1) ?? name;

/** The name of a local name in the imported file; empty if the import does not provide it. */
function nameInside(imported: ImportFingerprint, name: string, wholeFiles: boolean): string[] {
  const last = lastSegment(name);
  if (imported.specifiers.length === 0) return wholeFiles ? [last] : [];
  const first = name.split(separator)[0];
  for (const { original, alias } of specifiersOf(imported)) {
    const local = alias ?? original;
    if (original === "*" && alias === undefined) return [last];
    if (local === first && first !== last) return [last];
    if (local === last && original !== "*") return [original === "default" ? last : original];
  }
  return [];
}
