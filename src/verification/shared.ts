import { descriptionsAt } from "../knowledge/described.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { addSaving, hasShared, type SettledFile, settleShared } from "../knowledge/shared.js";
import type { LoadedContext } from "../repository/context.js";
import { writeLog } from "../store/log.js";
import { askedFiles } from "./asked.js";
import type { Comparison } from "./compare.js";
import { askedFilesOf, measureTokens } from "./packets.js";
import { answeredFiles } from "./partly.js";

/**
 * What authors of other clones described is not pending. Stores the analyses of files that would be asked about as a whole, and notes
 * from whom how much came that need not be asked. `isSettled`: there were such files, so what is pending is to be compared again.
 */
export async function noteShared(
  context: LoadedContext,
  comparison: Comparison,
  { inGraph }: { inGraph: boolean },
): Promise<{ isSettled: boolean }> {
  const { db } = context;
  const isChanged = comparison.fileChanges.some(({ changeLevel }) => changeLevel === "STRUCTURAL");
  if (!isChanged || !hasShared(db)) return { isSettled: false };
  const whole = await settleShared(context, comparison);
  const all = [...whole, ...(inGraph ? answeredByOthers(context, comparison) : [])];
  if (all.length === 0) return { isSettled: false };
  const tokens = await tokensOfEach(context, comparison, all);
  db.write(() => {
    for (const [at, { author }] of all.entries()) addSaving(db, author, tokens[at] ?? 0);
  });
  log(context, comparison, all, tokens);
  return { isSettled: whole.length > 0 };
}

/** Files whose changed symbols are all described, at least one of them by another clone. */
function answeredByOthers({ db, project, config }: LoadedContext, comparison: Comparison): SettledFile[] {
  const heads = new Map(comparison.fileChanges.map(({ filePath, oid }) => [filePath, oid]));
  const facts = new Facts(storedFacts(db, { keep: false }), project.worktree.path, config);
  const descriptionOf = descriptionsAt(db, project.scope, { heads, facts });
  return answeredFiles(comparison).flatMap(({ path, oid }) => {
    const { symbols = [] } = comparison.fileChanges.find(({ filePath }) => filePath === path) ?? {};
    const found = symbols
      .filter(({ change }) => change !== "gone")
      .map((symbol) => descriptionOf({ path, oid }, symbol)?.description)
      .find((description) => description?.source === "shared");
    return found?.author === undefined || found.author === null ? [] : [{ path, oid, author: found.author }];
  });
}

/** What a model would have read about each of them. */
async function tokensOfEach(
  context: LoadedContext,
  { fileChanges }: Comparison,
  files: readonly SettledFile[],
): Promise<number[]> {
  const asked = askedFiles(fileChanges, context.config.refresh, () => false);
  const tokens: number[] = [];
  for (const { path, oid } of files)
    tokens.push(await measureTokens(context, await askedFilesOf(context, { fileChanges, asked }, [[path, oid]])));
  return tokens;
}

function log(
  { project }: LoadedContext,
  { head }: Comparison,
  files: readonly SettledFile[],
  tokens: readonly number[],
): void {
  const authors = [...new Set(files.map(({ author }) => author))].join(", ");
  const sum = tokens.reduce((all, one) => all + one, 0);
  const which = `${files.length} ${files.length === 1 ? "file is" : "files are"}`;
  const reason = `${which} described by ${authors} (shared): about ${sum} tokens saved`;
  const entry = { at: new Date().toISOString(), view: project.worktree.id, events: ["share"], head };
  writeLog(project.stateDir, { ...entry, outcome: "shared", reason, parses: 0, ms: 0 });
}
