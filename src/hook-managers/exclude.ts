import { existsSync } from "node:fs";
import { relative, sep } from "node:path";
import { withSlashes } from "../platform/windows.js";
import { excludeFile } from "../repository/own-files.js";
import { readBytes } from "../store/files.js";
import { hasBlock, markedBlock, withBlockLast, withoutBlock } from "../store/marked-block.js";
import type { HookEnvironment } from "./environment.js";
import type { FileStep } from "./plan.js";

const NAME = "ua-hooks places";

/** Excludes our hook files in the work tree: `git status` and `git add -A` ignore them in this clone. */
export function excludeHookFiles(environment: HookEnvironment, files: readonly string[]): FileStep[] {
  if (files.length === 0) return unexcludeHookFiles(environment);
  const file = excludeFile(environment.project);
  if (file === null) return [];
  const block = markedBlock(
    files.map((each) => patternOf(environment, each)),
    NAME,
  );
  const text = withBlockLast(readBytes(file), block, NAME);
  return [{ file, what: "our hook files in the work tree excluded for this clone", text: Buffer.from(text, "latin1") }];
}

/** gitignore(5): a leading slash anchors it at the top; special characters are escaped. */
function patternOf({ project, top }: HookEnvironment, file: string): string {
  const home = file.startsWith(`${project.worktree.path}${sep}`) ? project.worktree.path : top;
  const path = withSlashes(relative(home, file)).replace(/[\\[\]*?]/g, "\\$&");
  return Buffer.from(`/${path}`).toString("latin1");
}

export function unexcludeHookFiles({ project }: Pick<HookEnvironment, "project">): FileStep[] {
  const file = excludeFile(project);
  if (file === null || !existsSync(file)) return [];
  const text = readBytes(file);
  if (!hasBlock(text, NAME)) return [];
  const rest = withoutBlock(text, NAME);
  const what = "our hook files no longer excluded";
  return [{ file, what, text: rest === "" ? null : Buffer.from(rest, "latin1") }];
}
