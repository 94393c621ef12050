import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "../../support/mcp.js";
import { installedRepo, type Repo } from "../../support/repo.js";

const START = `export function twice(x: number): number {
  if (x > 1) return double(x);
  return x * 2;
}
export function once(): number {
  return 1;
}
`;
const BODY = START.replace("x * 2", "x * 2 + 0");
const BEHAVIOUR = BODY.replace(
  "  return x * 2",
  '  if (x < 0) throw new Error("negative");\n  for (const y of [x]) log(y);\n  return x * 2',
);
const IMPORTS = `import { double } from "./a.js";\n${BEHAVIOUR}`;
const ONCE_GONE = IMPORTS.slice(0, IMPORTS.indexOf("export function once"));

const FILE = "file:src/b.ts";
const TWICE = "function:src/b.ts:twice";
const ONCE = "function:src/b.ts:once";

/** Every node of the file is described. */
function describe(repo: Repo): void {
  const descriptions = Object.fromEntries([FILE, TWICE, ONCE].map((id) => [id, { summary: `About ${id}.` }]));
  repo.uaJson("claim", "--holder", "claude:one");
  repo.write({ "../answers.json": JSON.stringify({ descriptions }) });
  assert.equal(repo.uaJson("apply", `${repo.base}/answers.json`).pending, null);
}

test("a description says whose it is, whether it holds, and every kind of change since", async (t) => {
  const repo = installedRepo(t);
  repo.commit("start", { "src/b.ts": START });
  describe(repo);
  const { call } = await connect(t, repo);
  const holds = async () => {
    const found: string[] = [];
    for (const id of [FILE, TWICE, ONCE]) {
      // One after the other: while one of them verifies, the others say so.
      const { holds: text } = await call<{ holds: string }>("get_node", { id });
      found.push(text.replace(/^written .*?; /, ""));
    }
    return found;
  };
  const good = "it still holds";
  const behaviour = "it may be false: its behaviour changed since";
  const changed = "it may be false: its interface changed since";
  const imports = "it still holds, but its imports changed since";
  const source = (await call<{ holds: string }>("get_node", { id: TWICE })).holds;
  assert.match(source, /^written in this clone by "claude:one", \d{4}-\d\d-\d\d; it still holds$/);
  const expected: [what: string, content: string, ...holds: string[]][] = [
    ["body", BODY, good, "it probably holds: details of its body changed since", good],
    ["behaviour", BEHAVIOUR, good, behaviour, good],
    ["imports", IMPORTS, imports, behaviour, good],
    ["a function is removed", ONCE_GONE, changed, behaviour, "it may be false: its code was removed since"],
    ["as it was", START, good, good, good],
  ];
  for (const [what, content, ...wanted] of expected) {
    repo.commit(what, { "src/b.ts": content });
    assert.deepEqual(await holds(), wanted, what);
  }
  repo.write({ "src/b.ts": BODY });
  const uncommitted = "it still holds at HEAD; its file has uncommitted changes, which were not compared";
  assert.deepEqual(await holds(), [uncommitted, uncommitted, uncommitted]);
});
