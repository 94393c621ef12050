import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { bytesOf } from "../store/files.js";
import { hasBlock, markedBlock, withBlockLast, withoutBlock } from "../store/marked-block.js";
import type { House } from "./environment.js";
import type { Step } from "./plan.js";

const NAME = "ua-hooks places";

/** Hook files of ours in the work tree, by name: `git status` and `git add -A` pass over them in this clone. */
export function excludePlaces(house: House, files: readonly string[]): Step[] {
  if (files.length === 0) return unexcludePlaces(house);
  const file = join(house.project.commonDir, "info", "exclude");
  const block = markedBlock(
    files.map((each) => patternOf(house, each)),
    NAME,
  );
  const text = withBlockLast(bytesOf(file), block, NAME);
  return [{ file, what: "our hook files in the work tree excluded for this clone", text: Buffer.from(text, "latin1") }];
}

/** gitignore(5): a leading slash ties it to the top; what means something in a pattern is escaped. */
function patternOf({ project, top }: House, file: string): string {
  const home = file.startsWith(`${project.view.path}/`) ? project.view.path : top;
  const path = relative(home, file).replace(/[\\[\]*?]/g, "\\$&");
  return Buffer.from(`/${path}`).toString("latin1");
}

export function unexcludePlaces({ project }: Pick<House, "project">): Step[] {
  const file = join(project.commonDir, "info", "exclude");
  const text = existsSync(file) ? bytesOf(file) : "";
  if (!hasBlock(text, NAME)) return [];
  const rest = withoutBlock(text, NAME);
  const what = "our hook files no longer excluded";
  return [{ file, what, text: rest === "" ? null : Buffer.from(rest, "latin1") }];
}
