import { UaError } from "../errors.js";
import type { Drift } from "../fingerprint/types.js";
import { isRegularFile, listTree } from "../git/trees.js";
import { fileId } from "../graph/ids.js";
import type { GraphNode } from "../graph/types.js";
import { isAdopted } from "../knowledge/adopted.js";
import { Baseline } from "../knowledge/baseline.js";
import { type DescribedBy, descriptionsAt, distanceOf, originOf } from "../knowledge/described.js";
import { originOfText } from "../knowledge/descriptions.js";
import { Facts, storedFacts } from "../knowledge/facts.js";
import { storedNodes } from "../knowledge/stored-graph.js";
import { symbolStates } from "../knowledge/symbol-states.js";
import type { MarkerSymbol } from "../marker/symbols.js";
import type { LoadedContext } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { askedFiles } from "./asked.js";
import { compareWithBaseline, isDescribedIn } from "./compare.js";
import { type DependentUses, dependentUses } from "./dependents.js";
import { compareApart } from "./file-symbols.js";
import { comparePaths, type PathVerdict } from "./verdicts.js";

/** Explains one path of a worktree. */
export interface PathExplanation {
  inGraph: boolean;
  analysedOid: string | null;
  headOid: string | null;
  drift: Drift;
  details: string[];
  /** What the graph says about the file, or about the symbol that was asked for; null where it has no node. */
  shown: ShownText | null;
  /** What changed in which symbol. */
  symbols: ExplainedSymbol[];
  importers: string[];
  /** Which files name something whose interface changed. */
  dependentUses: DependentUses;
  /** The grammar cannot read all of it: what it read is compared by symbol, the rest by its text. */
  partlyRead?: true;
}

interface ShownText extends DescribedBy {
  id: string;
  summary: string;
}

export interface ExplainedSymbol extends MarkerSymbol, DescribedBy {
  /** Whether a model is asked about it. */
  asked: boolean;
  /** Whether it has a description that may be false. */
  review: boolean;
}

type PathChange = Pick<PathVerdict, "drift" | "details"> & Partial<PathVerdict>;

/** `name`: only what is about this symbol of it; the name of a method or of a nested one has its class in front of it. */
export async function explainPath(
  context: LoadedContext,
  head: string,
  { path, name }: { path: string; name?: string },
): Promise<PathExplanation> {
  const { db, project, config, rules } = context;
  const cwd = project.worktree.path;
  const baseline = new Baseline(db, project.scope, project.worktree.id);
  const [entry] = await listTree(cwd, head, [path]);
  const headOid = entry !== undefined && isRegularFile(entry.mode) ? entry.oid : null;
  const analysed = baseline.get(path);
  const inGraph = analysed?.inGraph ?? false;
  const facts = new Facts(storedFacts(db, { keep: false }), cwd, config);
  const covered = rules.covers(path, inGraph);
  const alone = covered ? await verdictOn(context, { path, oid: headOid }, { baseline, facts }) : undefined;
  const change = (await asRename(context, head, path, alone?.drift)) ?? alone ?? NOTHING;
  const { drift, details } = change;
  const nodes = storedNodes(db, project.scope, path);
  const whole = { ...UNKNOWN, filePath: path, oid: headOid, analysedOid: analysed?.oid ?? null, ...change };
  const isAbout = (id: string) => name === undefined || id.endsWith(`:${name}`);
  const symbols = explainSymbols(context, whole, facts).filter(({ id }) => isAbout(id));
  if (name !== undefined && symbols.length === 0 && !nodes.some(({ id }) => isAbout(id)))
    await requireSymbol(facts, { path, oid: covered ? headOid : null }, name);
  return {
    inGraph,
    analysedOid: analysed?.oid ?? null,
    headOid,
    drift,
    details,
    shown: shownText(
      db,
      nodes.find(({ id }) => (name === undefined ? id === fileId(path) : isAbout(id))),
    ),
    symbols,
    importers: baseline.importersOf(path),
    dependentUses: await dependentUses(
      [whole],
      [],
      { ...baseline.imports, facts },
      { filesToReanalyze: [path], deletedFiles: [] },
    ),
    ...((await isPartlyRead(facts, path, covered ? headOid : null)) ? { partlyRead: true } : {}),
  };
}

function shownText(db: Db, node: GraphNode | undefined): ShownText | null {
  if (node === undefined) return null;
  const origin = originOfText(db, node);
  const by = origin === null ? {} : { describedBy: origin.author ?? origin.source, describedAt: origin.at };
  return { id: node.id, summary: String(node.summary), ...by };
}

/** A new file is not in the graph yet, and is asked about as a whole. */
async function requireSymbol(facts: Facts, { path, oid }: { path: string; oid: string | null }, name: string) {
  const fact = oid === null ? undefined : [...(await facts.of([{ path, oid }])).values()][0];
  const ids = oid === null ? [] : symbolStates(path, oid, fact).map(({ id }) => id);
  if (!ids.some((id) => id.endsWith(`:${name}`)))
    throw new UaError(
      "usage",
      `${path} has no function or class ${name}`,
      `\`ua-hooks why ${path}\` lists what changed`,
    );
}

async function isPartlyRead(facts: Facts, path: string, oid: string | null): Promise<boolean> {
  const known = oid === null ? [] : [...(await facts.of([{ path, oid }])).values()];
  return known.some(({ unreadable }) => unreadable !== undefined);
}

const NOTHING: PathChange = { drift: "none", details: [] };
const UNKNOWN = { changeLevel: "NONE" as const };

async function verdictOn(
  { db }: LoadedContext,
  { path, oid }: { path: string; oid: string | null },
  around: { baseline: Baseline; facts: Facts },
): Promise<PathVerdict | undefined> {
  const heads = new Map([[path, oid]]);
  const compared = await comparePaths(heads, around.baseline, around.facts, new Map());
  const [verdict] = await compareApart(db, compared, { heads, only: new Set([path]) }, around);
  return verdict;
}

function explainSymbols({ db, project, config }: LoadedContext, verdict: PathVerdict, facts: Facts): ExplainedSymbol[] {
  const { filePath: path, oid, symbols = [] } = verdict;
  const isDescribed = isDescribedIn(db, project.scope, [verdict], facts);
  const asked = askedFiles([verdict], config.refresh, isDescribed).get(path)?.symbols ?? [];
  const descriptionOf = descriptionsAt(db, project.scope, { heads: new Map([[path, oid]]), facts });
  return symbols.map((symbol) => {
    const { id, change, lineRange } = symbol;
    const found = oid === null ? null : descriptionOf({ path, oid }, symbol);
    const review = change === "behaviour" && distanceOf(found) === "behaviour";
    return { id, change, lineRange, asked: asked.includes(symbol), review, ...originOf(found) };
  });
}

/** A path that was added or deleted may be one side of a rename. */
async function asRename(
  context: LoadedContext,
  commit: string,
  path: string,
  alone: Drift | undefined,
): Promise<PathChange | null> {
  if ((alone !== "new" && alone !== "gone") || !isAdopted(context.db, context.project)) return null;
  const { renamedFiles, fileChanges } = await compareWithBaseline(context, { commit }, { keep: false });
  const left = renamedFiles.find(({ from }) => from === path);
  if (left !== undefined) return { drift: "gone", details: [`renamed to ${left.to}`] };
  return fileChanges.find(({ filePath }) => filePath === path) ?? null;
}
