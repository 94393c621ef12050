import { dirOf, joinInside, upwards } from "../graph/resolve/file-index.js";
import type { Citation, PathCitation, ScriptCitation, ScriptTool } from "./cited.js";
import type { Manifest } from "./manifests.js";

/** What stands at a path. `beyond`: inside a submodule, or behind a link that leads out of the tree. */
export type Standing = "file" | "folder" | "beyond" | null;

/** The files of one commit, or of a work tree. */
export interface Snapshot {
  at(path: string): Standing;
  /** What a package.json, Makefile or justfile has; null if there is none, or it cannot be read. */
  manifest(path: string): Manifest | null;
}

/** Whether a citation is true. null: nobody can tell. */
export interface Truth {
  isTrue: boolean | null;
  /** The path that is meant, from the root; of a script the file that has it. */
  target: string | null;
  /** What the path is relative to. */
  base: "document" | "root";
}

const FALSE: Truth = { isTrue: false, target: null, base: "document" };
const UNKNOWN: Truth = { isTrue: null, target: null, base: "document" };

/**
 * The paths that a citation of a path can mean, the likeliest first: relative to its document, then to the root. The name of a file alone is
 * the one beside the document: in a guide `package.json` is the reader's.
 */
export function meantPaths({ path, isLink }: PathCitation, document: string): { path: string; base: Truth["base"] }[] {
  const inside = path.startsWith("/") ? undefined : joinInside(dirOf(document), path);
  const atRoot = path.startsWith("../") ? undefined : joinInside("", path.replace(/^\/+/, ""));
  return [
    ...(inside === undefined || inside === "" ? [] : [{ path: inside, base: "document" as const }]),
    ...(atRoot === undefined ||
    atRoot === "" ||
    atRoot === inside ||
    path.startsWith("./") ||
    (!isLink && !path.includes("/"))
      ? []
      : [{ path: atRoot, base: "root" as const }]),
  ];
}

const MANIFESTS: Record<ScriptTool, readonly string[]> = {
  package: ["package.json"],
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
};

/** The files that can have a script, the nearest first. */
export function meantManifests({ tool, directory }: ScriptCitation, document: string): string[] {
  const from = dirOf(document);
  const starts =
    directory === null ? [from] : directory === "/" ? [""] : [joinInside(from, directory), joinInside("", directory)];
  const folders = starts.flatMap((start) => (start === undefined ? [] : upwards(start)));
  return [...new Set(folders)].flatMap((folder) =>
    MANIFESTS[tool].map((name) => (folder === "" ? name : `${folder}/${name}`)),
  );
}

/** All paths that `truthOf` asks a snapshot for. */
export function neededPaths(citation: Citation, document: string): string[] {
  if (citation.kind === "path") return meantPaths(citation, document).map(({ path }) => path);
  return citation.kind === "script" ? meantManifests(citation, document) : [];
}

/** Whether a path or script is there, as its document names it. Pure. */
export function truthOf(citation: PathCitation | ScriptCitation, document: string, snapshot: Snapshot): Truth {
  return citation.kind === "path" ? pathTruth(citation, document, snapshot) : scriptTruth(citation, document, snapshot);
}

function pathTruth(citation: PathCitation, document: string, snapshot: Snapshot): Truth {
  let isUnknown = false;
  for (const { path, base } of meantPaths(citation, document)) {
    const standing = snapshot.at(path);
    if (standing === "beyond") isUnknown = true;
    else if (standing !== null && !(standing === "file" && citation.path.endsWith("/")))
      return { isTrue: true, target: path, base };
  }
  return isUnknown ? UNKNOWN : FALSE;
}

/** The nearest file of its kind has to have it. */
function scriptTruth(citation: ScriptCitation, document: string, snapshot: Snapshot): Truth {
  const nearest = meantManifests(citation, document).find((path) => snapshot.at(path) !== null);
  if (nearest === undefined) return FALSE;
  const manifest = snapshot.manifest(nearest);
  if (manifest === null) return UNKNOWN;
  if (manifest.scripts.has(citation.script)) return { isTrue: true, target: nearest, base: "document" };
  return manifest.isOpen || manifest.programs.has(citation.script) ? UNKNOWN : FALSE;
}

/**
 * Whether a script that its nearest file does not have any more may still run: a file further up has it, or one of them lets others add to
 * it.
 */
export function mayStillRun(citation: ScriptCitation, document: string, snapshot: Snapshot): boolean {
  return meantManifests(citation, document).some((path) => {
    const standing = snapshot.at(path);
    if (standing === null) return false;
    const manifest = snapshot.manifest(path);
    if (manifest === null) return true;
    return manifest.scripts.has(citation.script) || manifest.isOpen || manifest.programs.has(citation.script);
  });
}
