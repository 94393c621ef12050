import { UaError } from "../errors.js";

/** The known word that is closest to the typed one. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const most = typed.length <= 3 ? 1 : 2;
  const ranked = known
    .map((word) => ({ word, far: word.startsWith(typed) && typed.length > 2 ? 1 : distance(word, typed) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best !== undefined && best.far <= most ? best.word : undefined;
}

/** For a command with verbs: the typed verb, or a suggestion. */
export function verbOf<V extends string>(command: string, verbs: readonly V[], typed: string | undefined): V {
  const found = verbs.find((verb) => verb === typed);
  if (found !== undefined) return found;
  const near = typed === undefined ? undefined : nearest(typed, verbs);
  throw new UaError(
    "usage",
    typed === undefined ? `${command} needs a verb` : `unknown command \`${command} ${typed}\``,
    near === undefined
      ? `use one of ${verbs.join(", ")}; see \`ua-hooks ${command} --help\``
      : `did you mean \`ua-hooks ${command} ${near}\`?`,
  );
}

/** Levenshtein distance, row by row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
