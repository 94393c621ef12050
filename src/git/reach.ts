import { git } from "./run.js";
import { parseRawRecords, records } from "./trees.js";

/** The stashes: only the newest is a ref, the others are in its reflog. One commit a line. */
async function stashCommits(cwd: string): Promise<string> {
  const stashes = await git(cwd, ["reflog", "show", "--format=%H", "refs/stash", "--"], { ok: [128] });
  return stashes.toString("latin1");
}

/**
 * Which of these objects are reachable from a ref, a worktree's HEAD or index, or a stash. Walks all of history: only
 * for rare background tasks.
 */
export async function reachableAmong(cwd: string, wanted: ReadonlySet<string>): Promise<Set<string>> {
  // --all includes every worktree.
  const input = await stashCommits(cwd);
  const found = new Set<string>();
  const lines = byLine((line) => {
    // `<oid>`, `<oid> <path>`, and `?<oid>` for what a partial clone never fetched
    const oid = line.slice(line.startsWith("?") ? 1 : 0).split(" ", 1)[0] ?? "";
    if (wanted.has(oid)) found.add(oid);
  });
  const args = ["rev-list", "--objects", "--all", "--indexed-objects", "--missing=print", "--stdin"];
  await git(cwd, args, { input, each: lines.push, timeFactor: 10 });
  lines.end();
  return found;
}

/**
 * The blobs that each of these paths ever had in a commit that a ref or a stash leads to. A path that git cannot be asked about in a line of text is
 * not in the answer.
 */
export async function blobsAtPaths(cwd: string, paths: readonly string[]): Promise<Map<string, Set<string>>> {
  const asked = paths.filter((path) => path.isWellFormed() && !path.includes("\n"));
  const found = new Map(asked.map((path) => [path, new Set<string>()]));
  if (found.size === 0) return found;
  // --full-history: without it, git leaves out branches that ended as another one did.
  const raw = ["--raw", "--no-abbrev", "--no-renames", "-z", "--format="];
  const args = ["--literal-pathspecs", "log", "--all", "--full-history", "-m", ...raw, "--stdin"];
  const input = `${await stashCommits(cwd)}--\n${asked.join("\n")}\n`;
  // An empty record is what is left of each commit's own text.
  const pairs = [...records(await git(cwd, args, { input, timeFactor: 10 }))].filter(({ length }) => length > 0);
  for (const { path, oid, oldOid } of parseRawRecords(pairs)) {
    for (const one of [oid, oldOid]) if (one !== null) found.get(path)?.add(one);
  }
  return found;
}

function byLine(take: (line: string) => void): { push(chunk: Buffer): void; end(): void } {
  let rest = "";
  return {
    push(chunk) {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(take);
    },
    end: () => take(rest),
  };
}
