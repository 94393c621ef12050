import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { Packet } from "../../src/packets/packet.js";
import { summaries } from "../support/agent.js";
import { answer, claim } from "../support/packets.js";
import { makeRepo, type Repo } from "../support/repo.js";

/** An agent that knows nothing but packets: it says of a function what is in it, and of a file what functions it has. */
function describe({ path, outline, symbols, describeFile, code }: Packet): Record<string, { summary: string }> {
  const lines = code?.split("\n") ?? [];
  const said: Record<string, { summary: string }> = {};
  for (const { id, lineRange, code: own, diff, aging } of symbols) {
    const [first, last] = lineRange ?? [0, 0];
    const text = own ?? (diff === undefined ? lines.slice(first - 1, last).join("\n") : newer(diff));
    const name = /function (\w+)/.exec(text)?.[1];
    if (aging !== true) said[id] = { summary: `function ${name} does ${digest(text)}` };
  }
  const heads = [...(code === undefined ? outline : lines), ...Object.values(said).map(({ summary }) => summary)];
  const names = heads.flatMap((line) => /function (\w+)/.exec(line)?.[1] ?? []);
  if (describeFile !== null) said[`file:${path}`] = { summary: `has ${[...new Set(names)].sort().join(", ")}` };
  return said;
}

const digest = (text: string) => createHash("sha1").update(text.replace(/\s+/g, " ").trim()).digest("hex").slice(0, 12);

/** The text after a change. */
const newer = (diff: string) =>
  diff
    .split("\n")
    .filter((line) => !line.startsWith("-"))
    .map((line) => line.slice(1))
    .join("\n");

/** Claims what is pending and answers every packet; says how many tokens it read. */
function work(repo: Repo): number {
  const { packets = [], estimatedTokens = 0 } = claim(repo, "--full");
  const descriptions = Object.assign({}, ...packets.map(describe)) as Record<string, { summary: string }>;
  if (packets.length > 0) assert.deepEqual(answer(repo, { descriptions }).refused, []);
  assert.equal(repo.uaJson("status").status, "fresh");
  return estimatedTokens;
}

const steps = (count: number) => "  x = (x * 31 + 7) % 1009;\n".repeat(count);
const fn = (name: string, body: string, params = "x: number") =>
  `export function ${name}(${params}): number {\n${steps(24)}  ${body}\n}\n`;

/** Ten commits of a small project; each changes what the one before left. */
const COMMITS: ((read: (path: string) => string) => Record<string, string>)[] = [
  () => ({ "src/a.ts": `${fn("one", "return x;")}${fn("two", "return x + 2;")}${fn("three", "return x + 3;")}` }),
  (read) => ({ "src/a.ts": read("src/a.ts").replace("return x + 2;", "return x + 22;") }),
  () => ({ "src/b.ts": fn("four", "return x + 4;") }),
  (read) => ({ "src/a.ts": read("src/a.ts").replace("one(x: number)", "one(x: number, y: number)") }),
  (read) => ({ "src/b.ts": `${read("src/b.ts")}${fn("five", "return x + 5;")}` }),
  (read) => ({ "src/a.ts": read("src/a.ts").replace(fn("three", "return x + 3;"), "") }),
  (read) => ({ "src/a.ts": `import { four } from "./b.js";\n${read("src/a.ts").replace("x + 22", "four(x)")}` }),
  (read) => ({
    "src/b.ts": read("src/b.ts").replace("return x + 5;", 'if (x < 0) throw new Error("no");\n  return x + 5;'),
  }),
  (read) => ({
    "src/b.ts": `export const most = 9;\n${read("src/b.ts")}`,
    "src/a.ts": `// a comment\n${read("src/a.ts")}`,
  }),
  (read) => ({
    "src/a.ts": read("src/a.ts").replace("two(x: number)", "two(x: number, y: number)"),
    "src/c.ts": fn("six", "return 6;"),
  }),
];

const EVERY = { ".ua-hooksrc.json": '{ "refresh": "every", "thresholds": { "fullShare": 1 } }\n' };

function started(t: Parameters<typeof makeRepo>[0], name: string): Repo {
  const repo = makeRepo(t, { name });
  repo.commit("start", { ...EVERY, "src/first.ts": "export const first = 1;\n" });
  repo.ua("install", "--yes");
  return repo;
}

test("a scripted agent that follows ten commits by packets ends where one that describes everything at once does", (t) => {
  const repo = started(t, "loop");
  let tokens = 0;
  let whole = 0;
  for (const [at, change] of COMMITS.entries()) {
    const files = change((path) => repo.read(path));
    repo.commit(`commit ${at}`, files);
    tokens += work(repo);
    whole += Object.values(files).reduce((total, text) => total + Math.ceil(text.length / 4), 0);
  }
  const fresh = started(t, "fresh");
  const paths = ["src/a.ts", "src/b.ts", "src/c.ts"];
  fresh.commit("all at once", Object.fromEntries(paths.map((path) => [path, repo.read(path)])));
  work(fresh);
  const said = (one: Repo) => [...summaries(one)].filter(([id]) => paths.some((path) => id.includes(path))).sort();
  assert.equal(said(repo).length, 8, "three files and five functions");
  assert.deepEqual(said(repo), said(fresh));
  t.diagnostic(`${tokens} tokens by packets, ${whole} by whole files`);
  assert.ok(tokens < whole, `${tokens} of ${whole}`);
  assert.deepEqual(repo.uaJson("verify", "--against-clean").differences ?? [], []);
});
