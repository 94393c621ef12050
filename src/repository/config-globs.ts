import picomatch from "picomatch";
import { UaError } from "../errors.js";
import { checkLength, MOST_PATH } from "./glob.js";
import { refusedPattern } from "./ignore-rules.js";

/** git's paths have slashes on every system. `[!a]` as in git and in shells. An invalid class is refused, not "matches nothing". */
const OPTIONS = { windows: false, dot: true, posix: true, debug: true };

/** Names with stars, and at most one choice of names: such a glob becomes a regular expression whose steps can be counted. */
const PLAIN = /^!?[\w./@ *?-]*(\{[\w./@ ,-]*\})?[\w./@ *?-]*$/;
/** So many steps, some 0.1 s, are done without a clock: to start one for each match takes 0.1 ms. */
const MOST_STEPS = 1e8;
const MOST_MS = 1_000;

type Test = (path: string) => boolean;

/**
 * The globs of a config, as picomatch understands them. They come with a checkout, and a regular expression can search without end: a match
 * that may take long has a time limit, and throws beyond it (invariant "everything has a bound"). `where`: file and key, for messages.
 */
export function parseGlobs(patterns: readonly string[], where: string): Test[] {
  return patterns.map((pattern, at) => {
    const named = <T>(work: () => T): T => {
      try {
        return work();
      } catch (error) {
        throw refusedPattern(`${where}, pattern ${at + 1}`, pattern, error);
      }
    };
    const test = named(() => compile(pattern));
    return (path) => path.length <= MOST_PATH && named(() => test(path));
  });
}

function compile(pattern: string): Test {
  checkLength(pattern);
  // A folder in parentheses is a folder: `app/(auth)`. After one of ?*+@! they are an extended glob.
  const parse = () => picomatch(pattern.replace(/(?<![\\?*+@!])\(/g, "\\("), OPTIONS);
  if (!PLAIN.test(pattern)) {
    const matches = withClock(parse);
    return (path) => withClock(() => matches(path));
  }
  const matches = parse();
  return (path) => (stepsOf(pattern, path.length) <= MOST_STEPS ? matches(path) : withClock(() => matches(path)));
}

/** The most steps that a path of this length can take: each star ends anywhere, each choice is tried, and compared with the whole pattern. */
function stepsOf(pattern: string, length: number): number {
  const stars = pattern.match(/\*+/g)?.length ?? 0;
  let steps = pattern.split(",").length * pattern.length;
  for (let star = 1; star <= stars && steps <= MOST_STEPS; star++) steps *= (length + star) / star;
  return steps;
}

let box: { work: () => unknown } | null = null;
let script: { runInContext(context: object, options: { timeout: number }): unknown } | null = null;

/** Only V8 can stop a regular expression: it does so for a script that has a time limit, in whatever that script calls. */
function withClock<T>(work: () => T): T {
  const { createContext, Script } = process.getBuiltinModule("node:vm");
  box ??= createContext({ work }) as { work: () => unknown };
  script ??= new Script("work()");
  box.work = work;
  try {
    return script.runInContext(box, { timeout: MOST_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error; // of that context, so no Error of ours
    throw new UaError("failed", `takes more than ${MOST_MS} ms for one path`);
  }
}
