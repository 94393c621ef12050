import { decodePath } from "./paths.js";
import { git } from "./run.js";
import { records } from "./trees.js";

/** Which of these paths are in the index. `ls-files -z` prints those and skips the others. */
export async function trackedAmong(cwd: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const output = await git(cwd, ["--literal-pathspecs", "ls-files", "-z", "--", ...paths]);
  return new Set([...records(output)].map(decodePath));
}
