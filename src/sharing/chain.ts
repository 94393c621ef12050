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

/** The segments that lead to a commit and not to the others, oldest first; at most so many. */
export async function segmentsOf(
  side: SideRepository,
  tip: string,
  without: readonly string[],
  most: number,
): Promise<string[]> {
  const found: string[] = [];
  let rest = "";
  const take = (line: string) => {
    // `<oid> <path>`; commits and trees have no path, or another one.
    const [oid = "", path] = line.split(" ");
    if (path === segmentName(oid) && found.length < most) found.push(oid);
  };
  const args = ["rev-list", "--objects", "--reverse", tip, ...(without.length === 0 ? [] : ["--not", ...without])];
  await sideGit(side, args, {
    timeFactor: 5,
    each: (chunk) => {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      // A name without end is none of ours.
      if (rest.length > 10_000) rest = "";
      lines.forEach(take);
    },
  });
  take(rest);
  return found;
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
