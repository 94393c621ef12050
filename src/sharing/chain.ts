import { isRefusal } from "../git/run.js";
import { type SideRepository, sideGit, sideLine, sideRefs } from "../git/side-repository.js";
import { ownRef } from "./authors.js";
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
  const email = `${author}@invalid`;
  return {
    ...{ GIT_AUTHOR_NAME: "ua-hooks", GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: now },
    ...{ GIT_COMMITTER_NAME: "ua-hooks", GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: now, TZ: "UTC" },
  };
}

/** One author may bring so many; what is beyond is not read. */
const MOST_SEGMENTS = 50_000;

/** As git prints a commit and the files of its tree that its parent's does not have; files in folders are none of ours. */
const ADDED_FILES = [
  ...["log", "--stdin", "--reverse", "--source", "--format=%x00%S"],
  ...["--raw", "--root", "--no-abbrev", "--no-renames", "--diff-filter=A", "--diff-merges=off", "--no-notes"],
];

/** The segments that lead to each of the tips and not to `without`, oldest first. What leads to two of them counts for one. */
export async function newSegments(
  side: SideRepository,
  { tips, without }: { tips: readonly string[]; without: readonly string[] },
): Promise<Map<string, string[]>> {
  const found = new Map<string, Set<string>>();
  let segments = new Set<string>();
  // `\0<tip>`, then `:000000 100644 0000… <oid> A\t<path>` for each file.
  const take = (line: string) => {
    if (line.startsWith("\0")) {
      const tip = line.slice(1);
      segments = found.get(tip) ?? new Set();
      found.set(tip, segments);
    } else if (line.startsWith(":")) {
      const [fields = "", path] = line.split("\t");
      const [, , , oid = ""] = fields.split(" ");
      if (path === segmentName(oid) && segments.size < MOST_SEGMENTS) segments.add(oid);
    }
  };
  const input = [...tips, ...without.map((oid) => `^${oid}`)].map((one) => `${one}\n`).join("");
  const lines = lineReader(take);
  await sideGit(side, ADDED_FILES, { input, timeFactor: 5, each: lines.read });
  lines.end();
  return new Map([...found].map(([tip, oids]) => [tip, [...oids]]));
}

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
  const input = oids.map((oid) => `${oid}\n`).join("");
  const output = await sideLine(side, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input });
  return output.split("\n").flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, line.indexOf(" "))] : []));
}
