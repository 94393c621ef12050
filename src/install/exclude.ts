import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Project } from "../project/locate.js";
import type { ArtefactName } from "../store/artefacts.js";
import type { Step } from "./plan.js";
import { markedBlock, withBlockLast, withoutBlock } from "./text.js";

/**
 * Our files in .git/info/exclude: the marker always, the artefacts only where install made them. By name and not the
 * folder: an excluded folder makes `git add` of what is in it fail.
 */
export function excludeSteps(project: Project, made: readonly ArtefactName[]): Step[] {
  if (project.root === null) return []; // a bare repository's data dir is no part of a work tree
  const file = join(project.commonDir, "info", "exclude");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const dir = basename(project.dataDir);
  const names = ["pending-update*.json", ...made];
  const block = markedBlock(names.map((name) => `/${dir}/${name}`));
  const wanted = withBlockLast(text, block);
  return wanted === text ? [] : [{ file, what: "our files excluded for this clone", text: wanted }];
}

export function unexcludeSteps(project: Project): Step[] {
  const file = join(project.commonDir, "info", "exclude");
  if (!existsSync(file)) return [];
  const text = readFileSync(file, "utf8");
  const wanted = withoutBlock(text);
  return wanted === text ? [] : [{ file, what: "our files no longer excluded", text: wanted === "" ? null : wanted }];
}
