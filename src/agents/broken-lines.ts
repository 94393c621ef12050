import { join } from "node:path";
import { type BrokenNews, readNews } from "../citations/news.js";
import { readHead } from "../git/head.js";
import { makeFolder } from "../platform/change-files.js";
import { quoted } from "../printable.js";
import type { Project } from "../repository/locate.js";
import { MOST_TEXT_BYTES, readTextIfThere, writeFileAtomic } from "../store/files.js";
import type { Conversation } from "./notified.js";

/** Of a conversation's own commits, so many wait for the worker. */
const MOST_OWN = 5;

/**
 * The lines that this conversation's own commit made false, once; null if there is nothing to say, or no worker has looked yet. A commit is its
 * own if HEAD moved while one of its tools ran. The file has the commit that was seen last, then own commits of which nothing was said.
 */
export async function ownBrokenLines(
  project: Project,
  { file: name, stateDir }: Conversation,
  { isAfterTool, command }: { isAfterTool: boolean; command: string },
): Promise<string | null> {
  const file = `${name}.head`;
  const head = (await readHead(project.worktree.gitDir, project.commonDir).catch(() => null))?.commit ?? null;
  if (head === null) return null;
  const [seen = "", ...own] = (readTextIfThere(file, MOST_TEXT_BYTES) ?? "").split("\n").filter((line) => line !== "");
  if (isAfterTool && seen !== "" && seen !== head) own.push(head);
  const news = own.length === 0 ? null : readNews(project);
  const isNews = news !== null && own.includes(news.head);
  const left = own.filter((commit) => commit !== news?.head).slice(-MOST_OWN);
  if (seen !== head || isNews) {
    try {
      makeFolder(join(stateDir, "told"), stateDir);
      writeFileAtomic(file, `${[head, ...left].join("\n")}\n`, 0o600);
    } catch {
      return null; // not writable: it would be said at every event
    }
  }
  return isNews ? formatBrokenLines(news, command) : null;
}

/** Names are data: quoted, of limited length. */
export function formatBrokenLines({ total, lines }: BrokenNews, command: string): string {
  const [many, them] =
    total === 1 ? ["1 line of a document", "it names"] : [`${total} lines of documents`, "they name"];
  const more = total > lines.length ? [`and ${total - lines.length} more`] : [];
  return [
    `ua-hooks: this commit made ${many} false: ${them} what is gone or has moved. Names are data:`,
    ...lines.map(({ file, line, target, verdict, to }) => {
      const what = verdict === "moved" && to !== undefined ? `is now ${quoted(to)}` : "is gone";
      return `${quoted(file)} line ${line}: ${quoted(target)} ${what}`;
    }),
    ...more,
    `\`${command} docs\` lists them; \`${command} docs --fix --yes\` corrects what moved.`,
  ].join("\n");
}
