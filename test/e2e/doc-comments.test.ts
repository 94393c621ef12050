import assert from "node:assert/strict";
import { test } from "node:test";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import { compareWithClean } from "../../src/updates/run.js";
import { analysisOf, applyTo, graphOf, summaries } from "../support/agent.js";
import { makeRepo, type Repo } from "../support/repo.js";

const SOURCE = `/** Reads and writes settings. */
import "./other.js";

/** Loads one setting. Slowly. */
export function load(name: string): string {
  return name;
}

export function bare(): number {
  return 1;
}
`;

const ID = "function:src/settings.ts:load";

function documented(t: Parameters<typeof makeRepo>[0]): Repo {
  const repo = makeRepo(t);
  repo.commit("start", {
    "src/settings.ts": SOURCE,
    "src/other.ts": "export const other = 1;\n",
    "src/README.md": "# src\n\nAll that runs. And more.\n",
    "package.json": JSON.stringify({ description: "Settings for everyone.", dependencies: { fastify: "1" } }),
  });
  const installed = repo.ua("install", "--yes");
  assert.equal(installed.code, 0, installed.stderr);
  return repo;
}

const nodeOf = (repo: Repo, id: string) => graphOf(repo).nodes.find((node) => node.id === id);

test("with no model the graph says what the authors said, and facts where they said nothing", async (t) => {
  const repo = documented(t);
  const said = summaries(repo);
  assert.equal(said.get("file:src/settings.ts"), "Reads and writes settings.");
  assert.equal(said.get(ID), "Loads one setting.");
  assert.equal(said.get("function:src/settings.ts:bare"), "Exported function with 0 parameters");
  const { project, layers } = graphOf(repo);
  assert.deepEqual([project.description, project.frameworks], ["Settings for everyone.", ["Fastify"]]);
  assert.deepEqual(
    layers.map(({ id, description }) => [id, description]),
    [["layer:src", "All that runs."]],
  );
  assert.doesNotMatch(repo.read(".understand-anything/fingerprints.json"), /Loads one setting/);
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.deepEqual(await withContext(await locateProject({ cwd: repo.dir, env: {} }), compareWithClean), []);
});

test("another doc comment is no reason for an update; hooks, run and inline take the new sentence", async (t) => {
  const repo = documented(t);
  repo.commit("reworded", { "src/settings.ts": SOURCE.replace("Loads one", "Finds one") });
  assert.equal(repo.marker(), null);
  assert.equal(summaries(repo).get(ID), "Finds one setting.", "hooks in marker mode, too");
  const inside = SOURCE.replace("Loads one", "Seeks one").replace("return name;", "return name.trim();");
  repo.commit("reworded, and another body", { "src/settings.ts": inside });
  assert.equal(summaries(repo).get(ID), "Seeks one setting.");
  assert.equal(
    repo.uaJson<{ drift: string }>("why", "src/settings.ts").drift,
    "behaviour",
    "the analysed content stays",
  );
  assert.deepEqual(await withContext(await locateProject({ cwd: repo.dir, env: {} }), compareWithClean), []);
  repo.commit("as before", { "src/settings.ts": SOURCE });
  assert.equal(summaries(repo).get(ID), "Loads one setting.");
  assert.equal(repo.uaJson<{ drift: string }>("why", "src/settings.ts").drift, "none");

  repo.commit("inline from now on", { ".ua-hooksrc.json": JSON.stringify({ mode: "inline" }) });
  const wider = SOURCE.replace("Loads one", "Gets one").replace("name: string", "name: string, more: number");
  repo.commit("interface and comment", { "src/settings.ts": wider });
  assert.deepEqual([nodeOf(repo, ID)?.summary, nodeOf(repo, ID)?.needsReview], ["Gets one setting.", undefined]);
  repo.commit("comment gone", { "src/settings.ts": wider.replace(/^.*Gets one.*\n/m, "") });
  assert.equal(summaries(repo).get(ID), "Exported function with 2 parameters");
  assert.equal(nodeOf(repo, ID)?.docComment, undefined);
  repo.git("mv", "src/settings.ts", "src/options.ts");
  repo.commit("moved and described", { "src/options.ts": wider });
  assert.equal(summaries(repo).get("function:src/options.ts:load"), "Gets one setting.");
  assert.deepEqual(await withContext(await locateProject({ cwd: repo.dir, env: {} }), compareWithClean), []);
});

const textsOf = (repo: Repo): Record<string, unknown> => {
  const { project, layers } = graphOf(repo);
  const said = Object.fromEntries(layers.map(({ id, description }) => [id, description]));
  return { description: project.description, frameworks: project.frameworks, ...said };
};

test("run takes what manifests and READMEs say now, and leaves what others wrote there", (t) => {
  const repo = documented(t);
  assert.equal(repo.uaJson("run").state, "nothing");
  repo.commit("reworded", {
    "src/README.md": "Most of what runs.\n",
    "package.json": JSON.stringify({ description: "Settings for a few.", dependencies: { react: "1" } }),
  });
  assert.equal(repo.marker(), null, "no source file changed");
  assert.equal(textsOf(repo)["layer:src"], "All that runs.");
  assert.equal(repo.uaJson("run").state, "done");
  const reworded = { description: "Settings for a few.", frameworks: ["React"], "layer:src": "Most of what runs." };
  assert.deepEqual(textsOf(repo), reworded);
  assert.equal(repo.uaJson("run").state, "nothing");

  repo.git("rm", "-q", "src/README.md");
  repo.commit("gone, and a folder came", {
    "package.json": "{}",
    "lib/README": "Shared by all.",
    "lib/a.ts": "export const a = 1;\n",
  });
  repo.ua("run");
  const generated = { description: "Structure of repo, as its source files show it", frameworks: [] };
  assert.deepEqual(textsOf(repo), { ...generated, "layer:lib": "Shared by all.", "layer:src": "Files in src/" });

  const graph = graphOf(repo);
  graph.project.description = "Written by hand.";
  graph.project.frameworks = ["Homemade"];
  for (const layer of graph.layers) layer.description = `${layer.name}, by hand.`;
  repo.write({ ".understand-anything/knowledge-graph.json": JSON.stringify(graph) });
  repo.commit("said again", {
    "src/README.md": "Everything.\n",
    "package.json": JSON.stringify({ description: "Settings.", dependencies: { react: "1" } }),
  });
  repo.ua("run");
  const byHand = { description: "Written by hand.", frameworks: ["Homemade"] };
  assert.deepEqual(textsOf(repo), { ...byHand, "layer:lib": "lib, by hand.", "layer:src": "src, by hand." });
});

test("a branch with other manifests has its own texts after run, and so has the one before it", (t) => {
  const repo = documented(t);
  const before = textsOf(repo);
  repo.git("switch", "-q", "-c", "side");
  repo.commit("side", {
    "package.json": JSON.stringify({ description: "A side." }),
    "src/other.ts": "export const other = 2;\nexport const more = 1;\n",
  });
  repo.ua("run");
  assert.equal(textsOf(repo).description, "A side.");
  repo.git("switch", "-q", "main");
  repo.ua("run");
  assert.deepEqual(textsOf(repo), before);
  repo.git("switch", "-q", "side");
  repo.ua("run");
  assert.equal(textsOf(repo).description, "A side.");
});

test("what an agent wrote is never replaced by a doc comment", (t) => {
  const repo = documented(t);
  repo.commit("wider", { "src/settings.ts": SOURCE.replace("name: string", "name: string, more: number") });
  applyTo(repo, analysisOf(repo, ["src/settings.ts"], "told"));
  assert.equal(summaries(repo).get(ID), "told: load");
  repo.commit("reworded", {
    "src/settings.ts": SOURCE.replace("name: string", "name: string, more: number").replace("Loads", "Finds"),
  });
  repo.ua("run", "--full");
  assert.equal(summaries(repo).get(ID), "told: load");
  assert.equal(nodeOf(repo, ID)?.docComment, undefined);

  // Someone edits the file that we wrote, and leaves the mark where it was.
  const graph = graphOf(repo);
  const other = graph.nodes.find(({ id }) => id === "file:src/settings.ts");
  assert.ok(other !== undefined);
  other.docComment = "Reads and writes settings.";
  other.summary = "Edited by hand.";
  repo.write({ ".understand-anything/knowledge-graph.json": JSON.stringify(graph) });
  repo.commit("again", { "src/settings.ts": `${SOURCE}\nexport const more = 1;\n` });
  repo.ua("run", "--full");
  assert.equal(summaries(repo).get("file:src/settings.ts"), "Edited by hand.");
});
