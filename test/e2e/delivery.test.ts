import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { GraphEdge, GraphNode, KnowledgeGraph } from "../../src/graph/types.js";
import { applyTo, GRAPH_FILE, graphOf, summaries } from "../support/agent.js";
import { answer, askedIn, claim, describeAll } from "../support/packets.js";
import { installedRepo, type Repo } from "../support/repo.js";

const TEN = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const PATH = "src/ten.ts";
const idOf = (name: string) => `function:${PATH}:${name}`;

/** Each with a body of its own, long enough to be recognised under another name. */
const fn = (name: string, at: number, params = "x: number") =>
  `export function ${name}(${params}): number {\n  const a = x + ${at};\n  const b = a * ${at + 1};\n  const c = b - a + ${at};\n  return a + b + c;\n}\n`;
const tenFunctions = (changed: Partial<Record<string, string>> = {}) =>
  TEN.map((name, at) => changed[name] ?? fn(name, at)).join("\n");

const CHANGED = tenFunctions({ three: fn("three", 2, "x: number, y: number") });

const textOf = (name: string) => ({
  summary: `Adds up, as ${name} does.`,
  tags: ["sum"],
  complexity: "simple" as const,
});
const FILE_TEXT = { summary: "Ten sums.", tags: ["sums"], complexity: "moderate" as const };
const RELATED: GraphEdge = {
  ...{ source: idOf("two"), target: "file:src/b.ts", type: "related", direction: "forward", weight: 0.5 },
  description: "says the same",
};

/** What an agent that writes nodes and edges delivers of the file. */
function asNodes(path = PATH) {
  const nodes: GraphNode[] = [
    { id: `file:${path}`, type: "file", name: "ten.ts", filePath: path, ...FILE_TEXT },
    ...TEN.map((name, at) => {
      const line = at * 7 + 1;
      const lineRange: [number, number] = [line, line + 5];
      return { id: `function:${path}:${name}`, type: "function", name, filePath: path, lineRange, ...textOf(name) };
    }),
  ];
  const contains = TEN.map((name): GraphEdge => {
    return {
      source: `file:${path}`,
      target: `function:${path}:${name}`,
      type: "contains",
      direction: "forward",
      weight: 1,
    };
  });
  return { files: [path], nodes, edges: contains };
}

const asDescriptions = () => ({
  descriptions: Object.fromEntries([[`file:${PATH}`, FILE_TEXT], ...TEN.map((name) => [idOf(name), textOf(name)])]),
});

const LAYERS = (repo: Repo) => [
  ...graphOf(repo).layers.map((layer) => ({ ...layer, nodeIds: layer.nodeIds.filter((id) => id !== `file:${PATH}`) })),
  { id: "layer:sums", name: "Sums", description: "Everything that adds.", nodeIds: [`file:${PATH}`] },
];

type Form = "nodes" | "descriptions";
const FORMS: readonly Form[] = ["nodes", "descriptions"];

/** A repository in which the ten functions are described, in one of the two forms. */
function deliveredRepo(
  t: TestContext,
  form: Form,
  at: (repo: Repo) => Repo = (repo) => repo,
): { repo: Repo; here: Repo } {
  const repo = installedRepo(t);
  const here = at(repo);
  here.commit("ten", { [PATH]: tenFunctions() });
  claim(here);
  const { pending } = form === "nodes" ? applyTo(here, asNodes()) : answer(here, asDescriptions());
  assert.equal(pending, null);
  return { repo, here };
}

/** Without what differs between any two repositories. */
const bytes = (repo: Repo) => {
  const { project, ...rest } = graphOf(repo) as KnowledgeGraph;
  const { analyzedAt: _at, gitCommitHash: _commit, name: _name, description: _text, ...same } = project;
  return JSON.stringify({ project: same, ...rest }, null, 2);
};

const described = (repo: Repo) => TEN.filter((name) => summaries(repo).get(idOf(name)) === textOf(name).summary);

test("nodes and edges, and descriptions, of the same texts give the same bytes", (t) => {
  const [nodes, descriptions] = FORMS.map((form) => bytes(deliveredRepo(t, form).repo));
  assert.equal(nodes, descriptions);
});

for (const form of FORMS) {
  test(`delivered as ${form}: of ten functions one changes, and one is asked; the other nine stay described`, (t) => {
    const { repo } = deliveredRepo(t, form);
    repo.commit("one changes", { [PATH]: CHANGED });
    const { packets } = claim(repo);
    assert.deepEqual(askedIn(packets), [`file:${PATH}`, idOf("three")]);
    const descriptions = { [`file:${PATH}`]: FILE_TEXT, [idOf("three")]: { ...textOf("three"), summary: "Another." } };
    assert.equal(answer(repo, { descriptions }).pending, null);
    assert.deepEqual(
      described(repo),
      TEN.filter((name) => name !== "three"),
    );
    const after = repo.read(GRAPH_FILE);
    repo.git("revert", "--no-edit", "HEAD");
    assert.equal(repo.marker(), null, "after a revert nothing is asked");
    assert.deepEqual(described(repo), TEN);
    repo.git("reset", "-q", "--hard", "HEAD~1");
    assert.equal(repo.uaJson("status").status, "fresh");
    assert.equal(repo.read(GRAPH_FILE), after);
  });

  test(`delivered as ${form}: on another branch, in another file, under another name nothing is asked`, (t) => {
    const { repo } = deliveredRepo(t, form);
    repo.git("checkout", "-q", "-b", "topic");
    repo.commit("renamed and moved", {
      [PATH]: tenFunctions({ ten: "", four: fn("vier", 3) }),
      "src/b.ts": `${repo.read("src/b.ts")}${fn("ten", 9)}`,
    });
    const texts = summaries(repo);
    assert.deepEqual(
      askedIn(claim(repo).packets).filter((id) => id.startsWith("function:")),
      [],
    );
    repo.ua("ack");
    assert.equal(summaries(repo).get(idOf("one")), texts.get(idOf("one")));
    assert.equal(summaries(repo).get(idOf("vier")), textOf("four").summary);
    assert.equal(summaries(repo).get("function:src/b.ts:ten"), textOf("ten").summary);
    repo.git("checkout", "-q", "main");
    assert.equal(repo.marker(), null);
    assert.deepEqual(described(repo), TEN);
  });

  test(`delivered as ${form} in a linked worktree: the main one asks nothing after the merge`, (t) => {
    const linked = (repo: Repo) => {
      repo.git("worktree", "add", "-q", "-b", "topic", "../tree");
      return repo.at(join(repo.base, "tree"));
    };
    const { repo, here } = deliveredRepo(t, form, linked);
    here.commit("one changes", { [PATH]: CHANGED });
    assert.deepEqual(askedIn(claim(here).packets), [`file:${PATH}`, idOf("three")]);
    repo.git("merge", "-q", "topic");
    assert.deepEqual(askedIn(claim(repo).packets), [`file:${PATH}`, idOf("three")]);
    repo.git("reset", "-q", "--hard", "topic~1");
    assert.equal(repo.uaJson("status").status, "fresh");
    assert.deepEqual(described(repo), TEN);
  });
}

test("a foreign edge and the layer of a file survive a change of another function, a branch without the file, and a revert", (t) => {
  const repo = installedRepo(t);
  repo.git("branch", "before");
  repo.commit("ten", { [PATH]: tenFunctions() });
  const { edges, ...rest } = asNodes();
  assert.equal(applyTo(repo, { ...rest, edges: [...edges, RELATED], layers: LAYERS(repo) }).pending, null);
  const assertThere = (when: string) => {
    const graph = graphOf(repo);
    const related = graph.edges.filter(({ type }) => type === "related");
    assert.deepEqual(related, [RELATED], when);
    assert.deepEqual(
      graph.layers.filter(({ nodeIds }) => nodeIds.includes(`file:${PATH}`)),
      [{ id: "layer:sums", name: "Sums", description: "Everything that adds.", nodeIds: [`file:${PATH}`] }],
      when,
    );
  };
  assertThere("delivered");
  repo.commit("one changes", { [PATH]: CHANGED });
  describeAll(repo, "new");
  assertThere("one function described anew");
  repo.git("checkout", "-q", "before");
  assert.ok(!repo.read(GRAPH_FILE).includes(PATH));
  repo.git("checkout", "-q", "main");
  assertThere("after a branch without the file");
  repo.git("revert", "--no-edit", "HEAD");
  assertThere("after a revert");
  assert.equal(repo.marker(), null);
  assert.deepEqual(described(repo), TEN);
});
