import { existsSync } from "node:fs";
import { UaError } from "../errors.js";
import { readHead } from "../git/head.js";
import { fileId } from "../graph/ids.js";
import { GRAPH } from "../knowledge/artefacts.js";
import type { AtHead, FileAtHead, ShownText } from "../knowledge/at-head.js";
import type { DescribedBy } from "../knowledge/described.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { pieceNodes } from "../knowledge/graph-pieces.js";
import { hasSlice, sliceOfFile } from "../knowledge/slices.js";
import type { Context, LoadedContext } from "../repository/context.js";
import { explainRules } from "../repository/rules.js";
import { askedFiles } from "../verification/asked.js";
import { dependentUses } from "../verification/dependents.js";
import { driftOf } from "../verification/drift.js";
import { type FileExplanation, repositoryPath } from "../verification/explain.js";
import type { ExplainedSymbol, PathExplanation } from "../verification/explanation.js";
import type { PathVerdict } from "../verification/verdicts.js";
import { openAtHead } from "./at-commit.js";
import { importIndex } from "./compare.js";
import { readWorktree } from "./read.js";

/** Explains one file of a worktree, or one symbol of it, after the loop (invariant "reads verify first"). */
export async function explainFile(context: Context, absolute: string, name?: string): Promise<FileExplanation> {
  const { project } = context;
  const path = repositoryPath(project, absolute);
  await readWorktree(context);
  const { commit } = await readHead(project.worktree.gitDir, project.commonDir);
  if (commit === null) throw new UaError("usage", "there is no commit yet");
  const loaded = await context.load();
  const atHead = await openAtHead(loaded, commit);
  await atHead.prepare([path], { texts: true });
  const found = await explainPath(loaded, atHead, path, name);
  if (found.headOid === null && found.analysedOid === null && found.drift === "none" && !existsSync(absolute))
    throw new UaError("usage", `there is no file ${path}, and none is described under this name`);
  const rule = await explainRules(path, project.root, project.dataDir, loaded.config);
  return { path, covered: loaded.rules.covers(path, found.inGraph), ...rule, ...found };
}

async function explainPath(
  { db, project, config, rules }: LoadedContext,
  atHead: AtHead,
  path: string,
  name: string | undefined,
): Promise<PathExplanation> {
  const file = atHead.file(path);
  const nodes = pieceNodes(db, project.scope, path);
  const inGraph = (nodes.length > 0 && file.isStated) || hasSlice(db, project.scope, GRAPH, sliceOfFile(path));
  const covered = rules.covers(path, inGraph);
  const found = covered ? driftOf(atHead, path) : null;
  const verdict = found === null || found.drift !== "gone" ? withRename(file, found) : found;
  const isAbout = (id: string) => name === undefined || id.endsWith(`:${name}`);
  const symbols = explainSymbols(file, verdict, config.refresh).filter(({ id }) => isAbout(id));
  const known = file.symbols.all().some(({ id }) => isAbout(id));
  if (name !== undefined && symbols.length === 0 && !known && !nodes.some(({ id }) => isAbout(id)))
    throw new UaError(
      "usage",
      `${path} has no function or class ${name}`,
      `\`ua-hooks why ${path}\` lists what changed`,
    );
  const analysedOid = file.isRenamed ? null : (file.nearestContent?.hash ?? null);
  const imports = importIndex(db, project.scope);
  const facts = new Facts(storedFacts(db, { keep: false }), project.worktree.path, config);
  const node = nodes.find(({ id }) => (name === undefined ? id === fileId(path) : isAbout(id)));
  const whole = verdict ?? {
    ...UNCHANGED,
    filePath: path,
    oid: file.blob,
    analysedOid,
  };
  const listed = { filesToReanalyze: [path], deletedFiles: [] };
  return {
    inGraph,
    analysedOid,
    headOid: file.blob,
    drift: verdict?.drift ?? "none",
    details: verdict?.details ?? [],
    shown:
      node === undefined
        ? null
        : { id: node.id, summary: String(node.summary), ...writtenBy(file.text(file.symbols.of(node))) },
    symbols,
    importers: imports.importersOf(path),
    dependentUses: await dependentUses([whole], [], { ...imports, facts }, listed),
    ...(file.fact?.unreadable === undefined ? {} : { partlyRead: true }),
  };
}

function writtenBy(text: ShownText | null): DescribedBy {
  if (text === null) return {};
  const { row } = text.description;
  return { describedBy: row.author ?? row.source, describedAt: row.at };
}

const UNCHANGED: Pick<PathVerdict, "changeLevel" | "drift" | "details"> = {
  changeLevel: "NONE",
  drift: "none",
  details: [],
};

function withRename(file: FileAtHead, verdict: PathVerdict | null): PathVerdict | null {
  const from = file.formerName;
  return verdict === null || from === null
    ? verdict
    : { ...verdict, details: [`renamed from ${from}`, ...verdict.details] };
}

function explainSymbols(
  file: FileAtHead,
  verdict: PathVerdict | null,
  refresh: LoadedContext["config"]["refresh"],
): ExplainedSymbol[] {
  if (verdict === null) return [];
  const asked = askedFiles([verdict], refresh, () => false).get(verdict.filePath)?.symbols ?? [];
  return (verdict.symbols ?? []).map((symbol) => {
    const { id, type, name, change, lineRange } = symbol;
    const at = file.symbols.get(type, name);
    const text = at === undefined ? null : file.text(at);
    const review = change === "behaviour" && text?.nearness === "behaviour";
    return { id, change, lineRange, asked: asked.includes(symbol), review, ...writtenBy(text) };
  });
}
