import { blobSizes } from "../git/blobs.js";
import { isRegularFile, listTree } from "../git/trees.js";
import { hasDescription } from "../graph/descriptions.js";
import type { LoadedContext } from "../repository/context.js";
import type { Comparison } from "../verification/compare.js";
import type { PathVerdict, Restore } from "../verification/verdicts.js";
import { sharedRows } from "./baseline.js";
import { hasDescriptions } from "./descriptions.js";
import { Facts, factKey, storedFacts, type WantedFact } from "./facts.js";
import { choiceContext, FileDescriptions } from "./file-descriptions.js";
import { ABSENT, knownAnalysis } from "./known.js";
import type { GraphPlan } from "./plan.js";
import { currentTextFiles } from "./project-texts.js";

/**
 * Plans the structural analysis of every changed file, also with cosmetic changes: lines have moved, and it needs no
 * tokens. Texts from manifests and READMEs come with it. A file whose content this clone does not have is not analyzed, and stays
 * pending (invariant "unknown is not fresh").
 * `full`: every file.
 */
export async function structuralPlan(
  context: LoadedContext,
  comparison: Comparison,
  { full }: { full: boolean },
): Promise<GraphPlan> {
  const { head: commit, verdicts, fileChanges, renamedFiles } = comparison;
  const changed = verdicts.filter(({ drift }) => drift !== "none");
  const structural = new Map(changed.map(({ filePath, oid }) => [filePath, oid ?? ABSENT]));
  if (full) for (const [path, oid] of await everything(context, commit)) structural.set(path, oid);
  const { files: textFiles, isChanged } = await currentTextFiles(context, commit);
  const pending = await waiting(context, changed);
  for (const { path } of pending) structural.delete(path);
  return {
    ...{ commit, restores: [], ...(structural.size > 0 || isChanged ? { textFiles } : {}) },
    structural: await readable(
      context,
      [...structural].map(([path, oid]) => ({ path, oid })),
    ),
    ...(pending.length === 0 ? {} : { pending }),
    moves: renamedFiles.map(({ from, to }) => ({ from, to })),
    drift: fileChanges.map(({ filePath, drift }) => [filePath, drift]),
  };
}

/**
 * Files with a written description of a symbol that has another interface now. No analyzer can renew such a
 * sentence, and with it the file would not be fresh: it stays pending, for a person or an agent.
 */
async function waiting({ db, project, config }: LoadedContext, changed: readonly PathVerdict[]): Promise<Restore[]> {
  if (!hasDescriptions(db)) return [];
  const open = changed.flatMap(({ filePath: path, oid, analysedOid, drift }) =>
    drift !== "interface" || oid === null || analysedOid === null ? [] : [{ path, oid, analysedOid }],
  );
  const facts = await new Facts(storedFacts(db, { keep: true }), project.worktree.path, config).of(open);
  return open.flatMap(({ path, oid, analysedOid }) => {
    const written = (knownAnalysis(db, path, analysedOid)?.analysis.nodes ?? []).filter(hasDescription);
    const fact = facts.get(factKey({ path, oid }));
    const store = new FileDescriptions(choiceContext(db, project.scope), { path, oid, fact });
    return written.some((node) => store.has(node) && store.choose(node)?.nearness === "interface")
      ? [{ path, oid }]
      : [];
  });
}

async function everything({ db, project, rules }: LoadedContext, commit: string): Promise<Map<string, string>> {
  const rows = sharedRows(db, project.scope);
  const all = new Map([...rows.keys()].map((path) => [path, ABSENT]));
  for (const { path, mode, oid } of await listTree(project.worktree.path, commit)) {
    if (isRegularFile(mode) && rules.covers(path, rows.get(path)?.inGraph === true)) all.set(path, oid);
  }
  return all;
}

/** Without the files whose blob a partial clone never fetched, or git lost, unless its fingerprint is known. */
async function readable({ db, project, config }: LoadedContext, files: WantedFact[]): Promise<WantedFact[]> {
  const { path: cwd } = project.worktree;
  const facts = new Facts(storedFacts(db, { keep: true }), cwd, config);
  const unread = files.filter((file) => file.oid !== ABSENT && facts.known(file) === null);
  const sizes = await blobSizes(
    cwd,
    unread.map(({ oid }) => oid),
  );
  const missing = new Set(unread.filter(({ oid }) => !sizes.has(oid)));
  return files.filter((file) => !missing.has(file));
}
