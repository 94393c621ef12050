import { UaError } from "../errors.js";
import { readBlobs } from "./blobs.js";
import { git, isRefusal } from "./run.js";
import { listTree } from "./trees.js";

/** Commits of this clone that no branch of a remote is known to contain. Those that are gone from here count as such. */
export async function unpublishedCommits(
  cwd: string,
  remote: string,
  commits: ReadonlySet<string>,
): Promise<Set<string>> {
  if (commits.size === 0) return new Set();
  try {
    return await aheadOf(cwd, remote, commits);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // One of them is not here: rebased away and collected.
    const present = await presentCommits(cwd, [...commits]);
    const ahead = present.size === 0 ? new Set<string>() : await aheadOf(cwd, remote, present);
    return new Set([...commits].filter((oid) => !present.has(oid) || ahead.has(oid)));
  }
}

/** What rev-list prints is reachable from these commits, and not from a branch of the remote. */
async function aheadOf(cwd: string, remote: string, commits: ReadonlySet<string>): Promise<Set<string>> {
  const args = ["rev-list", "--stdin", "--not", `--remotes=${remote}`];
  const output = await git(cwd, args, { input: `${[...commits].join("\n")}\n`, timeFactor: 5 });
  const listed = output.toString("latin1").split("\n");
  return new Set(listed.filter((oid) => commits.has(oid)));
}

/** `<oid> commit <size>`, or `<oid> missing`. */
async function presentCommits(cwd: string, oids: readonly string[]): Promise<Set<string>> {
  if (oids.length === 0) return new Set();
  const output = await git(cwd, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
    input: `${oids.join("\n")}\n`,
  });
  const lines = output.toString("latin1").trimEnd().split("\n");
  return new Set(lines.flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, line.indexOf(" "))] : [])));
}

/** The tip of the remote's default branch, as it was last fetched; null if that is not known. */
export async function defaultTip(cwd: string, remote: string): Promise<string | null> {
  const args = ["rev-parse", "-q", "--verify", "--end-of-options", `refs/remotes/${remote}/HEAD^{commit}`];
  return (await git(cwd, args, { ok: [1, 128] })).toString("utf8").trimEnd() || null;
}

/** Those of some files at the top of a project that the remote's default branch has, as it was last fetched, in the given order. */
export async function filesOfDefault(
  cwd: string,
  remote: string,
  names: readonly string[],
): Promise<{ name: string; where: string; text: string }[]> {
  const tip = `refs/remotes/${remote}/HEAD`;
  const entries = await listTree(cwd, tip, names).catch((error: unknown) => {
    if (isRefusal(error)) return []; // it is not known which branch that is
    throw error;
  });
  if (entries.length === 0) return [];
  const blobs = await readBlobs(
    cwd,
    entries.map(({ oid }) => oid),
  );
  const files = entries.map(({ path: name, oid }) => {
    const where = `${tip}:${name}`;
    const text = blobs.get(oid)?.toString("utf8");
    if (text !== undefined) return { name, where, text };
    throw new UaError("git", `${where} is not in this clone`, `\`git cat-file -p ${where}\` fetches it`);
  });
  return files.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

/** Which of these contents a commit has at their paths: the code is public there, whatever commit it was described in. */
export async function contentsAmong<T extends { path: string; oid: string }>(
  cwd: string,
  commit: string,
  wanted: readonly T[],
): Promise<Set<T>> {
  // A path with a line feed cannot be asked for in this way, and is left out.
  const asked = wanted.filter(({ path }) => !path.includes("\n"));
  if (asked.length === 0) return new Set();
  const input = asked.map(({ path }) => `${commit}:${path}\n`).join("");
  const output = await git(cwd, ["cat-file", "--batch-check=%(objectname)"], { input }).catch((error: unknown) => {
    if (isRefusal(error)) return Buffer.alloc(0); // a partial clone that lacks one of them
    throw error;
  });
  const oids = output.toString("latin1").split("\n"); // a line each, `… missing` for none
  return new Set(asked.filter(({ oid }, at) => oids[at] === oid));
}
