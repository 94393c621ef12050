import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { graphOf, summaries } from "../support/agent.js";
import { answer, askedIn, claim, describeAll, descriptionsFor } from "../support/packets.js";
import { installedRepo, type Repo } from "../support/repo.js";

/** What was written stays with its file and its function, whatever they are called and wherever they are, for more than one step. */

const long = (name: string, end = "sum") =>
  `export function ${name}(x: number): number {\n  const parts = [x, x + 1, x + 2];\n  const sum = parts.reduce((all, one) => all + one * x, 0);\n  return ${end};\n}\n`;
const OTHER = "export function other(text: string, by: number): number {\n  return text.length * by;\n}\n";
const FILE = "src/one.ts";

function describedRepo(t: TestContext): Repo {
  const repo = installedRepo(t);
  repo.commit("one", { [FILE]: `${long("first")}${OTHER}` });
  describeAll(repo, "agent");
  assert.equal(summaries(repo).get(`function:${FILE}:first`), "agent: first");
  return repo;
}

const nodeOf = (repo: Repo, id: string) => graphOf(repo).nodes.find((node) => node.id === id);

function step(repo: Repo, files: Record<string, string>): void {
  repo.commit("step", files);
  assert.equal(repo.ua("run").code, 0);
}

test("a function that moved, was renamed, moved again and then changed its body keeps its description at each step", (t) => {
  const repo = describedRepo(t);
  const b = repo.read("src/b.ts");
  step(repo, { [FILE]: OTHER, "src/b.ts": `${b}${long("first")}` });
  assert.equal(summaries(repo).get("function:src/b.ts:first"), "agent: first");
  step(repo, { "src/b.ts": `${b}${long("second")}` });
  assert.equal(summaries(repo).get("function:src/b.ts:second"), "agent: first");
  assert.equal(nodeOf(repo, "function:src/b.ts:second")?.needsReview, "renamed");
  step(repo, { "src/b.ts": b, "src/c.ts": long("second") });
  assert.equal(summaries(repo).get("function:src/c.ts:second"), "agent: first");
  assert.equal(nodeOf(repo, "function:src/c.ts:second")?.needsReview, "renamed");
  step(repo, { "src/c.ts": long("second", "sum + 1") });
  assert.equal(summaries(repo).get("function:src/c.ts:second"), "agent: first");
  repo.ua("install", "--yes", "--rebuild");
  assert.equal(summaries(repo).get("function:src/c.ts:second"), "agent: first");
});

test("a function that moved and was renamed in one commit keeps its description, and nobody is asked about it", (t) => {
  const repo = describedRepo(t);
  const b = repo.read("src/b.ts");
  repo.commit("both", { [FILE]: OTHER, "src/b.ts": `${b}${long("second")}` });
  assert.deepEqual(askedIn(claim(repo).packets).sort(), ["file:src/b.ts", `file:${FILE}`]);
  answer(repo, { descriptions: descriptionsFor(["file:src/b.ts", `file:${FILE}`], "agent") });
  assert.equal(summaries(repo).get("function:src/b.ts:second"), "agent: first");
  assert.equal(nodeOf(repo, "function:src/b.ts:second")?.needsReview, "renamed");
});

test("a text that was written after the move goes on with the function, and the older one does not", (t) => {
  const repo = describedRepo(t);
  const b = repo.read("src/b.ts");
  step(repo, { [FILE]: OTHER, "src/b.ts": `${b}${long("first")}` });
  const moved = "function:src/b.ts:first";
  const nodes = graphOf(repo).nodes.map((node) => (node.id === moved ? { ...node, summary: "edited" } : node));
  repo.write({ ".understand-anything/knowledge-graph.json": JSON.stringify({ ...graphOf(repo), nodes }, null, 2) });
  repo.uaJson("status");
  step(repo, { "src/b.ts": b, "src/c.ts": long("first") });
  assert.equal(summaries(repo).get("function:src/c.ts:first"), "edited");
});

test("a renamed file keeps what was written about it, and about its functions, also when they change next", (t) => {
  const repo = describedRepo(t);
  repo.git("mv", FILE, "src/two.ts");
  repo.commit("a new name", {});
  assert.equal(repo.uaJson("status").status, "fresh");
  const texts = (path: string) =>
    [`file:${path}`, `function:${path}:first`, `function:${path}:other`].map((id) => summaries(repo).get(id));
  const written = [`agent: ${FILE.slice(4)}`, "agent: first", "agent: other"];
  const [file = "", ...functions] = texts("src/two.ts");
  assert.match(file, /^agent: /);
  assert.deepEqual(functions, written.slice(1));
  repo.commit("another body", { "src/two.ts": `${long("first", "sum + 1")}${OTHER}` });
  repo.ua("run");
  assert.deepEqual(texts("src/two.ts"), [file, ...functions]);
  repo.git("mv", "src/two.ts", "src/three.ts");
  repo.commit("again, with a body", { "src/three.ts": `${long("first", "sum + 2")}${OTHER}` });
  repo.ua("run");
  assert.deepEqual(texts("src/three.ts"), [file, ...functions]);
});

test("the packet of a renamed file with another interface shows what was written, and `unchanged` keeps it", (t) => {
  const repo = describedRepo(t);
  repo.git("mv", FILE, "src/two.ts");
  repo.commit("a new name", { "src/two.ts": `${long("first").replace("x: number", "x: number, y = 1")}${OTHER}` });
  const { packets } = claim(repo);
  const [packet] = packets;
  const asked = [...(packet?.symbols ?? []), ...(packet?.describeFile ? [packet.describeFile] : [])];
  assert.deepEqual(
    asked.map(({ id, previous }) => [id, typeof previous]),
    [
      ["function:src/two.ts:first", "string"],
      ["file:src/two.ts", "string"],
    ],
  );
  answer(repo, { unchanged: asked.map(({ id }) => id) });
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(summaries(repo).get("function:src/two.ts:first"), "agent: first");
  assert.match(summaries(repo).get("file:src/two.ts") ?? "", /^agent: /);
});
