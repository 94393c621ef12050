import { HeadTree } from "../git/head-tree.js";
import { AtHead } from "../knowledge/at-head.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { pieceNodes } from "../knowledge/graph-pieces.js";
import { isOther } from "../knowledge/other-nodes.js";
import type { Due } from "../marker/questions.js";
import type { LoadedContext } from "../repository/context.js";
import { isAsked, askedFiles as questionsOf } from "../verification/asked.js";
import { driftOf } from "../verification/drift.js";
import { type AskedFile, type FormerTexts, packetNode } from "../verification/packets.js";
import type { Compared } from "./compare.js";

/** The files of an update, in its order; also of one that was claimed before HEAD moved on. */
export async function askedFiles(
  context: LoadedContext,
  compared: Compared,
  due: readonly Due[],
): Promise<AskedFile[]> {
  const now = new Map(compared.fileChanges.map((verdict) => [verdict.filePath, verdict]));
  const left = due.filter(([path, oid]) => oid !== null && now.get(path)?.oid !== oid);
  const earlier = left.length === 0 ? new Map<string, AskedFile>() : await askedEarlier(context, compared, left);
  return due.flatMap(([path, oid]) => {
    if (oid === null) return [];
    const verdict = now.get(path);
    const found = compared.asked.get(path);
    if (verdict?.oid !== oid || found === undefined) return earlier.get(path) ?? [];
    return [{ verdict: { ...verdict, oid }, asked: found }];
  });
}

async function askedEarlier(
  context: LoadedContext,
  compared: Compared,
  due: readonly Due[],
): Promise<Map<string, AskedFile>> {
  const earlier = atContents(context, compared, due);
  await earlier.prepare(due.map(([path]) => path));
  const verdicts = due.flatMap(([path]) => driftOf(earlier, path) ?? []);
  const asked = questionsOf(verdicts, context.config.refresh, () => false);
  return new Map(
    verdicts.flatMap((verdict) => {
      const [found, oid] = [asked.get(verdict.filePath), verdict.oid];
      if (found === undefined || oid === null || !isAsked(found)) return [];
      return [[verdict.filePath, { verdict: { ...verdict, oid }, asked: found }]];
    }),
  );
}

/** HEAD, with other contents of some files: those of an update that was claimed earlier. */
export function atContents({ db, project, config }: LoadedContext, compared: Compared, due: readonly Due[]): AtHead {
  const tree = new HeadTree(project.worktree.path, compared.head);
  tree.note(due.map(([path, oid]) => ({ path, oid, mode: oid === null ? null : "100644" })));
  const facts = new Facts(storedFacts(db, { keep: true }), project.worktree.path, config);
  return new AtHead(db, {
    scope: project.scope,
    excluded: compared.key.excluded,
    tree,
    facts,
    view: project.worktree.id,
  });
}

/** What was said before about what is asked. Only what was written in this clone: text of others is shown to no model here. */
export async function formerTexts({ atHead }: Compared, files: readonly AskedFile[]): Promise<FormerTexts> {
  await atHead.prepare(
    files.map(({ verdict }) => verdict.filePath),
    { texts: true },
  );
  const find = (path: string, { type, name }: { type: "file" | "function" | "class"; name: string }) => {
    const symbol = atHead.file(path).symbols.get(type, name);
    const row = symbol === undefined ? undefined : atHead.file(path).text(symbol)?.description.row;
    return row?.source === "here" ? row : undefined;
  };
  return {
    describedOid: (path, symbol) => {
      const row = find(path, symbol);
      return row?.path === path && row.name === symbol.name ? row.blob : null;
    },
    previous: (path, symbol) => summaryOf(find(path, symbol)?.text),
    others: (path) =>
      pieceNodes(atHead.db, atHead.scope, path)
        .filter(isOther)
        .map((node) =>
          packetNode(node, summaryOf(atHead.file(path).text(atHead.file(path).symbols.of(node))?.description.text)),
        ),
  };
}

function summaryOf(text: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  return typeof text?.summary === "string" ? text.summary : undefined;
}
