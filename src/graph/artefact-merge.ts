import { jsonProblem } from "../errors.js";
import { fromJson } from "../json.js";
import { conflictSides, hasMarkers } from "./conflict.js";
import { mergedGraphText } from "./driver.js";
import { readSides } from "./driver-sides.js";
import { GraphError, isGraphError } from "./errors.js";
import { FingerprintSide } from "./fingerprint-side.js";
import { byText } from "./order.js";
import { entryText, renderFingerprints } from "./render.js";
import { type ByteSource, sourceOfBytes } from "./source.js";
import { mergeFields, newerSide, pick, type Side } from "./three-way.js";

/** The artefacts that the merge driver can merge. */
export type ArtefactKind = "graph" | "fingerprints" | "meta";

export interface Versions {
  /** null or empty: the two have no common ancestor. */
  base: ByteSource | null;
  ours: ByteSource;
  theirs: ByteSource;
}

/** Whether the first commit is the second one, or an ancestor of it. */
export type Covers = (older: string, newer: string) => Promise<boolean>;

type Json = Record<string, unknown>;
/** In parts. */
export type MergedText = () => Iterable<Buffer>;
type Merger = (versions: Versions, covers: Covers) => Promise<MergedText>;

/** Merges three versions of an artefact file. Throws a GraphError if a side cannot be read. */
export async function mergeArtefact(kind: ArtefactKind, versions: Versions, covers: Covers): Promise<MergedText> {
  // A side that was committed with conflict markers is merged first.
  const plain = async (source: ByteSource): Promise<ByteSource> => {
    const merged = await repairConflicted(kind, source, covers);
    return merged === null ? source : sourceOfBytes(Buffer.concat([...merged()]));
  };
  const base = versions.base === null ? null : await orNull(() => plain(versions.base ?? versions.ours));
  return mergers[kind]({ base, ours: await plain(versions.ours), theirs: await plain(versions.theirs) }, covers);
}

/** Merges a file with conflict markers, as the merge of a hosting service leaves it; null if it has none. */
export async function repairConflicted(
  kind: ArtefactKind,
  source: ByteSource,
  covers: Covers,
): Promise<MergedText | null> {
  if (!hasMarkers(source.chunks())) return null;
  const sides = conflictSides(Buffer.concat([...source.chunks()]).toString("utf8"));
  if (sides === null) return null;
  const of = (text: string) => sourceOfBytes(Buffer.from(text));
  const base = sides.base === null ? null : of(sides.base);
  return mergeArtefact(kind, { base, ours: of(sides.ours), theirs: of(sides.theirs) }, covers);
}

/** Without a readable base, nothing counts as deleted: both sides are kept. */
async function orNull<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isGraphError(error)) return null;
    throw error;
  }
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

const mergers: Record<ArtefactKind, Merger> = { graph: mergeGraph, fingerprints: mergeFingerprints, meta: mergeMeta };

async function mergeGraph({ base, ours, theirs }: Versions, covers: Covers): Promise<MergedText> {
  const sides = readSides({ base: base ?? undefined, ours, theirs });
  const commits = {
    base: sides.base?.stamp.commit ?? "",
    ours: sides.ours.stamp.commit,
    theirs: sides.theirs.stamp.commit,
  };
  return mergedGraphText(sides, await commonCommit(commits, covers));
}

/** By path. If both sides analysed a file differently, the newer entry is used, as in the graph. */
async function mergeFingerprints(versions: Versions, covers: Covers): Promise<MergedText> {
  const { base: before } = versions;
  const base = before === null ? null : await orNull(() => new FingerprintSide(before));
  const [ours, theirs] = [new FingerprintSide(versions.ours), new FingerprintSide(versions.theirs)];
  const newer = newerSide(ours.stamp, theirs.stamp);
  const commits = { base: base?.stamp.commit ?? "", ours: ours.stamp.commit, theirs: theirs.stamp.commit };
  const { at } = newer === "ours" ? ours.stamp : theirs.stamp;
  const header = {
    version: ours.version ?? theirs.version ?? "1.0.0",
    commit: await commonCommit(commits, covers),
    at,
  };
  function* entries(): Generator<Buffer> {
    for (const path of [...new Set([...ours.paths, ...theirs.paths])].sort(byText)) {
      const three = { base: base?.entry(path), ours: ours.entry(path), theirs: theirs.entry(path) };
      const entry = pick(three, (mine, other) => (newer === "ours" ? mine : other));
      if (entry !== undefined) yield Buffer.from(entryText(path, entry));
    }
  }
  return () => renderFingerprints(header, entries());
}

/** The later time, even with the older commit: readers use it to see that something changed. */
async function mergeMeta(versions: Versions, covers: Covers): Promise<MergedText> {
  const base = versions.base === null ? null : await orNull(() => readObject(versions.base));
  const [ours, theirs] = [readObject(versions.ours), readObject(versions.theirs)];
  const commitOf = (json: Json | null) => String(json?.gitCommitHash ?? "");
  const stampOf = (json: Json) => ({
    at: json.lastAnalyzedAt,
    commit: commitOf(json),
    text: () => JSON.stringify(json),
  });
  const newer = newerSide(stampOf(ours), stampOf(theirs));
  const commits = { base: commitOf(base), ours: commitOf(ours), theirs: commitOf(theirs) };
  const gitCommitHash = await commonCommit(commits, covers);
  const merged = mergeFields<Json>({ base: base ?? undefined, ours, theirs }, () => newer);
  const { lastAnalyzedAt } = newer === "ours" ? ours : theirs;
  const text = JSON.stringify({ ...merged, lastAnalyzedAt, gitCommitHash }, null, 2);
  return () => [Buffer.from(`${text}\n`)];
}

function readObject(source: ByteSource | null): Json {
  const text = Buffer.concat([...(source?.chunks() ?? [])]).toString("utf8");
  let value: unknown;
  try {
    value = fromJson(text);
  } catch (cause) {
    throw new GraphError("not-json", `It ${jsonProblem(text, cause)}.`, { cause });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new GraphError("wrong-shape", "It is not an object.");
}
