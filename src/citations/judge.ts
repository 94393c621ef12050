import { deletionsOf } from "../git/moves.js";
import { ignoredAmong } from "../git/tracked.js";
import { listTree } from "../git/trees.js";
import { baseOf } from "../graph/resolve/file-index.js";
import { citationsOf, type PathCitation, type ScriptCitation, type SymbolCitation } from "./cited.js";
import { judgeSymbols } from "./judge-symbols.js";
import { Deletions, type Fate, fatesOf, type LostPath, PathEnds } from "./moved-paths.js";
import {
  byDocument,
  type DocumentText,
  type Finding,
  type Judgement,
  originsOf,
  type Present,
  type Suspect,
  Tally,
} from "./present.js";
import { Commits, WorkTree, withFolders } from "./snapshots.js";
import { mayStillRun, meantManifests, meantPaths, neededPaths, type Snapshot, truthOf } from "./truth.js";

type Located = PathCitation | ScriptCitation;

/** A citation that was true when its line was written. */
interface Broken<T extends Located = Located> extends Suspect<T> {
  commit: string;
  /** The document's path in that commit. */
  formerly: string;
  /** What it meant: a path from the root; of a script the file that had it. */
  target: string;
  base: "document" | "root";
}

/** A line that says itself that something is not there any more. */
const PAST = /\b(?:removed|deleted|dropped|renamed|deprecated|formerly|previously|no longer|used to)\b/i;

function isAboutPast(texts: ReadonlyMap<string, string>): (finding: Finding) => boolean {
  const lines = new Map<string, string[]>();
  return ({ file, line, verdict }) => {
    if (verdict === "changed") return false;
    const own = lines.get(file) ?? (texts.get(file) ?? "").split("\n");
    lines.set(file, own);
    return PAST.test(own[line - 1] ?? "");
  };
}

const isAmong = (names: ReadonlySet<string> | null, name: string): boolean =>
  names === null || name.split(".").some((part) => names.has(part));

/** Judges the citations of documents: a function of their texts, HEAD, the uncommitted changes and history. `names`: of the symbols only these. */
export async function judge(
  present: Present,
  documents: readonly DocumentText[],
  { isChangeWanted = false, names = null }: { isChangeWanted?: boolean; names?: ReadonlySet<string> | null } = {},
): Promise<Judgement> {
  const { cwd, head } = present;
  const commits = new Commits(cwd);
  const all = documents.flatMap((document) => citationsOf(document.text).map((citation) => ({ document, citation })));
  const located = all.filter((one): one is Suspect<Located> => one.citation.kind !== "symbol");
  await commits.load(located.flatMap((one) => needed(one, head, one.document.path)));
  const now =
    present.changes === null
      ? commits.at(head)
      : await WorkTree.over(commits.at(head), { cwd, head, changes: present.changes }, present.read);
  const tally = new Tally();
  const suspects = located.filter(({ citation, document }) => {
    const { isTrue } = truthOf(citation, document.path, now);
    if (isTrue === true) tally.count(document);
    return isTrue === false;
  });
  const known = await wholeHistory(present, suspects);
  const once = await trueOnce(present, commits, {
    suspects: suspects.filter((one) => mayHaveBeenTrue(one, known)),
    tally,
  });
  const broken = await stillBroken(present, { commits, now }, once);
  const findings = await findingsOf(present, { commits, now, deletions: known?.deletions ?? null }, broken);
  const cited = all.filter(
    (one): one is Suspect<SymbolCitation> => one.citation.kind === "symbol" && isAmong(names, one.citation.name),
  );
  const symbols = await judgeSymbols(present, { cited, isChangeWanted, tally });
  const lines = new Map(documents.map(({ path, text }) => [path, text]));
  const isPast = isAboutPast(lines);
  return { ...tally.totals(), broken: [...findings, ...symbols].filter((one) => !isPast(one)).sort(byPlace) };
}

/** Of more documents than this, one walk through the whole history costs less than to ask who wrote their lines. */
const FEW_DOCUMENTS = 8;

interface Known {
  deletions: Deletions;
  /** What HEAD has. */
  here: PathEnds;
}

async function wholeHistory({ cwd, head }: Present, suspects: readonly Suspect<Located>[]): Promise<Known | null> {
  if (new Set(suspects.map(({ document }) => document)).size <= FEW_DOCUMENTS) return null;
  const here = new PathEnds();
  for (const { path } of await listTree(cwd, head)) for (const one of withFolders(path)) here.add(one);
  return { deletions: new Deletions(await deletionsOf(cwd, head, null)), here };
}

/** A path that was never deleted was never here, whichever folder its document was in; or its document has moved, and the path has not. */
function mayHaveBeenTrue({ citation, document }: Suspect<Located>, known: Known | null): boolean {
  if (known === null || citation.kind === "script" || document.blob === null) return true;
  const { deletions, here } = known;
  return (
    deletions.ends.has(citation.path) ||
    (citation.isLink && here.has(citation.path) && deletions.ends.has(baseOf(document.path)))
  );
}

function byPlace(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.cited.column - b.cited.column;
}

const needed = ({ citation }: Suspect, commit: string, document: string) =>
  neededPaths(citation, document).map((path) => ({ commit, path }));

/** Those that were true at the commit that wrote their line last. */
async function trueOnce(
  present: Present,
  commits: Commits,
  { suspects, tally }: { suspects: readonly Suspect<Located>[]; tally: Tally },
): Promise<Broken[]> {
  const written: (Suspect<Located> & { commit: string; formerly: string })[] = [];
  for (const [document, own] of byDocument(suspects)) {
    const origins = await originsOf(
      present,
      document,
      own.map(({ citation }) => citation.line),
    );
    for (const one of own) {
      const origin = origins?.get(one.citation.line);
      if (origin === undefined) tally.leaveOpen(document);
      else if (origin.commit !== null) written.push({ ...one, commit: origin.commit, formerly: origin.path });
    }
  }
  await commits.load(written.flatMap((one) => needed(one, one.commit, one.formerly)));
  return written.flatMap((one): Broken[] => {
    const { isTrue, target, base } = truthOf(one.citation, one.formerly, commits.at(one.commit));
    if (isTrue === true && target !== null) {
      tally.count(one.document);
      return [{ ...one, target, base }];
    }
    if (present.shallow.has(one.commit)) tally.leaveOpen(one.document);
    return [];
  });
}

interface Trees {
  commits: Commits;
  now: Snapshot;
}

interface Past extends Trees {
  deletions: Deletions | null;
}

/** Without what is true in another way than its line says. */
async function stillBroken(present: Present, { commits, now }: Trees, once: readonly Broken[]): Promise<Broken[]> {
  const paths = once.flatMap(({ citation, document }) =>
    citation.kind === "path"
      ? meantPaths(citation, document.path).map(({ path }) => path)
      : meantManifests(citation, document.path),
  );
  const targets = once.flatMap(({ citation, target }) => (citation.kind === "path" ? [target] : []));
  await commits.load(targets.map((path) => ({ commit: present.head, path })));
  await commits.confirm(present.head, [...paths, ...targets]);
  const left = once.filter(({ citation, document, target }) => {
    if (citation.kind === "script") return !mayStillRun(citation, document.path, now);
    if (truthOf(citation, document.path, now).isTrue !== false || now.at(target) === "beyond") return false;
    // The document has moved, not what it names: only a link has to be followed from where it stands.
    return citation.isLink || now.at(target) === null;
  });
  const lost = (one: Broken) =>
    one.citation.kind === "path"
      ? [one.target, ...meantPaths(one.citation, one.document.path).map(({ path }) => path)]
      : [];
  // What is built and not committed any more may well be there.
  const ignored = await ignoredAmong(present.cwd, [...new Set(left.flatMap(lost))]);
  return left.filter((one) => !lost(one).some((path) => ignored.has(path)));
}

async function findingsOf(
  present: Present,
  { commits, now, deletions }: Past,
  broken: readonly Broken[],
): Promise<Finding[]> {
  const lost = new Map<Broken, LostPath>();
  for (const one of broken)
    if (one.citation.kind === "path" && now.at(one.target) === null)
      lost.set(one, {
        path: one.target,
        commit: one.commit,
        isFolder: commits.at(one.commit).at(one.target) === "folder",
      });
  const fates = await fatesOf({ cwd: present.cwd, head: present.head, commits, deletions }, [...lost.values()]);
  return broken.map((one): Finding => {
    const { document, citation, commit, target } = one;
    const shared = { file: document.path, line: citation.line, kind: citation.kind, since: commit };
    const place = { column: citation.column, written: citation.written };
    if (citation.kind === "script") {
      const script = renamedScript(one as Broken<ScriptCitation>, { commits, now });
      const to = script === null ? {} : { to: citation.command.replace(citation.script, () => script) };
      return {
        ...shared,
        target: citation.command,
        verdict: script === null ? "gone" : "moved",
        ...to,
        cited: { ...place, correction: script, via: [] },
      };
    }
    const lostPath = lost.get(one);
    const fate: Fate =
      lostPath === undefined ? { to: target, via: [target] } : (fates.get(lostPath) ?? { gone: null, via: [] });
    const shown = lostPath === undefined ? (meantPaths(citation, document.path)[0]?.path ?? target) : target;
    const via = fate.via.map((path) => `p:${path}`);
    if ("to" in fate) {
      const correction = writtenPath(citation, { document: document.path, to: fate.to, base: one.base });
      return { ...shared, target: shown, verdict: "moved", to: fate.to, cited: { ...place, correction, via } };
    }
    const detail = fate.gone === null ? {} : { detail: `deleted in ${fate.gone.slice(0, 10)}` };
    return { ...shared, target: shown, verdict: "gone", ...detail, cited: { ...place, correction: null, via } };
  });
}

/** The one script that runs what the lost one ran, and was not there before. */
function renamedScript(
  { citation, document, commit, target }: Broken<ScriptCitation>,
  { commits, now }: Trees,
): string | null {
  const before = commits.at(commit).manifest(target)?.scripts;
  const nearest = meantManifests(citation, document.path).find((path) => now.at(path) !== null);
  const after = nearest === undefined ? undefined : now.manifest(nearest)?.scripts;
  const run = before?.get(citation.script);
  if (run === undefined || run.trim() === "" || after === undefined) return null;
  const same = [...after].filter(([name, text]) => text === run && before?.has(name) !== true);
  return same.length === 1 ? (same[0]?.[0] ?? null) : null;
}

/** The new path in the form of the old one: relative to the document or to the root, a link encoded. */
function writtenPath(
  { path, isLink }: PathCitation,
  { document, to, base }: { document: string; to: string; base: "document" | "root" },
): string {
  const end = path.endsWith("/") && !to.endsWith("/") ? "/" : "";
  if (path.startsWith("/")) return `/${isLink ? encodeURI(to) : to}${end}`;
  const written = base === "root" ? to : relativePath(document, to);
  const start = path.startsWith("./") && !written.startsWith("../") ? "./" : "";
  return `${start}${isLink ? encodeURI(written) : written}${end}`;
}

function relativePath(document: string, to: string): string {
  const from = document.split("/").slice(0, -1);
  const parts = to.split("/");
  let shared = 0;
  while (shared < from.length && shared < parts.length - 1 && from[shared] === parts[shared]) shared++;
  return [...from.slice(shared).map(() => ".."), ...parts.slice(shared)].join("/");
}
