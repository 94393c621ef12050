import { contentsAmong, defaultTip, filesOfDefault, unpublishedCommits } from "../git/published.js";
import { type Description, type NewDescription, unsentDescriptions } from "../knowledge/descriptions.js";
import { configIn } from "../repository/config.js";
import type { Context } from "../repository/context.js";
import { withinTime } from "../repository/glob.js";
import { CONFIG_FILES, PACKAGE_FILE } from "../repository/inputs.js";
import { sharedText, textProblem } from "./segments.js";

export interface Outgoing {
  /** With the row that each of them is. */
  ready: { id: number; description: NewDescription }[];
  /** Why others stay here, and how many. */
  held: Map<string, number>;
}

/** What this clone would send: its own descriptions of public code, without what the config excludes. */
export async function outgoing(context: Context, remote: string): Promise<Outgoing> {
  const unsent = unsentDescriptions(await context.database());
  if (unsent.length === 0) return { ready: [], held: new Map() };
  const cwd = context.project.worktree.path;
  const asked = Promise.all([
    exclusion(context, remote),
    unpublishedCommits(cwd, remote, new Set(unsent.flatMap(({ commit }) => commit ?? []))),
  ]);
  process.getBuiltinModule("node:crypto"); // 4 ms, for the segment's name: while git works
  const [isExcluded, unpublished] = await asked;
  const found: Outgoing = { ready: [], held: new Map() };
  const hold = (why: string) => found.held.set(why, (found.held.get(why) ?? 0) + 1);
  const open: { row: Description; text: NewDescription["text"] }[] = [];
  for (const row of unsent) {
    const text = sharedText(row.text);
    const problem = textProblem(text);
    if (row.key.path === "" || !row.key.path.isWellFormed()) hold("not about a file");
    else if (isExcluded(row.key.path)) hold("excluded by the config");
    else if (problem !== null) hold(problem);
    else open.push({ row, text });
  }
  const isHeld = await unpublishedContents(
    cwd,
    remote,
    open.flatMap(({ row }) => (row.commit === null || unpublished.has(row.commit) ? [row] : [])),
  );
  for (const { row, text } of open) {
    if (isHeld.has(row)) hold(`of code that no branch of ${remote} has`);
    else found.ready.push({ id: row.id, description: publicForm(row, text) });
  }
  return found;
}

async function exclusion(context: Context, remote: string): Promise<(path: string) => boolean> {
  const patterns = await excludedPatterns(context, remote);
  if (patterns.length === 0) return () => false;
  const globs = (await import("../repository/config-globs.js")).parseGlobs(patterns, '"share.exclude"');
  return withinTime((path: string) => globs.some((matches) => matches(path)));
}

/** Also what the default branch leaves out: an older branch may not have that line yet. */
async function excludedPatterns(context: Context, remote: string): Promise<string[]> {
  const names = [...CONFIG_FILES, PACKAGE_FILE];
  const [here, files] = await Promise.all([
    context.config(),
    filesOfDefault(context.project.worktree.path, remote, names),
  ]);
  for (const { name, where, text } of files) {
    const config = await configIn(name, where, text);
    if (config !== null) return [...here.share.exclude, ...config.share.exclude];
  }
  return here.share.exclude;
}

/** Without the agent that described it and the commit: the key and the text are what others need. */
function publicForm({ key, oid, language, at }: Description, text: NewDescription["text"]): NewDescription {
  return { key, oid, language, at, text, source: "here", author: null, commit: null };
}

/** Of those whose commit is not public: the content itself may be, after a squash or a rebase. */
async function unpublishedContents(
  cwd: string,
  remote: string,
  open: readonly Description[],
): Promise<ReadonlySet<Description>> {
  if (open.length === 0) return new Set();
  const tip = await defaultTip(cwd, remote);
  const wanted = open.map((row) => ({ row, path: row.key.path, oid: row.oid }));
  const there = tip === null ? new Set<(typeof wanted)[number]>() : await contentsAmong(cwd, tip, wanted);
  return new Set(wanted.filter((one) => !there.has(one)).map(({ row }) => row));
}
