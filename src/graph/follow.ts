import type { FileFingerprint, ImportFingerprint } from "../fingerprint/types.js";
import type { EdgeContext } from "./edge-context.js";
import { languageOf } from "./language.js";

/** Number of re-exporting files through which a name is followed. */
export const maxHops = 4;

interface Lookup {
  path: string;
  fp: FileFingerprint;
  name: string;
}

export interface Following {
  context: EdgeContext;
  /** Possible names of a symbol in an imported file; empty if the import does not provide it. */
  namesInside(imported: ImportFingerprint, name: string, from: string, target: string, wholeFiles: boolean): string[];
  /** The node of that name in a file. */
  find(path: string, name: string): string | undefined;
}

/**
 * The nodes that a name can refer to through a file's imports. Searched level by level, so that the nearest
 * declarations are used and each file is searched once for a name.
 */
export function followImports(start: Lookup, following: Following): string[] {
  const { context, find } = following;
  const asked = new Set<string>();
  let level: Lookup[] = [start];
  for (let hops = 0; hops <= maxHops && level.length > 0; hops++) {
    const found = new Set<string>();
    const next: Lookup[] = [];
    for (const lookup of level) {
      for (const [target, name] of leads(lookup, following, hops > 0)) {
        const id = find(target, name);
        if (id !== undefined) found.add(id);
        if (id !== undefined || asked.has(`${target}\0${name}`)) continue;
        asked.add(`${target}\0${name}`);
        const fp = context.fingerprintOf(target);
        if (fp !== undefined && passesOn(target, fp, name)) next.push({ path: target, fp, name });
      }
    }
    if (found.size > 0) return [...found];
    level = next;
  }
  return [];
}

/** The files that a name can come from, and its name there. */
function* leads({ path, fp, name }: Lookup, following: Following, passedOn: boolean): Generator<[string, string]> {
  const wholeFiles = !passedOn || includesText(path);
  for (const [position, imported] of fp.imports.entries()) {
    for (const target of following.context.targetsOf(path, fp)[position] ?? []) {
      for (const inside of following.namesInside(imported, name, path, target, wholeFiles)) yield [target, inside];
    }
  }
}

/** An include also provides everything that the included file includes. */
function includesText(path: string): boolean {
  return ["c", "cpp", "php", "ruby"].includes(languageOf(path)?.tag ?? "");
}

/** In languages with explicit exports, only those are passed on. */
function passesOn(path: string, fp: FileFingerprint, name: string): boolean {
  const says = exportsByName(path);
  const root = name.split(".", 1)[0];
  return !says || fp.exports.some((exported) => exported === name || exported === root || exported.startsWith("*"));
}

/** Whether the file's language passes on only what a file exports. */
export function exportsByName(path: string): boolean {
  return ["typescript", "javascript", "rust"].includes(languageOf(path)?.tag ?? "");
}
