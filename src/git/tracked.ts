import { decodePath } from "./paths.js";
import { git } from "./run.js";
import { fitArguments, records } from "./trees.js";

/** Which of these paths are in the index. `ls-files -z` prints those and skips the others. */
export async function trackedAmong(cwd: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const fits = fitArguments(paths);
  const output = await git(cwd, ["--literal-pathspecs", "ls-files", "-z", "--", ...(fits ? paths : [])]);
  const listed = Array.from(records(output), decodePath);
  const wanted = new Set(paths);
  return new Set(fits ? listed : listed.filter((path) => wanted.has(path)));
}

/** The files in the index at these paths or, for a folder, below it. */
export async function filesTrackedIn(cwd: string, paths: readonly string[]): Promise<string[]> {
  const output = await git(cwd, ["--literal-pathspecs", "ls-files", "-z", "--", ...paths]);
  return Array.from(records(output), decodePath);
}

/** Which of these paths git ignores here. */
export async function ignoredAmong(cwd: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  const output = await git(cwd, ["check-ignore", "-z", "--stdin"], { ok: [1], input: `${paths.join("\0")}\0` });
  return new Set(Array.from(records(output), decodePath));
}
