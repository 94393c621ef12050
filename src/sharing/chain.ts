import { UaError } from "../errors.js";
import { isRefusal } from "../git/run.js";
import { type SideRepository, sideGit, sideLine, sideRefs } from "../git/side-repository.js";
import { emailOf, ownRef } from "./authors.js";
import { type Signing, signingArgs } from "./signing.js";

/** The commits of an author's ref. Each has a tree with one new segment, `<blob oid>.jsonl`, and the one before as its parent. */

export const MESSAGE = "Descriptions";

export const segmentName = (oid: string): string => `${oid}.jsonl`;

type OwnName = Parameters<typeof ownRef>[0];

export async function ownTip(side: SideRepository, own: OwnName): Promise<string | null> {
  return (await sideRefs(side, ownRef(own))).get("") ?? null;
}

/** Moves the ref only if it still is where it was. False: another process moved it. */
export async function moveOwnRef(
  side: SideRepository,
  own: OwnName,
  { from, to }: { from: string | null; to: string },
): Promise<boolean> {
  const nothing = "0".repeat(to.length);
  try {
    await sideGit(side, ["update-ref", ownRef(own), to, from ?? nothing]);
    return true;
  } catch (error) {
    if (isRefusal(error) && /cannot lock ref|but expected/.test(error.stderr)) return false;
    throw error;
  }
}

export async function writeSegment(side: SideRepository, text: string): Promise<string> {
  return sideLine(side, ["hash-object", "-w", "--stdin"], { input: text });
}

/** One commit for each segment, the last of which is returned. */
export async function appendSegments(
  side: SideRepository,
  segments: readonly string[],
  { author, parent, signing }: { author: string; parent: string | null; signing: Signing | null },
): Promise<string | null> {
  let tip = parent;
  for (const oid of segments) {
    const entry = `100644 blob ${oid}\t${segmentName(oid)}\n`;
    const tree = await sideLine(side, ["mktree"], { input: entry });
    const { config, flags } = signingArgs(signing);
    const parents = tip === null ? [] : ["-p", tip];
    tip = await sideLine(side, [...config, "commit-tree", ...flags, ...parents, "-m", MESSAGE, tree], {
      env: identity(author),
    });
  }
  return tip;
}

/** It says nothing about the user: neither a name nor a time zone. */
function identity(author: string): Record<string, string> {
  const now = `${Math.floor(Date.now() / 1000)} +0000`;
  const email = emailOf(author);
  return {
    ...{ GIT_AUTHOR_NAME: "ua-hooks", GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: now },
    ...{ GIT_COMMITTER_NAME: "ua-hooks", GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: now, TZ: "UTC" },
  };
}

/** One author may bring so many commits, and as many segments; what is beyond is not read. */
const MOST_SEGMENTS = 50_000;
/** All authors together, at a time. */
const MOST_COMMITS = 200_000;
/** Commits whose trees differ in many files, again and again. */
const MOST_FILES = 1_000_000;

/** The new segments of each tip; null if it is more than is read at a time. */
export type NewSegments = Map<string, string[]> | null;

/** The segments that lead to each of the tips and not to `without`, oldest first. What leads to two of them counts for one. */
export async function newSegments(
  side: SideRepository,
  range: { tips: readonly string[]; without: readonly string[] },
): Promise<NewSegments> {
  const tipOf = await newCommits(side, range);
  if (tipOf === null) return null;
  const found = new Map<string, Set<string>>();
  let segments = new Set<string>();
  const isWhole = await addedFiles(side, tipOf.keys(), (line) => {
    const tip = tipOf.get(line);
    if (tip !== undefined) {
      segments = found.get(tip) ?? new Set();
      found.set(tip, segments);
    } else {
      const [fields = "", path] = line.split("\t");
      const [, , , oid = ""] = fields.split(" ");
      if (path === segmentName(oid) && segments.size < MOST_SEGMENTS) segments.add(oid);
    }
  });
  return isWhole ? new Map([...found].map(([tip, oids]) => [tip, [...oids]])) : null;
}

/** The commits, oldest first, and the tip that each of them leads to; null for too many. */
async function newCommits(
  side: SideRepository,
  { tips, without }: { tips: readonly string[]; without: readonly string[] },
): Promise<Map<string, string> | null> {
  const tipOf = new Map<string, string>();
  const counts = new Map<string, number>();
  // `<commit> <tip>`
  const take = (line: string) => {
    const [commit = "", tip = ""] = line.split(" ");
    const count = (counts.get(tip) ?? 0) + 1;
    counts.set(tip, count);
    if (count <= MOST_SEGMENTS && tip !== "") tipOf.set(commit, tip);
  };
  const input = linesOf([...tips, ...without.map((oid) => `^${oid}`)]);
  const lines = lineReader(take);
  const args = ["log", "--stdin", "--reverse", "--source", "--format=%H %S", "--no-notes"];
  await sideGit(side, args, { input, timeFactor: 5, each: lines.read });
  lines.end();
  return tips.length > 1 && tipOf.size > MOST_COMMITS ? null : tipOf;
}

/**
 * As git prints a commit, and the files at the top of its tree that its parent's does not have. Folders are none of ours and are not
 * entered: a tree of trees, ten levels deep, has more files than can be listed. False: too many; the rest was not read.
 */
async function addedFiles(
  side: SideRepository,
  commits: Iterable<string>,
  take: (line: string) => void,
): Promise<boolean> {
  const abort = new AbortController();
  let count = 0;
  const lines = lineReader((line) => {
    if (++count > MOST_FILES) abort.abort(new UaError("failed", "too many files"));
    else take(line);
  });
  const args = ["diff-tree", "--stdin", "--root", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=A"];
  try {
    const options = { input: linesOf(commits), timeFactor: 5, each: lines.read, signal: abort.signal };
    await sideGit(side, args, options);
  } catch (error) {
    if (abort.signal.aborted) return false;
    throw error;
  }
  lines.end();
  return true;
}

const linesOf = (all: Iterable<string>) => [...all].map((one) => `${one}\n`).join("");

/** A line without end is none of ours: its beginning is dropped. */
const MOST_LINE = 10_000;

function lineReader(take: (line: string) => void): { read(chunk: Buffer): void; end(): void } {
  let rest = "";
  return {
    read: (chunk) => {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > MOST_LINE) rest = "";
      lines.forEach(take);
    },
    end: () => take(rest),
  };
}

export async function isBelow(side: SideRepository, older: string, newer: string): Promise<boolean> {
  return sideGit(side, ["merge-base", "--is-ancestor", older, newer]).then(
    () => true,
    (error: unknown) => {
      if (isRefusal(error)) return false; // no, or one of them is not here
      throw error;
    },
  );
}

/** Commits that are here. */
export async function presentIn(side: SideRepository, oids: readonly string[]): Promise<string[]> {
  if (oids.length === 0) return [];
  const output = await sideLine(side, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
    input: linesOf(oids),
  });
  return output.split("\n").flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, line.indexOf(" "))] : []));
}
