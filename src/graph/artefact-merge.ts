import { jsonProblem } from "../errors.js";
import type { PlainFingerprint } from "../fingerprint/plain.js";
import { storedEntries } from "../fingerprint/stored.js";
import { conflictSides } from "./conflict.js";
import { mergeGraphs } from "./driver.js";
import { GraphError } from "./errors.js";
import { byText } from "./order.js";
import { mergeFields, newerSide, pick, type Side } from "./three-way.js";
import { parseGraph } from "./validate.js";

/** The artefacts that the merge driver can merge. */
export type ArtefactKind = "graph" | "fingerprints" | "meta";

export interface Versions {
  /** null or empty: the two have no common ancestor. */
  base: string | null;
  ours: string;
  theirs: string;
}

/** Whether the first commit is the second one, or an ancestor of it. */
export type Covers = (older: string, newer: string) => Promise<boolean>;

type Json = Record<string, unknown>;

/** Merges three versions of an artefact file. Throws a GraphError if a side cannot be read. */
export async function mergeArtefact(kind: ArtefactKind, versions: Versions, covers: Covers): Promise<Json> {
  const read = async (text: string): Promise<Json> => {
    // A side that was committed with conflict markers is merged first.
    const sides = conflictSides(text);
    return sides === null ? readers[kind](text) : mergeArtefact(kind, sides, covers);
  };
  const ours = await read(versions.ours);
  const theirs = await read(versions.theirs);
  // Without a readable base, nothing counts as deleted: both sides are kept.
  const base = versions.base ? await read(versions.base).catch(() => null) : null;
  const commits = [base, ours, theirs].map((json) => (json === null ? "" : commitOf(kind, json)));
  const commit = await commonCommit(
    { base: commits[0] ?? "", ours: commits[1] ?? "", theirs: commits[2] ?? "" },
    covers,
  );
  return mergers[kind](base, ours, theirs, commit);
}

/** Merges a file with conflict markers, as the merge of a hosting service leaves it; null if it has none. */
export async function repairConflicted(kind: ArtefactKind, text: string, covers: Covers): Promise<Json | null> {
  const sides = conflictSides(text);
  return sides === null ? null : mergeArtefact(kind, sides, covers);
}

/**
 * The commit that the merged knowledge may name: the newer one if the other is its ancestor, because its side then
 * covers both; otherwise the common ancestor. A commit that is too old costs a second comparison of some files; one
 * that is too new would report files as fresh that were never analysed.
 */
async function commonCommit({ base, ours, theirs }: Record<Side | "base", string>, covers: Covers): Promise<string> {
  if (ours === theirs || theirs === "") return ours;
  if (ours === "" || (await covers(ours, theirs))) return theirs;
  if (await covers(theirs, ours)) return ours;
  // No common ancestor: choose one of the two, independent of which side runs the merge.
  return base !== "" ? base : byText(ours, theirs) < 0 ? ours : theirs;
}

function commitOf(kind: ArtefactKind, json: Json): string {
  const holder = kind === "graph" ? (json.project as Json) : json;
  return typeof holder.gitCommitHash === "string" ? holder.gitCommitHash : "";
}

const readers: Record<ArtefactKind, (text: string) => Json> = {
  graph: (text) => parseGraph(text) as unknown as Json,
  fingerprints: readObject,
  meta: readObject,
};

function readObject(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GraphError("not-json", `It ${jsonProblem(text, cause)}.`, { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new GraphError("wrong-shape", "It is not an object.");
}

const mergers: Record<ArtefactKind, (base: Json | null, ours: Json, theirs: Json, commit: string) => Json> = {
  graph: (base, ours, theirs, commit) => {
    const asGraph = (json: Json) => json as unknown as Parameters<typeof mergeGraphs>[1];
    return mergeGraphs(base === null ? null : asGraph(base), asGraph(ours), asGraph(theirs), commit) as unknown as Json;
  },
  fingerprints: mergeFingerprints,
  meta: mergeMeta,
};

/** By path. If both sides analysed a file differently, the newer entry is used, as in the graph. */
function mergeFingerprints(base: Json | null, ours: Json, theirs: Json, commit: string): Json {
  const newer = newerSide(stampOf(ours, "generatedAt"), stampOf(theirs, "generatedAt"));
  const [was, left, right] = [entriesOf(base ?? {}), entriesOf(ours), entriesOf(theirs)];
  const files: [string, PlainFingerprint][] = [];
  for (const path of [...new Set([...left.keys(), ...right.keys()])].sort(byText)) {
    const three = { base: was.get(path), ours: left.get(path), theirs: right.get(path) };
    const entry = pick(three, (mine, other) => (newer === "ours" ? mine : other));
    if (entry !== undefined) files.push([path, entry]);
  }
  const { generatedAt } = newer === "ours" ? ours : theirs;
  return {
    version: ours.version ?? theirs.version ?? "1.0.0",
    gitCommitHash: commit,
    generatedAt,
    files: Object.fromEntries(files),
  };
}

function entriesOf(raw: Json): Map<string, PlainFingerprint> {
  const { files, isDamaged } = storedEntries(raw);
  if (isDamaged) throw new GraphError("wrong-shape", "It is not empty, but none of its entries can be used.");
  return files;
}

/** The later time, even with the older commit: readers use it to see that something changed. */
function mergeMeta(base: Json | null, ours: Json, theirs: Json, commit: string): Json {
  const newer = newerSide(stampOf(ours, "lastAnalyzedAt"), stampOf(theirs, "lastAnalyzedAt"));
  const merged = mergeFields<Json>({ base: base ?? undefined, ours, theirs }, () => newer);
  const { lastAnalyzedAt } = newer === "ours" ? ours : theirs;
  return { ...merged, lastAnalyzedAt, gitCommitHash: commit };
}

function stampOf(json: Json, field: string) {
  return { at: json[field], commit: String(json.gitCommitHash ?? ""), text: () => JSON.stringify(json) };
}
