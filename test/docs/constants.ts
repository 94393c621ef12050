import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dist } from "../support/repo.js";

/** A text of a page that names constants, made from those of the code. */
interface Phrase {
  page: string;
  phrase: string;
}

const root = join(dist, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The value of `const NAME = 64 * 1024;` in a source file: from its text, so that nothing is exported for a page. */
function constant(path: string, name: string): number {
  const [, product = ""] = new RegExp(`const ${name} = ([\\d_.]+(?: \\* [\\d_.]+)*);`).exec(read(path)) ?? [];
  if (product === "") throw new Error(`${path} has no number ${name}`);
  return product.split(" * ").reduce((all, factor) => all * Number(factor.replaceAll("_", "")), 1);
}

const seconds = (path: string, name: string) => constant(path, name) / 1000;
const kib = (path: string, name: string) => constant(path, name) / 1024;
const mib = (path: string, name: string) => kib(path, name) / 1024;

/** Every limit of the code that a page names with a unit. A page that says another number does not have the phrase. */
export function constantPhrases(): Phrase[] {
  const result = `${mib("src/graph/result.ts", "MAX_RESULT_BYTES")} MB`;
  const input = [seconds("src/agents/input.ts", "READ_DEADLINE_MS"), mib("src/agents/input.ts", "MOST_BYTES")];
  const statement = seconds("src/agents/conversation.ts", "STATEMENT_WAIT_MS");
  const grew = `${constant("src/fingerprint/plain.ts", "GREW")} times`;
  const same = `from ${constant("src/fingerprint/own-tokens.ts", "LEAST_TOKENS")} tokens up`;
  const phrases: [page: string, ...phrases: string[]][] = [
    [
      "docs/agents.md",
      `at most ${constant("src/agents/notification.ts", "BUDGET")} tokens`,
      `packets of at most ${kib("src/packets/pages.ts", "BATCH_BYTES")} KB`,
      `${constant("test/clients/run.ts", "MOST_TRIES")} times at most`,
      `for at most ${input[0]} seconds and up to ${input[1]} MiB`,
    ],
    ["docs/api.md", `${seconds("src/verification/commit-freshness.ts", "GIT_TIMEOUT_MS")} s for each git command`],
    ["docs/benchmarks.md", ...benchPhrases()],
    // At four characters a token.
    ["docs/context.md", `about ${constant("src/context/extract.ts", "MOST_CHARACTERS") / 4} tokens`],
    [
      "docs/invariants.md",
      `${result} of output`,
      `by ${input[0]} seconds and ${input[1]} MiB`,
      `a git process by ${seconds("src/git/time-limit.ts", "TIMEOUT_MS")} seconds`,
      `the wait for SQLite by ${seconds("src/store/state.ts", "WAIT_MS")} seconds (in an agent hook ${statement})`,
    ],
    ["docs/languages.md", grew, same],
    ["docs/marker.md", grew, same, `at most ${kib("src/packets/pages.ts", "PAGE_BYTES")} KB`],
    ["docs/team.md", `at most ${result}`],
    ["docs/testing.md", `the lock wait for ${statement} s`, `read up to ${result}`],
  ];
  return phrases.flatMap(([page, ...own]) => own.map((phrase) => ({ page, phrase })));
}

function benchPhrases(): string[] {
  const { labels } = JSON.parse(read("bench/behaviour-labels.json")) as { labels: { repository: string }[] };
  const repositories = new Set(labels.map(({ repository }) => repository)).size;
  const end = seconds("bench/measure.ts", "MOST_MS");
  const growth = seconds("bench/growth.ts", "ALL_CURVES_MS");
  return [
    `after ${end} seconds (the growth curves after ${growth}) if it has ${constant("bench/measure.ts", "FEWEST_ROUNDS")} rounds`,
    `The limit for memory is ${kib("bench/operations.ts", "MOST_MB")} GB`,
    `The limit is ${100 * constant("bench/real.ts", "MOST_LEFT_FALSE")} % of sentences`,
    `${labels.length} changed symbols`,
    `${labels.length / repositories} from the history of each of ${repositories} repositories`,
  ];
}
