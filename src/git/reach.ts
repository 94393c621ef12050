import { git } from "./run.js";

/**
 * Which of these objects are reachable from a ref, a worktree's HEAD or index, or a stash. Walks all of history: only
 * for rare background tasks.
 */
export async function reachableAmong(cwd: string, wanted: ReadonlySet<string>): Promise<Set<string>> {
  // --all includes every worktree, but only the newest stash is a ref; the others are in its reflog.
  const stashes = await git(cwd, ["reflog", "show", "--format=%H", "refs/stash", "--"], { ok: [128] });
  const found = new Set<string>();
  const lines = byLine((line) => {
    // `<oid>`, `<oid> <path>`, and `?<oid>` for what a partial clone never fetched
    const oid = line.slice(line.startsWith("?") ? 1 : 0).split(" ", 1)[0] ?? "";
    if (wanted.has(oid)) found.add(oid);
  });
  const args = ["rev-list", "--objects", "--all", "--indexed-objects", "--missing=print", "--stdin"];
  await git(cwd, args, { input: stashes.toString("latin1"), each: lines.push, timeFactor: 10 });
  lines.end();
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
