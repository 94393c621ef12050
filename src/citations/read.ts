import { existsSync } from "node:fs";
import { join } from "node:path";
import { isSource } from "../fingerprint/languages.js";
import { blobSizes, plainFile, readBlobs } from "../git/blobs.js";
import { filesWithWords } from "../git/grep.js";
import { readHead } from "../git/head.js";
import { lookUp, lookupKey } from "../git/lookups.js";
import { type Uncommitted, workState } from "../git/status.js";
import { diffTrees, isRegularFile, listTree, type TreeChange } from "../git/trees.js";
import { worktreeOids } from "../git/worktree.js";
import { Facts, factKey, memoryFacts, storedFacts } from "../knowledge/facts.js";
import type { LoadedContext } from "../repository/context.js";
import { readTextIfThere } from "../store/files.js";
import {
  cachedBlame,
  cachedNames,
  DocumentIndex,
  type IndexedDocument,
  type IndexedFinding,
  plainNames,
} from "./caches.js";
import { citationsOf, FINDER } from "./cited.js";
import { isDocument } from "./documents.js";
import { judge } from "./judge.js";
import { lastName } from "./names.js";
import { writeNews } from "./news.js";
import { type DocumentText, type Finding, type Judgement, type Present, plainBlame, type Sources } from "./present.js";
import { withFolders } from "./snapshots.js";
import { touchedBetween } from "./touched.js";
import { neededPaths } from "./truth.js";

/** What the documents of a worktree say that is not true any more. */
export interface DocumentsReport extends Omit<Judgement, "byDocument"> {
  head: string | null;
  documents: number;
  broken: IndexedFinding[];
  /** Documents that are too large to be read. */
  skipped: string[];
}

/** A checkout with more documents has generated ones; the others are not read. */
const MOST_DOCUMENTS = 20_000;
const MOST_DOCUMENT_BYTES = 1024 * 1024;
/** When more files changed than this, all documents are judged. */
const MOST_CHANGED_SOURCES = 300;

const isDocumentRule = (path: string): boolean => /(?:^|\/)\.gitignore$/.test(path);

/** How many lines of the documents of a work tree are no longer true. */
export async function countBrokenLines(context: LoadedContext): Promise<number> {
  const { broken } = await (await Documents.open(context, { isKept: true })).inWorkTree();
  return new Set(broken.map(({ file, line }) => `${file}:${line}`)).size;
}

/** Reads and judges the documents of one worktree. `isKept`: there is a state to keep caches in. */
export class Documents {
  readonly #context: LoadedContext;
  readonly #cwd: string;
  readonly #isKept: boolean;
  readonly #covers: (path: string) => boolean;
  readonly #isDocument: (path: string) => boolean;
  readonly #rules: string;

  private constructor(context: LoadedContext, isKept: boolean, chosen: Chosen) {
    this.#context = context;
    this.#cwd = context.project.worktree.path;
    this.#isKept = isKept;
    this.#covers = (path) => isSource(path) && context.rules.covers(path, false);
    this.#isDocument = chosen.isDocument;
    this.#rules = chosen.rules;
  }

  static async open(context: LoadedContext, { isKept }: { isKept: boolean }): Promise<Documents> {
    return new Documents(context, isKept, await chosenDocuments(context));
  }

  /**
   * The documents with the uncommitted changes of the work tree. `only`: these documents alone; `isChangeWanted`: also symbols that are there
   * and changed.
   */
  async inWorkTree({
    only,
    isChangeWanted = false,
  }: {
    only?: (path: string) => boolean;
    isChangeWanted?: boolean;
  } = {}): Promise<DocumentsReport> {
    const { head, changes } = await workState(this.#cwd);
    if (head === null) return NOTHING;
    const isOfInterest = only ?? (() => true);
    if (isChangeWanted || !this.#isKept) return this.#judged(head, changes, isOfInterest, isChangeWanted);
    const indexed = await this.#refreshed(head);
    const stale = changes.length === 0 ? new Set<string>() : await this.#affected(changes);
    if (stale === null) return this.#judged(head, changes, isOfInterest, false);
    const fresh =
      stale.size === 0
        ? null
        : await this.#judged(head, changes, (path) => isOfInterest(path) && stale.has(path), false);
    const rest = [...indexed].filter(([path]) => isOfInterest(path) && !stale.has(path));
    return {
      head,
      documents: rest.length + (fresh?.documents ?? 0),
      citations: rest.reduce((sum, [, { citations }]) => sum + citations, fresh?.citations ?? 0),
      unknown: rest.reduce((sum, [, { unknown }]) => sum + unknown, fresh?.unknown ?? 0),
      broken: [...rest.flatMap(([, { broken }]) => broken), ...(fresh?.broken ?? [])].sort(byPlace),
      skipped: fresh?.skipped ?? [],
    };
  }

  /**
   * The lines of `head` that were true at `base`, or were written since, and are not true at `head`. Nothing is written; only documents that the
   * difference can concern are judged.
   */
  async brokenBetween(base: string, head: string): Promise<Finding[]> {
    const changes = await diffTrees(this.#cwd, base, head);
    if (changes.length === 0) return [];
    const side = (oidOf: (change: TreeChange) => string | null) =>
      changes.flatMap((change) => {
        const oid = oidOf(change);
        return oid !== null && this.#covers(change.path) ? [{ path: change.path, oid }] : [];
      });
    const names = await this.#namesThatDiffer(
      side(({ oldMode, oldOid }) => (isRegularFile(oldMode) ? oldOid : null)),
      side(({ mode, oid }) => (isRegularFile(mode) ? oid : null)),
    );
    const changed = new Set(changes.map(({ path }) => path));
    const targets = targetsOfChanges(changes, names);
    const isConcerned = (document: DocumentText) =>
      changed.has(document.path) || [...targetsOf(document)].some((target) => targets.has(target));
    const judged = async (commit: string) => {
      const { documents } = await this.#texts(commit, null, () => true);
      const present = { ...this.#present(commit, null), sources: () => this.#sourcesWith(commit, names) };
      return (await judge(present, documents.filter(isConcerned), { names })).broken;
    };
    const broken = await judged(head);
    if (broken.length === 0) return [];
    const before = await judged(base);
    return broken.filter((finding) => !before.some((one) => isSameFinding(one, finding)));
  }

  /** The source files of a commit that have any of these words. */
  async #sourcesWith(commit: string, names: ReadonlySet<string>): Promise<Sources> {
    const paths = new Set((await filesWithWords(this.#cwd, commit, names)).filter(this.#covers));
    const tree = paths.size === 0 ? [] : await listTree(this.#cwd, commit);
    return this.#sourcesOf(
      tree.filter(({ path, mode }) => isRegularFile(mode) && paths.has(path)),
      this.#facts(),
    );
  }

  /** Brings the index to HEAD; cost by what changed since. False: it was at HEAD. */
  async refresh(): Promise<boolean> {
    const { worktree, commonDir } = this.#context.project;
    const { commit } = await readHead(worktree.gitDir, commonDir);
    const index = new DocumentIndex(this.#context.db, worktree.id);
    if (commit === null || index.head(this.#rules) === commit) return false;
    await this.#refreshed(commit);
    return true;
  }

  async #refreshed(head: string): Promise<Map<string, IndexedDocument>> {
    const index = new DocumentIndex(this.#context.db, this.#context.project.worktree.id);
    const before = index.head(this.#rules);
    if (before === head) return index.documents();
    const affected = before === null ? null : await this.#affectedBetween(index, before, head);
    const known = index.documents();
    const texts = await this.#texts(head, null, (path) => affected === null || affected.has(path));
    const judgement = await judge(this.#present(head, null), texts.documents);
    const saved = new Map<string, (IndexedDocument & { targets: Set<string> }) | null>();
    for (const path of affected ?? []) saved.set(path, null);
    for (const document of texts.documents)
      saved.set(document.path, { ...NO_FINDINGS, targets: targetsOf(document), broken: [] });
    for (const [path, { citations, unknown }] of judgement.byDocument) {
      const own = saved.get(path);
      if (own) Object.assign(own, { citations, unknown });
    }
    for (const finding of judgement.broken) {
      const had = known.get(finding.file)?.broken.find((one) => isSameFinding(one, finding));
      const brokenAt = had === undefined ? (before === null ? undefined : head) : had.brokenAt;
      const own = saved.get(finding.file);
      own?.broken.push({ ...finding, ...(brokenAt === undefined ? {} : { brokenAt }) });
      for (const target of finding.cited.via) own?.targets.add(target);
    }
    const news = [...saved.values()].flatMap((one) => one?.broken.filter(({ brokenAt }) => brokenAt === head) ?? []);
    writeNews(this.#context.project, head, news.sort(byPlace));
    index.save({ head, rules: this.#rules, isWhole: affected === null }, saved);
    return index.documents();
  }

  async #affectedBetween(index: DocumentIndex, from: string, to: string): Promise<Set<string> | null> {
    const touched = await touchedBetween(this.#cwd, from, to);
    if (touched === null || touched.some(({ path }) => isDocumentRule(path))) return null;
    const paths = [...new Set(touched.map(({ path }) => path))];
    const sources = paths.filter(this.#covers);
    if (sources.length > MOST_CHANGED_SOURCES) return null;
    const wanted = sources.flatMap((path) => [from, to].map((commit) => ({ commit, path })));
    const objects = await lookUp(this.#cwd, wanted);
    const files = (commit: string) =>
      sources.flatMap((path) => {
        const found = objects.get(lookupKey({ commit, path }));
        return found?.type === "blob" ? [{ path, oid: found.oid }] : [];
      });
    const targets = targetsOfChanges(touched, await this.#namesThatDiffer(files(from), files(to)));
    return new Set([...paths.filter(this.#isDocument), ...index.citing(targets)]);
  }

  async #namesThatDiffer(
    before: readonly { path: string; oid: string }[],
    after: readonly { path: string; oid: string }[],
  ): Promise<Set<string>> {
    const { names } = this.#sourcesOf([], this.#facts());
    const [old, now] = [await names(before), await names(after)];
    const differing = new Set<string>();
    const all = (found: typeof old, path: string, oid: string | undefined) => {
      const declared = oid === undefined ? undefined : found.get(factKey({ path, oid }));
      return new Set(
        declared === undefined
          ? []
          : [...declared.symbols, ...declared.others, ...declared.heirs.map((name) => `${name}!`)],
      );
    };
    const oids = (files: typeof before) => new Map(files.map(({ path, oid }) => [path, oid]));
    const [oldOids, newOids] = [oids(before), oids(after)];
    for (const path of new Set([...oldOids.keys(), ...newOids.keys()])) {
      if (oldOids.get(path) === newOids.get(path)) continue;
      const [had, has] = [all(old, path, oldOids.get(path)), all(now, path, newOids.get(path))];
      for (const name of [...had, ...has])
        if (had.has(name) !== has.has(name)) for (const part of name.replace("!", "").split(".")) differing.add(part);
    }
    return differing;
  }

  /** Documents that uncommitted changes concern; null: all. */
  async #affected(changes: readonly Uncommitted[]): Promise<Set<string> | null> {
    const index = new DocumentIndex(this.#context.db, this.#context.project.worktree.id);
    if (changes.some(({ path }) => isDocumentRule(path))) return null;
    const targets = new Set<string>();
    for (const { path, there, untracked, headOid } of changes) {
      targets.add(`m:${path}`);
      if ((there || untracked) !== (headOid !== null)) for (const one of withFolders(path)) targets.add(`p:${one}`);
    }
    const sources = changes.filter(({ path }) => this.#covers(path));
    if (sources.length > MOST_CHANGED_SOURCES) return null;
    const facts = this.#facts();
    const before = sources.flatMap(({ path, headOid }) => (headOid === null ? [] : [{ path, oid: headOid }]));
    const after = await this.#changedSources(changes, facts);
    for (const name of await this.#namesThatDiffer(
      before,
      [...after].map(([path, oid]) => ({ path, oid })),
    ))
      targets.add(`n:${name}`);
    return new Set([...changes.map(({ path }) => path).filter(this.#isDocument), ...index.citing(targets)]);
  }

  async #judged(
    head: string,
    changes: readonly Uncommitted[] | null,
    only: (path: string) => boolean,
    isChangeWanted: boolean,
  ): Promise<DocumentsReport> {
    const { documents, skipped } = await this.#texts(head, changes, only);
    const { citations, unknown, broken } = await judge(this.#present(head, changes), documents, {
      isChangeWanted,
    });
    return { head, documents: documents.length, citations, unknown, broken, skipped };
  }

  /** The texts of documents: of the work tree where they have changes, else of the commit. */
  async #texts(
    head: string,
    changes: readonly Uncommitted[] | null,
    only: (path: string) => boolean,
  ): Promise<{ documents: DocumentText[]; skipped: string[] }> {
    const isWanted = (path: string) => this.#isDocument(path) && only(path);
    const changed = new Map((changes ?? []).filter(({ path }) => isWanted(path)).map((one) => [one.path, one]));
    const tree = (await listTree(this.#cwd, head)).filter(
      ({ path, mode }) => isRegularFile(mode) && isWanted(path) && !changed.has(path),
    );
    const sizes = await blobSizes(
      this.#cwd,
      tree.map(({ oid }) => oid),
    );
    const isSmall = (oid: string) => (sizes.get(oid) ?? Number.POSITIVE_INFINITY) <= MOST_DOCUMENT_BYTES;
    const readable = tree.filter(({ oid }) => isSmall(oid)).slice(0, MOST_DOCUMENTS);
    const blobs = await readBlobs(
      this.#cwd,
      readable.map(({ oid }) => oid),
    );
    const skipped = tree.filter(({ oid }) => !isSmall(oid)).map(({ path }) => path);
    const documents = readable.flatMap(({ path, oid }): DocumentText[] => {
      const text = blobs.get(oid)?.toString("utf8");
      return text === undefined ? [] : [{ path, blob: oid, text }];
    });
    for (const { path, there, untracked } of changed.values()) {
      const content = there || untracked ? plainFile(this.#cwd, path) : null;
      if (content === null) continue;
      if (content.length > MOST_DOCUMENT_BYTES) skipped.push(path);
      else documents.push({ path, blob: null, text: content.toString("utf8") });
    }
    return { documents, skipped };
  }

  #present(head: string, changes: readonly Uncommitted[] | null): Present {
    const { db, project } = this.#context;
    return {
      cwd: this.#cwd,
      head,
      changes,
      shallow: shallowCommits(project.commonDir),
      read: (path) => plainFile(this.#cwd, path)?.toString("utf8") ?? null,
      blame: this.#isKept ? cachedBlame(db, this.#cwd, head) : plainBlame(this.#cwd, head),
      sources: async () => {
        const facts = this.#facts();
        const changed = changes === null ? new Map<string, string>() : await this.#changedSources(changes, facts);
        const gone = new Set((changes ?? []).map(({ path }) => path));
        const tree = (await listTree(this.#cwd, head)).filter(
          ({ path, mode }) => isRegularFile(mode) && !gone.has(path) && this.#covers(path),
        );
        return this.#sourcesOf([...tree, ...[...changed].map(([path, oid]) => ({ path, oid }))], facts);
      },
    };
  }

  #sourcesOf(files: readonly { path: string; oid: string }[], facts: Facts): Sources {
    const names = this.#isKept ? cachedNames(this.#context.db, facts) : plainNames(facts);
    return { files, facts, covers: this.#covers, names };
  }

  #facts(): Facts {
    const { db, config } = this.#context;
    return new Facts(this.#isKept ? storedFacts(db, { keep: true }) : memoryFacts(MOST_REMEMBERED), this.#cwd, config);
  }

  /** Source files with uncommitted changes, as blobs. */
  async #changedSources(changes: readonly Uncommitted[], facts: Facts): Promise<Map<string, string>> {
    const there = changes.filter(({ path, there: isThere, untracked }) => (isThere || untracked) && this.#covers(path));
    const oids = await worktreeOids(
      this.#cwd,
      there.map(({ path }) => path),
    );
    const found = new Map<string, string>();
    for (const [path, oid] of oids) {
      const content = plainFile(this.#cwd, path);
      if (content === null) continue;
      facts.offer(oid, content);
      found.set(path, oid);
    }
    return found;
  }
}

const MOST_REMEMBERED = 400_000;
const NOTHING: DocumentsReport = { head: null, documents: 0, citations: 0, unknown: 0, broken: [], skipped: [] };
const NO_FINDINGS = { citations: 0, unknown: 0 };

const isSameFinding = (a: IndexedFinding, b: IndexedFinding): boolean =>
  a.kind === b.kind && a.target === b.target && a.since === b.since;

export function byPlace(a: IndexedFinding, b: IndexedFinding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.cited.column - b.cited.column;
}

/** The targets that changes between two commits concern. */
function targetsOfChanges(changes: readonly TreeChange[], names: ReadonlySet<string>): Set<string> {
  const targets = new Set<string>();
  for (const { path, oid, oldOid } of changes) {
    targets.add(`m:${path}`);
    if (oid === null || oldOid === null) for (const one of withFolders(path)) targets.add(`p:${one}`);
  }
  for (const name of names) targets.add(`n:${name}`);
  return targets;
}

/** All that a document's verdicts depend on: `p:` paths that it may mean, `m:` files of scripts, `n:` names. */
function targetsOf({ path, text }: DocumentText): Set<string> {
  const targets = new Set<string>();
  for (const citation of citationsOf(text)) {
    if (citation.kind === "symbol")
      for (const name of new Set([lastName(citation.name), ...citation.name.split(".")])) targets.add(`n:${name}`);
    else
      for (const needed of neededPaths(citation, path))
        targets.add(`${citation.kind === "path" ? "p" : "m"}:${needed}`);
  }
  return targets;
}

interface Chosen {
  isDocument(path: string): boolean;
  /** Two equal texts choose and judge alike. */
  rules: string;
}

async function chosenDocuments({ project, config, rules }: LoadedContext): Promise<Chosen> {
  const { include } = config.docs;
  const { loadRules } = await import("../repository/rules.js");
  const ignored = await loadRules(project.root, project.dataDir, { include: [], exclude: config.exclude });
  const globs =
    include.length === 0 ? null : (await import("../repository/config-globs.js")).parseGlobs(include, '"docs.include"');
  const isNamed = (path: string) => (globs === null ? isDocument(path) : globs.some((matches) => matches(path)));
  const shallow = [...shallowCommits(project.commonDir)].sort();
  return {
    isDocument: (path) => isNamed(path) && ignored.covers(path, true),
    rules: JSON.stringify([FINDER, include, ignored.id, rules.id, shallow]),
  };
}

/** The commits whose parents a shallow clone does not have: one oid a line. */
function shallowCommits(commonDir: string): Set<string> {
  const file = join(commonDir, "shallow");
  return new Set(existsSync(file) ? (readTextIfThere(file) ?? "").split("\n").filter((line) => line !== "") : []);
}
