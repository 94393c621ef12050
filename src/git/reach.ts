import { git, gitTimeout } from "./run.js";

/**
 * Which of these objects a ref, a worktree's HEAD or index, or a stash still leads to. Walks all of history: for rare
 * occasions, and nobody may wait for it.
 */
export async function reachableAmong(cwd: string, wanted: ReadonlySet<string>): Promise<Set<string>> {
  // --all examines every worktree, but of the stashes only the newest is a ref; the others are its reflog.
  const stashes = await git(cwd, ["reflog", "show", "--format=%H", "refs/stash", "--"], { ok: [128] });
  const found = new Set<string>();
  const lines = byLine((line) => {
    // `<oid>`, `<oid> <path>`, and `?<oid>` for what a partial clone never fetched
    const oid = line.slice(line.startsWith("?") ? 1 : 0).split(" ", 1)[0] ?? "";
    if (wanted.has(oid)) found.add(oid);
  });
  const args = ["rev-list", "--objects", "--all", "--indexed-objects", "--missing=print", "--stdin"];
  await git(cwd, args, { input: stashes.toString("latin1"), each: lines.push, timeoutMs: 10 * gitTimeout() });
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
