import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { FileStep } from "../hook-managers/plan.js";
import { type ArtefactName, CONFIG } from "../knowledge/artefacts.js";
import { LONG_NAME, type Project, SHORT_NAME } from "../repository/locate.js";
import { EXCLUDED_PATTERNS, excludeFile } from "../repository/own-files.js";
import { blockIn, mapBlock, markedBlock, withBlockLast, withoutBlock } from "../store/marked-block.js";

/**
 * Our files in .git/info/exclude: markers and the report always, the artefacts only if install created them, and agents' local
 * settings (`others`). By file name, because `git add` fails for files in an excluded folder.
 */
export function excludeSteps(
  project: Project,
  made: readonly ArtefactName[],
  others: readonly string[] = [],
): FileStep[] {
  const file = excludeFile(project);
  if (file === null) return [];
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = [...excludedLines(project, made, others), ...linesOfOther(project, text)];
  const wanted = withBlockLast(text, markedBlock(lines));
  return wanted === text ? [] : [{ file, what: "our files excluded for this clone", text: wanted }];
}

function excludedLines(project: Project, made: readonly ArtefactName[], others: readonly string[]): string[] {
  const dir = basename(project.dataDir);
  // Where the folder is ours, the settings that other tools keep in it are no news for git either.
  const settings = made.length === 0 || made.includes(CONFIG) ? [] : [CONFIG];
  const files = ["pending-update*.json", ...made, ...settings];
  // A bare repository's data dir is no part of a work tree.
  const names = project.root === null ? [] : files.map((name) => `${dir}/${name}`);
  return [...[...names, ...others].map((path) => `/${path}`), ...EXCLUDED_PATTERNS];
}

/** Another branch may not have the folder that is the data dir here (verification/data-dir.ts). */
function linesOfOther(project: Project, text: string): string[] {
  const other = basename(project.dataDir) === SHORT_NAME ? LONG_NAME : SHORT_NAME;
  return blockIn(text)
    .split("\n")
    .filter((line) => line.startsWith(`/${other}/`));
}

/** The names in our block of the files in the data dir. */
export function excludedNames(project: Project): string[] {
  const file = excludeFile(project);
  if (file === null || !existsSync(file)) return [];
  const start = `/${basename(project.dataDir)}/`;
  const lines = blockIn(readFileSync(file, "utf8")).split("\n");
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
}

/** What the user has to do where git's list is a link, which is left as it is. */
export function excludeNotes(project: Project, made: readonly ArtefactName[], others: readonly string[]): string[] {
  const lines = excludedLines(project, made, others);
  if (excludeFile(project) !== null) return [];
  const place = join(project.commonDir, "info", "exclude");
  return [
    `${place} is a link and was left as it is: git shows our files until some ignore file lists ${lines.join(" ")}`,
  ];
}

/** Removes single files from the exclude file; a line that is not in our block stays. */
export function includeSteps(project: Project, paths: readonly string[]): FileStep[] {
  const file = excludeFile(project);
  if (file === null) return [];
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = new Set(paths.map((path) => `/${path}`));
  const wanted = mapBlock(text, (block) =>
    block
      .split("\n")
      .filter((line) => !lines.has(line))
      .join("\n"),
  );
  return wanted === text ? [] : [{ file, what: "agents' files no longer excluded", text: wanted }];
}

export function unexcludeSteps(project: Project): FileStep[] {
  const file = excludeFile(project);
  if (file === null || !existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const wanted = withoutBlock(text);
  return wanted === text ? [] : [{ file, what: "our files no longer excluded", text: wanted === "" ? null : wanted }];
}
