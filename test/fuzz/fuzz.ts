import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { givenSeed } from "../support/dice.js";
import fc from "../support/fast-check.js";
import { dist } from "../support/repo.js";

/** `UA_HOOKS_FUZZ=100000 node scripts/test.mjs fuzz/` for a long night; `UA_HOOKS_FUZZ_SEED` to see one again. */
export const RUNS = Number(process.env.UA_HOOKS_FUZZ ?? 100);

/** What was found once is tried first ever after: arguments by the property's name, as JSON. */
const file = join(dist, "..", "test", "fuzz", "regressions.json");
const regressions = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown[][]>;

/** A property over made-up outside data. It says how many cases it tried, and with which seed. */
export function fuzz<T>(
  name: string,
  arbitrary: fc.Arbitrary<T>,
  check: (value: T) => void | Promise<void>,
  { runs = RUNS, revive = (value: unknown) => value as T } = {},
): void {
  test(name, async (t: TestContext) => {
    const seed = Number(process.env.UA_HOOKS_FUZZ_SEED ?? givenSeed());
    const examples = (regressions[name] ?? []).map(([value]): [T] => [revive(value)]);
    await fc.assert(
      fc.asyncProperty(arbitrary, async (value) => check(value)),
      { seed, numRuns: runs + examples.length, examples },
    );
    t.diagnostic(`${runs} cases and ${examples.length} from earlier, seed ${seed}`);
  });
}

/** Bytes that look like `text`, with a few of them changed, dropped, doubled or cut: closer to the bone than noise. */
export function damaged(text: fc.Arbitrary<string | Buffer>): fc.Arbitrary<Buffer> {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    what: fc.constantFrom("flip", "drop", "double", "cut", "nul", "brace"),
    byte: fc.nat(255),
  });
  return fc.tuple(text.map(Buffer.from), fc.array(edit, { maxLength: 4 })).map(([bytes, edits]) =>
    edits.reduce((now, { at, what, byte }) => {
      const where = Math.floor(at * now.length);
      const [before, after] = [now.subarray(0, where), now.subarray(where)];
      if (what === "flip") return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)]);
      if (what === "drop") return Buffer.concat([before, after.subarray(1)]);
      if (what === "double") return Buffer.concat([now, after]);
      if (what === "cut") return Buffer.from(before);
      return Buffer.concat([before, Buffer.from(what === "nul" ? "\0" : '}{"'), after]);
    }, bytes),
  );
}

/** Any JSON there is, keys of Object's own included. */
export function anyJson(): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "files", "nodes", "id"));
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, 0, -1, 1e308, "", "x"),
      fc.string({ unit: "binary" }),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ),
  })).value;
}
