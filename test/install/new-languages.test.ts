import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../../src/store/sqlite.js";
import { installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

/** A program that knows more languages than the one before, on a clone that the one before installed. */

const GRAPH = ".understand-anything/knowledge-graph.json";
const dart = (name: string, params: string) => `int ${name}(${params}) {\n  return 1;\n}\n`;
const FILES = {
  ...SMALL_PROJECT,
  ...Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`lib/f${at}.dart`, dart(`f${at}`, "int a")])),
  "main.tf": 'resource "aws_vpc" "a" {}\n',
  "docs/guide.md": "# Guide\n\nText.\n\n## Install\n\nRun it.\n",
  "docs/other.md": "# Other\n\nText.\n",
  "ci.yaml": "name: CI\non: push\n",
  ".ua-hooksrc.json": '{ "exclude": ["lib/**", "*.tf"] }',
};

interface Node {
  id: string;
  type: string;
  filePath?: string;
  summary: string;
}

const nodesOf = (repo: Repo, path: string) =>
  (JSON.parse(repo.read(GRAPH)) as { nodes: Node[] }).nodes.filter((node) => node.filePath === path);

const written = (path: string, type = "file") => ({
  ...{ id: `${type}:${path}`, type, name: path, filePath: path },
  ...{ summary: `Written about ${path}.`, tags: ["x"], complexity: "simple" },
});

/** As the program before leaves a clone: added languages are no source, and a file of them in the graph is known by its blob. */
async function cloneOfBefore(repo: Repo): Promise<void> {
  const graph = JSON.parse(repo.read(GRAPH)) as { nodes: unknown[] };
  graph.nodes.push(written("docs/guide.md"), written("docs/other.md", "document"), written("ci.yaml"));
  repo.write({ [GRAPH]: JSON.stringify(graph) });
  assert.equal(repo.ua("verify").code, 0);
  const db = await openDatabase(join(repo.dir, ".git/ua-hooks/state.db"));
  try {
    db.run("DELETE FROM settings WHERE key LIKE 'languages:%'");
    db.run(
      "UPDATE descriptions SET name = 'file:' || path, hash = 'blob:' || oid, signature = NULL WHERE type = 'file'",
    );
  } finally {
    db.close();
  }
  repo.write({ ".ua-hooksrc.json": "{}" });
}

test("an upgrade asks for nothing; the files of added languages count from their next change on", async (t) => {
  const repo = installedRepo(t, { name: "languages", files: FILES });
  await cloneOfBefore(repo);

  assert.equal(repo.uaJson("status").status, "fresh");
  assert.deepEqual([repo.marker(), repo.ua("verify").code], [null, 0]);
  assert.equal(repo.ua("install").code, 0, "with the grammars for the clone's own copy");
  assert.equal(repo.uaJson("status").status, "fresh");
  repo.write({ ".understandignore": "nothing/\n" });
  repo.commit("every path is compared again");
  assert.equal(repo.uaJson("status").status, "fresh");

  repo.commit("bodies", {
    "lib/f1.dart": dart("f1", "int a").replace("return 1", "return 2"),
    "docs/guide.md": FILES["docs/guide.md"].replace("Run it", "Run it twice"),
    "ci.yaml": "name: CI\non: pull\n",
  });
  assert.deepEqual(repo.marker()?.fileChanges, undefined, "a body asks for nothing");
  assert.equal(nodesOf(repo, "docs/guide.md")[0]?.summary, "Written about docs/guide.md.");

  repo.commit("interfaces", {
    "lib/f1.dart": dart("f1", "int a, int b"),
    "main.tf": 'resource "aws_vpc" "a" {}\nresource "aws_vpc" "b" {}\n',
    "docs/guide.md": `${FILES["docs/guide.md"]}\n## More\n\nText.\n`,
    "docs/new.md": "# New\n",
    "ci.yaml": "name: CI\non: pull\njobs: 1\n",
  });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["ci.yaml", "docs/guide.md", "lib/f1.dart", "main.tf"]);
});

test("a file that the graph describes by another type of node gets none of ours beside it", async (t) => {
  const repo = installedRepo(t, { name: "languages", files: FILES });
  await cloneOfBefore(repo);
  repo.commit("headings", { "docs/other.md": "# Other\n\n## More\n\nText.\n", "lib/f2.dart": dart("f2", "") });
  assert.equal(repo.ua("run").code, 0);
  assert.deepEqual(
    nodesOf(repo, "docs/other.md").map(({ id }) => id),
    ["document:docs/other.md"],
  );
  assert.deepEqual(
    nodesOf(repo, "lib/f2.dart").map(({ id }) => id),
    ["file:lib/f2.dart", "function:lib/f2.dart:f2"],
  );
  assert.deepEqual(nodesOf(repo, "lib/f3.dart"), [], "it has not changed");
  assert.equal(repo.ua("run", "--full").code, 0);
  assert.equal(nodesOf(repo, "lib/f3.dart").length, 2, "a full run takes in what is not in the graph yet");
});
