import { decodePath } from "./paths.js";
import { git } from "./run.js";
import { records } from "./trees.js";

/** So many words are looked for at a time. */
const MOST_PATTERNS = 100;

/** The text files of a commit that have any of these words. `<commit>:<path>\0` (git-grep(1), -l with -z). */
export async function filesWithWords(cwd: string, commit: string, words: Iterable<string>): Promise<string[]> {
  const all = [...words];
  const found = new Set<string>();
  for (let at = 0; at < all.length; at += MOST_PATTERNS) {
    const patterns = all.slice(at, at + MOST_PATTERNS).flatMap((word) => ["-e", word]);
    const args = ["grep", "-l", "-z", "-w", "-I", "-F", "--no-color", ...patterns, commit, "--"];
    const output = await git(cwd, args, { ok: [1], timeFactor: 4 });
    for (const record of records(output)) found.add(decodePath(record.subarray(commit.length + 1)));
  }
  return [...found];
}
