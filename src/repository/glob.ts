import { UaError } from "../errors.js";
import { clock } from "../platform/clock.js";

/** Limits of one pattern and of a list of them. Matching costs at most length × length, whatever the pattern (invariant "everything has a bound"). */
const MOST_CHARACTERS = 500;
export const MOST_PATTERNS = 1_000;
/** Longer paths exist in trees only: no file system that git knows takes them. */
export const MOST_PATH = 4_096;

/** For all paths together. Forty patterns take some microseconds for a path. */
const MOST_MS = 2_000;
const MOST_MS_PER_PATH = 2;

/** A match of many patterns, which comes with a checkout, for many paths: throws where it takes too long. */
export function withinTime<A extends unknown[]>(matches: (...args: A) => boolean): (...args: A) => boolean {
  let [spent, paths] = [0, 0];
  return (...args) => {
    const started = clock();
    const isMatch = matches(...args);
    spent += clock() - started;
    paths++;
    if (spent <= MOST_MS + paths * MOST_MS_PER_PATH) return isMatch;
    throw new UaError(
      "failed",
      `the patterns of the ignore files and of the config take too long: ${(spent / 1000).toFixed(1)} s for ${paths} paths`,
      "remove those with many stars",
    );
  };
}

/** One character of a name: itself, any, or one of a class. */
type Matcher = string | ((char: string) => boolean);

/** What stands between two stars: a text as it is, or one matcher per character. */
type Piece = string | readonly Matcher[];

/** One name of a path: a text as it is, or the pieces between its stars. */
type Segment = { text: string } | { pieces: readonly Piece[] };

const GLOBSTAR = "**";

/** A pattern, name by name. */
export type Glob = readonly (Segment | typeof GLOBSTAR)[];

/** `*`, `?`, `[a-z]` and `\` in names, `**` for any number of folders. */
export function parseGlob(pattern: string): Glob {
  return pattern.split("/").map((name) => (name === GLOBSTAR ? GLOBSTAR : parseSegment(name)));
}

function parseSegment(name: string): Segment {
  if (!/[*?[\\]/.test(name)) return { text: name };
  const pieces: Matcher[][] = [[]];
  for (let at = 0; at < name.length; ) {
    const char = name[at] ?? "";
    const found = char === "[" ? parseClass(name, at) : null;
    if (char === "*") {
      pieces.push([]);
      while (name[at] === "*") at++;
      continue;
    }
    const isEscape = char === "\\" && at + 1 < name.length;
    pieces.at(-1)?.push(found?.test ?? (char === "?" ? () => true : isEscape ? (name[at + 1] ?? "") : char));
    at = found?.end ?? at + (isEscape ? 2 : 1);
  }
  const isText = (piece: readonly Matcher[]) => piece.every((matcher) => typeof matcher === "string");
  return { pieces: pieces.map((piece) => (isText(piece) ? piece.join("") : piece)) };
}

/** `[abc]`, `[a-z]`, `[!a]`, `[^a]`; a `]` in front is one of them. null where it never closes: then it is a plain `[`. */
function parseClass(name: string, start: number): { test: (char: string) => boolean; end: number } | null {
  let at = start + 1;
  const isNegated = name[at] === "!" || name[at] === "^";
  if (isNegated) at++;
  const ranges: [string, string][] = [];
  for (let isFirst = true; isFirst || name[at] !== "]"; isFirst = false) {
    if (at >= name.length) return null;
    if (name[at] === "\\" && at + 1 < name.length) at++;
    const from = name[at] ?? "";
    const isRange = name[at + 1] === "-" && at + 2 < name.length && name[at + 2] !== "]";
    ranges.push([from, isRange ? (name[at + 2] ?? "") : from]);
    at += isRange ? 3 : 1;
  }
  return { test: (char) => ranges.some(([from, to]) => char >= from && char <= to) !== isNegated, end: at + 1 };
}

/**
 * Whether a path matches. Where a `**` can begin in several places, the first one that lets the names up to the next `**` match is as good as any
 * other, so nothing is ever tried twice: no pattern takes exponential time.
 */
export function matchesGlob(glob: Glob, names: readonly string[]): boolean {
  let [at, name] = [0, 0];
  let retry: { at: number; name: number } | null = null;
  while (name < names.length) {
    const part = glob[at];
    if (part === GLOBSTAR) {
      if (at === glob.length - 1) return true; // at least one name is left
      retry = { at: at + 1, name };
      at++;
    } else if (part !== undefined && matchesName(part, names[name] ?? "")) {
      at++;
      name++;
    } else if (retry !== null) {
      retry = { at: retry.at, name: retry.name + 1 };
      ({ at, name } = retry);
    } else return false;
  }
  return at === glob.length;
}

function matchesName(segment: Segment, name: string): boolean {
  if ("text" in segment) return segment.text === name;
  const { pieces } = segment;
  const [first = "", last = ""] = [pieces[0], pieces.at(-1)];
  if (pieces.length === 1) return name.length === first.length && isAt(first, name, 0);
  const end = name.length - last.length;
  if (end < first.length || !isAt(first, name, 0) || !isAt(last, name, end)) return false;
  let from = first.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] ?? "";
    let at = from;
    while (at + piece.length <= end && !isAt(piece, name, at)) at++;
    if (at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}

function isAt(piece: Piece, name: string, at: number): boolean {
  if (typeof piece === "string") return name.startsWith(piece, at);
  return piece.every((matcher, index) => {
    const char = name[at + index] ?? "";
    return typeof matcher === "string" ? matcher === char : matcher(char);
  });
}

export function checkLength(pattern: string): void {
  if (pattern.length <= MOST_CHARACTERS) return;
  throw new UaError("damaged", `has more than ${MOST_CHARACTERS} characters`);
}
