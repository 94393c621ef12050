import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createProgress } from "../../src/cli/progress.js";

/** What is written to a terminal, and a clock that the test moves. */
function terminal(t: TestContext): { written: string[]; wait(ms: number): void } {
  const { stderr } = process;
  const [isTTY, write] = [stderr.isTTY, stderr.write];
  t.after(() => Object.assign(stderr, { isTTY, write }));
  const written: string[] = [];
  Object.assign(stderr, { isTTY: true, write: (text: string) => written.push(text) > 0 });
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  return { written, wait: (ms) => t.mock.timers.tick(ms) };
}

test("what takes half a second is named, and the line is empty at the end", (t) => {
  const { written, wait } = terminal(t);
  const progress = createProgress("verifying", { fromStart: true });
  wait(400);
  assert.deepEqual(written, []);
  wait(200);
  assert.deepEqual(written, ["verifying …"]);
  progress.end();
  assert.equal(written.at(-1), "\r\x1b[2K");
  progress.end();
  assert.equal(written.length, 2, "and no line that another one has written since");
});

test("a bar says what is left to do when all is counted, and nothing before the first count: a question may stand there", (t) => {
  const { written, wait } = terminal(t);
  const progress = createProgress("fingerprinting", { after: "building the graph" });
  wait(600);
  assert.deepEqual(written, []);
  progress.update(1, 2);
  assert.match(written.at(-1) ?? "", /^fingerprinting █+░+ 1\/2 /);
  progress.update(2, 2);
  assert.equal(written.at(-1), "building the graph …");
  progress.end();
});

test("the time left is not estimated from the first items", (t) => {
  const { written, wait } = terminal(t);
  const progress = createProgress("reading");
  for (const [done, left] of [
    [0, undefined],
    [1, undefined],
    [99, undefined],
    [100, "89 s left"],
    [500, "11 s left"],
  ] as const) {
    wait(done === 100 ? 8000 : 600);
    progress.update(done, 1000);
    assert.equal(/\d+ (?:s|min) left/.exec(written.at(-1) ?? "")?.[0], left, `${done} of 1000`);
  }
});
