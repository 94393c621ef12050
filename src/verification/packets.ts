import { languageOf } from "../fingerprint/languages.js";
import { blobSizes, readBlobs } from "../git/blobs.js";
import type { GraphNode } from "../graph/types.js";
import { Baseline } from "../knowledge/baseline.js";
import { descriptionsAt } from "../knowledge/described.js";
import type { Description } from "../knowledge/descriptions.js";
import { Facts, factKey, storedFacts } from "../knowledge/facts.js";
import { originOfOther, otherNodes } from "../knowledge/other-nodes.js";
import type { Due } from "../marker/questions.js";
import { FileText } from "../packets/file-text.js";
import { buildPacket, type Packet, type PacketNode, packetTokens, tokensOf } from "../packets/packet.js";
import { PAGE_BYTES, pagesOf } from "../packets/pages.js";
import type { LoadedContext } from "../repository/context.js";
import { type Asked, askedFiles, isAsked } from "./asked.js";
import { type Comparison, isDescribedIn } from "./compare.js";
import { compareApart } from "./file-symbols.js";
import type { SymbolVerdict } from "./symbol-changes.js";
import { comparePaths, type PathVerdict } from "./verdicts.js";

/** A file about which something is asked, at the content that it is asked about. */
export interface AskedFile {
  verdict: PathVerdict & { oid: string };
  asked: Asked;
}

/** The files of an update, in its order; also of one that was claimed before HEAD moved on. */
export async function askedFilesOf(
  context: LoadedContext,
  { fileChanges, asked }: Pick<Comparison, "fileChanges" | "asked">,
  due: readonly Due[],
): Promise<AskedFile[]> {
  const now = new Map(fileChanges.map((verdict) => [verdict.filePath, verdict]));
  const left = due.filter(([path, oid]) => oid !== null && now.get(path)?.oid !== oid);
  const earlier = left.length === 0 ? new Map<string, AskedFile>() : await askedEarlier(context, left);
  return due.flatMap(([path, oid]) => {
    if (oid === null) return [];
    const verdict = now.get(path);
    const found = asked.get(path);
    if (verdict?.oid !== oid || found === undefined) return earlier.get(path) ?? [];
    return [{ verdict: { ...verdict, oid }, asked: found }];
  });
}

async function askedEarlier(context: LoadedContext, due: readonly Due[]): Promise<Map<string, AskedFile>> {
  const { db, project, config } = context;
  const { scope, worktree } = project;
  const heads = new Map(due);
  const baseline = new Baseline(db, scope, worktree.id);
  const facts = new Facts(storedFacts(db, { keep: true }), worktree.path, config);
  const compared = await comparePaths(heads, baseline, facts, new Map());
  const verdicts = await compareApart(db, compared, { heads, only: new Set(heads.keys()) }, { baseline, facts });
  const asked = askedFiles(verdicts, config.refresh, isDescribedIn(db, scope, verdicts, facts));
  return new Map(
    verdicts.flatMap((verdict) => {
      const [found, oid] = [asked.get(verdict.filePath), verdict.oid];
      if (found === undefined || oid === null || !isAsked(found)) return [];
      return [[verdict.filePath, { verdict: { ...verdict, oid }, asked: found }]];
    }),
  );
}

/** What was said before about what is asked. */
export interface FormerTexts {
  /** The content that a symbol was described at; null where that is not known, or the text is from outside of this clone. */
  describedOid(path: string, symbol: SymbolPlace): string | null;
  /** Only what was written in this clone: text of others is shown to no model here. */
  previous(path: string, symbol: SymbolPlace): string | undefined;
  /** Nodes of the file that are not computed. */
  others(path: string): PacketNode[];
}

type SymbolPlace = Pick<SymbolVerdict, "type" | "name">;

function storedTexts({ db, project }: LoadedContext, files: readonly AskedFile[], facts: Facts): FormerTexts {
  const heads = new Map(files.map(({ verdict: { filePath, oid } }) => [filePath, oid]));
  const descriptionOf = descriptionsAt(db, project.scope, { heads, facts });
  const find = (path: string, symbol: SymbolPlace) =>
    descriptionOf({ path, oid: heads.get(path) ?? "" }, symbol)?.description;
  return {
    describedOid: (path, symbol) => describedOid(path, symbol, find(path, symbol)),
    previous: (path, symbol) => previousText(find(path, symbol)),
    others: (path) =>
      otherNodes(db, project.scope, path).map((node) =>
        packetNode(node, previousText(originOfOther(db, path, node) ?? undefined)),
      ),
  };
}

/** The packets of some files; everything in them is from git's blobs, never from the work tree. */
export async function packetsOf(
  context: LoadedContext,
  files: readonly AskedFile[],
  given?: FormerTexts,
): Promise<Packet[]> {
  const { db, project, config } = context;
  const { path: cwd } = project.worktree;
  const facts = new Facts(storedFacts(db, { keep: true }), cwd, config);
  const contents = files.flatMap(({ verdict: { filePath: path, oid, analysedOid }, asked }) =>
    [oid, ...(asked.isWhole || analysedOid === null ? [] : [analysedOid])].map((one) => ({ path, oid: one })),
  );
  await facts.of(contents);
  const former = given ?? storedTexts(context, files, facts);
  const all = [...contents, ...files.flatMap((file) => describedContents(file, former))];
  const known = await facts.of(all);
  const texts = await readBlobs(
    cwd,
    all.map(({ oid }) => oid),
  );
  const textOf = (path: string, oid: string | null) => {
    const blob = oid === null ? undefined : texts.get(oid);
    if (blob === undefined || oid === null || blob.includes(0)) return null;
    return new FileText(path, blob.toString("utf8"), known.get(factKey({ path, oid })));
  };
  return files.map(({ verdict: { filePath: path, oid, analysedOid, symbols = [] }, asked }) => {
    // Nothing was analysed before: all that is asked about is new, also outside of functions and classes.
    const nothing = analysedOid === null ? new FileText(path, "", undefined) : null;
    const before = asked.isWhole ? null : (textOf(path, analysedOid) ?? nothing);
    return buildPacket({
      ...{ path, language: languageOf(path)?.name ?? null, asked, before },
      after: textOf(path, oid) ?? new FileText(path, "", known.get(factKey({ path, oid }))),
      gone: symbols.filter(({ change }) => change === "gone").map(({ name }) => name),
      describedIn: (symbol) => textOf(path, former.describedOid(path, symbol)),
      previousOf: (symbol) => former.previous(path, symbol),
      others: former.others(path),
    });
  });
}

/** The contents that symbols were described at: the graph can have taken the structure of a later one. */
function describedContents({ verdict: { filePath: path }, asked }: AskedFile, former: FormerTexts) {
  return [...asked.symbols, ...asked.aging].flatMap((symbol) => {
    const described = former.describedOid(path, symbol);
    return described === null ? [] : [{ path, oid: described }];
  });
}

function describedOid(path: string, { name }: { name: string }, found: Description | undefined): string | null {
  return found?.source === "here" && found.key.path === path && found.key.name === name ? found.oid : null;
}

/** Only what was written in this clone: text of others is shown to no model here. */
function previousText(description: Description | undefined): string | undefined {
  const summary = description?.source === "here" ? description.text.summary : undefined;
  return typeof summary === "string" ? summary : undefined;
}

export function packetNode({ id, type, name, lineRange }: GraphNode, previous: string | undefined): PacketNode {
  return { id, type, name, lineRange: lineRange ?? null, ...(previous === undefined ? {} : { previous }) };
}

/** With more files than these, pages are cut by the sizes of the files, so that a page costs what it shows. */
const MANY_FILES = 500;

export interface PacketPage {
  packets: Packet[];
  page: number;
  pages: number;
}

/** `page`: from 1 on; one that is not there is empty. */
export async function packetPage(
  context: LoadedContext,
  files: readonly AskedFile[],
  page: number,
  former?: FormerTexts,
): Promise<PacketPage> {
  if (files.length <= MANY_FILES) {
    const pages = pagesOf(await packetsOf(context, files, former));
    return { packets: pages[page - 1] ?? [], page, pages: pages.length };
  }
  const shares = await sharesBySize(context, files);
  const packets = pagesOf(await packetsOf(context, shares[page - 1] ?? [], former)).flat();
  return { packets, page, pages: shares.length };
}

/** With room for names and JSON's escapes. */
async function sharesBySize({ project }: LoadedContext, files: readonly AskedFile[]): Promise<AskedFile[][]> {
  const sizes = await blobSizes(
    project.worktree.path,
    files.map(({ verdict }) => verdict.oid),
  );
  const shares: AskedFile[][] = [];
  let left = 0;
  for (const file of files) {
    const size = Math.min(2 * (sizes.get(file.verdict.oid) ?? 0) + 1000, PAGE_BYTES);
    if (size > left) {
      shares.push([]);
      left = PAGE_BYTES;
    }
    shares.at(-1)?.push(file);
    left -= size;
  }
  return shares;
}

/** Of so many files the packets are made and measured. */
const MEASURED = 200;
/** New files are parsed for it, up to so many bytes of them; of the others the size is counted. */
const MEASURED_BYTES = 512 * 1024;

/** How many tokens a model reads for an update. */
export async function measureTokens(
  context: LoadedContext,
  files: readonly AskedFile[],
  former?: FormerTexts,
): Promise<number> {
  const unsure = files.length > MEASURED ? files : files.filter(({ asked }) => asked.isWhole);
  const sizes = await blobSizes(
    context.project.worktree.path,
    unsure.map(({ verdict }) => verdict.oid),
  );
  const sizeOf = ({ verdict }: AskedFile) => sizes.get(verdict.oid) ?? 0;
  const measured = new Set<AskedFile>();
  let left = MEASURED_BYTES;
  for (const file of files) {
    const size = file.asked.isWhole ? sizeOf(file) : 0;
    if (measured.size === MEASURED || size > left) continue;
    measured.add(file);
    left -= size;
  }
  const packets = await packetsOf(context, [...measured], former);
  const tokens = [
    ...packets.map(packetTokens),
    ...files.flatMap((file) => (measured.has(file) ? [] : [tokensOf(sizeOf(file))])),
  ];
  return tokens.reduce((total, one) => total + one, 0);
}
