import { existsSync } from "node:fs";
import { join } from "node:path";
import { removeFile } from "../platform/change-files.js";
import type { Project } from "../repository/locate.js";
import { isNumber, isText, listOf, objectOf, oneOf, parseJson } from "../store/check.js";
import { MOST_TEXT_BYTES, readTextIfThere, toJson, writeFileAtomic } from "../store/files.js";
import type { Finding } from "./present.js";

/** A line that is named to an agent. */
export type BrokenLine = Pick<Finding, "file" | "line" | "target" | "verdict" | "to">;

/** What the step to `head` broke: a file of its own, so that an agent's hook need not open the database. */
export interface BrokenNews {
  head: string;
  total: number;
  lines: BrokenLine[];
}

const MOST_LINES = 10;

const newsFile = ({ stateDir, worktree }: Project): string => join(stateDir, `broken-lines@${worktree.id}.json`);

const isNews = objectOf<BrokenNews>({
  head: isText,
  total: isNumber,
  lines: listOf(
    objectOf<BrokenLine>(
      { file: isText, line: isNumber, target: isText, verdict: oneOf("gone", "moved", "changed") },
      { to: isText },
    ),
  ),
});

export function writeNews(project: Project, head: string, broken: readonly BrokenLine[]): void {
  const file = newsFile(project);
  if (broken.length === 0) {
    if (existsSync(file)) removeFile(file);
    return;
  }
  const lines = broken.slice(0, MOST_LINES).map(({ file: path, line, target, verdict, to }) => ({
    file: path,
    line,
    target,
    verdict,
    ...(to === undefined ? {} : { to }),
  }));
  writeFileAtomic(file, toJson({ head, total: broken.length, lines }), 0o600);
}

/** null where the last step broke nothing, or no index was made yet. */
export function readNews(project: Project): BrokenNews | null {
  return parseJson(readTextIfThere(newsFile(project), MOST_TEXT_BYTES) ?? "", isNews);
}
