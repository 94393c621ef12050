import { join } from "node:path";
import { isLink } from "../store/files.js";
import type { Project } from "./locate.js";

/** Files of ours in a work tree whose place does not depend on a data dir. install excludes them, so that git does not show them. */

/** Where `report` writes without --out: in the folder that it is typed in. */
export const REPORT_FILE = "ua-hooks-report.html";

/** Beside a session's context.md while an update is due. */
export const CONTEXT_DUE_FILE = ".pending-context-update";

/** As git's exclude file has them (gitignore(5)): without a slash a name counts in every folder. */
export const EXCLUDED_PATTERNS = [`/.claude/sessions/*/${CONTEXT_DUE_FILE}`, REPORT_FILE];

/** git's list of what it passes over in this clone; null where it, or its folder, is a link: then it is not this clone's alone. */
export function excludeFile({ commonDir }: Pick<Project, "commonDir">): string | null {
  const folder = join(commonDir, "info");
  const file = join(folder, "exclude");
  return isLink(folder) || isLink(file) ? null : file;
}
