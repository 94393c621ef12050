import { git, gitLine, isRefusal } from "./run.js";
import { fitArguments, parseRawRecords, records, type TreeChange } from "./trees.js";

export interface HistoryCommit {
  commit: string;
  /** The first parent; null for a root. */
  parent: string | null;
  subject: string;
}

const LOG = ["log", "-z", "--no-show-signature", "--format=%H%x09%P%x09%s"];

/** The commits of a range, oldest first, parents before children; `paths`: only those that touch one of them. */
export async function listCommits(
  cwd: string,
  selection: readonly string[],
  paths: readonly string[] = [],
): Promise<HistoryCommit[]> {
  return parseLog(
    await git(cwd, ["--literal-pathspecs", ...LOG, "--topo-order", "--reverse", ...selection, "--", ...paths]),
  );
}

/** The subjects of these commits; missing commits are left out. */
export async function subjectsOf(cwd: string, commits: readonly string[]): Promise<Map<string, string>> {
  const asked = [...new Set(commits)].filter(isOid);
  if (asked.length === 0) return new Map();
  const flags = ["--no-walk=unsorted", "--ignore-missing", "--stdin"];
  const output = await git(cwd, [...LOG, ...flags], { input: `${asked.join("\n")}\n` });
  return new Map(parseLog(output).map(({ commit, subject }) => [commit, subject]));
}

function parseLog(output: Buffer): HistoryCommit[] {
  return [...records(Buffer.concat([output, Buffer.from(output.at(-1) === 0 || output.length === 0 ? "" : "\0")]))].map(
    (record) => {
      const [commit = "", parents = "", ...subject] = record.toString("utf8").split("\t");
      return { commit, parent: parents.split(" ")[0] || null, subject: subject.join("\t") };
    },
  );
}

/**
 * The changes of each commit against its first parent, in one process. --stdin reads `<commit> <parent>` lines and
 * prints the commit's oid before its raw records (git-diff-tree(1)); nothing for a commit without changes.
 */
export async function diffCommits(cwd: string, commits: readonly HistoryCommit[]): Promise<Map<string, TreeChange[]>> {
  const flags = ["-r", "-z", "--raw", "--root", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv"];
  const input = commits.map(({ commit, parent }) => (parent === null ? commit : `${commit} ${parent}`)).join("\n");
  const output = await git(cwd, ["diff-tree", "--stdin", ...flags], { input: `${input}\n` });
  const changes = new Map<string, TreeChange[]>();
  let current: Buffer[] = [];
  const groups = new Map<string, Buffer[]>();
  let isPath = false;
  for (const record of records(output)) {
    if (!isPath && record[0] !== 0x3a) {
      current = [];
      groups.set(record.toString("latin1").trim(), current);
      continue;
    }
    current.push(record);
    isPath = !isPath;
  }
  for (const [commit, group] of groups) changes.set(commit, parseRawRecords(group));
  return changes;
}

/**
 * Whether a commit is the other one or an ancestor of it: exit 0 yes, 1 no; anything else (a commit that this clone
 * does not have) counts as no.
 */
export async function isAncestor(cwd: string, older: string, newer: string): Promise<boolean> {
  if (!isOid(older) || !isOid(newer)) return false;
  return git(cwd, ["merge-base", "--is-ancestor", older, newer]).then(
    () => true,
    (error: unknown) => {
      if (isRefusal(error)) return false;
      throw error;
    },
  );
}

const isOid = (text: string) => /^[0-9a-f]{7,64}$/.test(text);

/** The commit that a name refers to; null if there is none. */
export async function namedCommit(cwd: string, name: string): Promise<string | null> {
  const args = ["rev-parse", "-q", "--verify", "--end-of-options", `${name}^{commit}`];
  // 128: what cannot be a name at all.
  return (await git(cwd, args, { ok: [1, 128] })).toString("utf8").trimEnd() || null;
}

/** A file in both parents of the last merge that changed it, and in their merge base. */
export async function mergedVersions(
  cwd: string,
  path: string,
): Promise<{ base: Buffer | null; ours: Buffer; theirs: Buffer } | null> {
  // A merge is listed for a path only where it differs from every parent (git-log(1), "History Simplification").
  const parents = await gitLine(cwd, ["log", "-1", "--no-show-signature", "--format=%P", "HEAD", "--", path]);
  const [first, second, ...more] = parents.split(" ");
  if (first === undefined || second === undefined || more.length > 0) return null;
  const ancestor = (await git(cwd, ["merge-base", first, second], { ok: [1] })).toString("latin1").trim();
  const [base, ours, theirs] = await Promise.all([ancestor, first, second].map((commit) => blobAt(cwd, commit, path)));
  return ours && theirs ? { base: base ?? null, ours, theirs } : null;
}

/** A file's text in a commit; null if the commit does not have it. */
export async function fileAt(cwd: string, commit: string, path: string): Promise<string | null> {
  return (await blobAt(cwd, commit, path))?.toString("utf8") ?? null;
}

export async function blobAt(cwd: string, commit: string, path: string): Promise<Buffer | null> {
  if (commit === "") return null;
  return git(cwd, ["cat-file", "blob", `${commit}:${path}`]).catch((error: unknown) => {
    if (isRefusal(error)) return null; // not there at that commit
    throw error;
  });
}

/** The newest commit before one whose tree differs from it at one of these paths: the parent of the last that changed them. */
export async function lastChange(cwd: string, commit: string, paths: readonly string[]): Promise<string | null> {
  if (paths.length === 0 || !fitArguments(paths)) return null;
  const args = ["--literal-pathspecs", "log", "-1", "--no-show-signature", "--format=%P", commit, "--", ...paths];
  return (await gitLine(cwd, args)).split(" ")[0] || null;
}

/** The commit that last changed a path, up to this one; null if none did. */
export async function lastCommitOf(cwd: string, commit: string, path: string): Promise<string | null> {
  const args = ["--literal-pathspecs", "log", "-1", "--no-show-signature", "--format=%H", commit, "--", path];
  return (await gitLine(cwd, args)) || null;
}

/** When HEAD's history last changed a path; null if it never did. */
export async function commitTime(cwd: string, path: string): Promise<string | null> {
  const seconds = await gitLine(cwd, ["--literal-pathspecs", "log", "-1", "--format=%ct", "HEAD", "--", path]);
  const time = new Date(seconds === "" ? Number.NaN : Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
