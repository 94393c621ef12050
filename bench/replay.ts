import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Part } from "./bench.js";
import type { Row } from "./measure.js";
import { costOf } from "./memory.js";
import { cleanEnv, dist, git, type Place } from "./repos.js";

const MOST_MEGABYTES = 400;
const LEAST_PER_SECOND = 20;

/** A walk through history: how fast, and in how much memory. */
export const replayRows: Part = async ({ base, quick }) => {
  const commits = quick ? 200 : 500;
  const place = makeHistory(base, commits);
  const args = ["replay", "--last", String(commits), "--json"];
  const { ms, mb } = costOf(place, join(dist, "cli.cjs"), ...args);
  const perSecond = (commits * 1000) / ms;
  const row = (what: string, ratio: number, detail: string): Row => ({ what, ratio, bar: 1, detail });
  return [
    row(
      `replay of ${commits} commits in ${LANGUAGES.length} languages, time ÷ ${LEAST_PER_SECOND} a second`,
      LEAST_PER_SECOND / perSecond,
      `${perSecond.toFixed(0)} commits a second, start included`,
    ),
    row(`replay, peak memory ÷ ${MOST_MEGABYTES} MB`, mb / MOST_MEGABYTES, `${mb.toFixed(0)} MB`),
  ];
};

const LANGUAGES = ["ts", "js", "py", "go", "rs", "java"];

/** The samples that the fingerprints' tests have. */
const samples = () =>
  LANGUAGES.map((ending) => ({
    ending,
    text: readFileSync(join(dist, "..", "test", "fingerprint", "samples", `sample.${ending}.txt`), "utf8"),
  }));

const COPIES = 8;
const FILES_A_COMMIT = 3;

/**
 * Thirty files a language of some kilobytes; each commit edits three: a comment's worth (a space at the end), or one more
 * copy of the sample, taken away again by the next. As a stream for git fast-import: 500 commits in a moment.
 */
function makeHistory(base: string, commits: number): Place {
  const place: Place = { dir: join(base, "history"), env: cleanEnv(base) };
  mkdirSync(place.dir);
  git(place, "init", "-q", "-b", "main");
  const files = samples().flatMap(({ ending, text }) =>
    Array.from({ length: 30 }, (_, at) => ({ path: `${ending}/f${at}.${ending}`, sample: text, edits: 0 })),
  );
  const content = ({ sample, edits }: (typeof files)[number]) =>
    sample.repeat(COPIES + (edits % 2)) + "\n".repeat(Math.floor(edits / 2));
  const stream: string[] = [];
  for (let commit = 0; commit <= commits; commit++) {
    const from = commit * FILES_A_COMMIT;
    const some = Array.from({ length: FILES_A_COMMIT }, (_, at) => files[((from + at) * 7) % files.length]);
    const touched = commit === 0 ? files : some;
    stream.push(`commit refs/heads/main\ncommitter A <a@x> ${1_700_000_000 + commit} +0000\ndata 1\nx\n`);
    for (const file of new Set(touched)) {
      if (file === undefined) continue;
      if (commit > 0) file.edits++;
      const text = content(file);
      stream.push(`M 100644 inline ${file.path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
    }
  }
  execFileSync("git", ["fast-import", "--quiet"], { cwd: place.dir, env: place.env, input: stream.join("") });
  git(place, "checkout", "-q", "main");
  return place;
}
