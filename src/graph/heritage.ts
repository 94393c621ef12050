import type { FileFingerprint, ImportFingerprint } from "../fingerprint/types.js";
import type { EdgeContext } from "./edge-context.js";
import { followImports } from "./follow.js";
import { classId } from "./ids.js";
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
  const own = [name, last].find((candidate) => context.hasClass(path, candidate));
  if (own !== undefined) return classId(path, own);
  const [imported] = followImports(
    { path, fp, name },
    {
      context,
      namesInside: (one, wanted, _from, _target, wholeFiles) => nameInside(one, wanted, wholeFiles),
      find: (target, wanted) => (context.hasClass(target, wanted) ? classId(target, wanted) : undefined),
    },
  );
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
