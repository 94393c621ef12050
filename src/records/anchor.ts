import { findSymbol } from "../fingerprint/compare.js";
import { extractorOf } from "../fingerprint/languages.js";
import { factKey } from "../knowledge/facts.js";
import { factsOf } from "./facts.js";
import { type NamedSubject, spell } from "./subject.js";
import type { Subject } from "./types.js";
import type { RecordsContext } from "./verify.js";

export interface Anchoring {
  commit: string | null;
  subjects: Subject[];
  /** Why there is no anchor; null if there is one. */
  why: string | null;
}

const NOTHING = { fingerprint: null, blob: null, extractor: null };

/**
 * The anchor of a new record: HEAD's commit, and the current fingerprint of each subject. Only if all of them are
 * found: without a fingerprint drift cannot be detected, and the record must not depend on it.
 */
export async function anchorNow(worktree: RecordsContext, named: readonly NamedSubject[]): Promise<Anchoring> {
  const none = (why: string): Anchoring => ({
    commit: null,
    subjects: named.map((one) => ({ ...one, ...NOTHING })),
    why,
  });
  if (named.length === 0) return none("it has no subject");
  if (worktree.head === null) return none("there is no commit yet");
  const files = await worktree.content.files(named.filter(({ kind }) => kind !== "directory").map(({ path }) => path));
  const trees = await worktree.content.trees(named.filter(({ kind }) => kind === "directory").map(({ path }) => path));
  const subjects: Subject[] = [];
  for (const one of named) {
    const oid = one.kind === "directory" ? trees.get(one.path) : files.get(one.path);
    if (oid === undefined)
      return none(
        `there is no ${one.kind === "directory" ? "directory" : "file"} ${spell({ ...one, kind: one.kind === "symbol" ? "path" : one.kind })}`,
      );
    if (one.kind === "directory") subjects.push({ ...one, ...NOTHING, fingerprint: `tree:${oid}` });
    else if (one.kind === "path") subjects.push({ ...one, ...NOTHING, fingerprint: `blob:${oid}`, blob: oid });
    else {
      const found = await symbolNow(worktree, one, oid);
      if (typeof found === "string") return none(found);
      subjects.push(found);
    }
  }
  return { commit: worktree.head, subjects, why: null };
}

async function symbolNow(worktree: RecordsContext, one: NamedSubject, oid: string): Promise<Subject | string> {
  const wanted = { path: one.path, oid };
  const fact = (await factsOf(worktree.sources, [wanted], worktree.content.workTree)).get(factKey(wanted));
  const symbol = fact === undefined ? undefined : findSymbol(fact, one.symbol);
  if (symbol !== undefined) {
    return { ...one, fingerprint: `symbol:${symbol.hash}`, blob: oid, extractor: extractorOf(one.path) };
  }
  if (fact?.hasStructuralAnalysis !== true) return `${one.path} cannot be parsed (${fact?.reason ?? "unreadable"})`;
  const names = [...fact.functions, ...fact.classes].map(({ name }) => name);
  return `${one.path} has no function or class "${one.symbol}"${names.length === 0 ? "" : ` (it has ${names.slice(0, 8).join(", ")})`}`;
}
