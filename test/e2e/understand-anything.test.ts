import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, delimiter, extname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import type { FingerprintStore } from "../../src/verification/compat.js";
import { GRAPH_FILE, graphOf, summaries } from "../support/agent.js";
import { makeRepo, type Repo, root } from "../support/repo.js";
import { installInto } from "../support/round.js";
import { loadCore, loadSchemaCheck, loadSymbolGate, noCore, noGate, noSchema } from "../support/understand-anything.js";

/** Folders with TypeScript, Python or Go, separated as in PATH; by default our own code. */
const projects = (process.env.UNDERSTAND_ANYTHING_PROJECTS ?? join(root, "src")).split(delimiter);

const FILES = 40;

interface Language {
  comment: string;
  /** A function at the top of a file, up to its first parameter. */
  declaration: RegExp;
  parameter: string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  ".ts": { comment: "//", declaration: /^export function \w+\((?=\w+[:?])/m, parameter: "added: number, " },
  ".py": { comment: "#", declaration: /^def \w+\((?=\w)/m, parameter: "added, " },
  ".go": { comment: "//", declaration: /^func \w+\((?=\w+ )/m, parameter: "added int, " },
};

function sourcesIn(folder: string): Record<string, string> {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const sources = all.filter((path) => extname(path) in LANGUAGES && !/[A-Z]|^\.|\/\.|_test\.go$/.test(path));
  return Object.fromEntries(
    sources.slice(0, FILES).map((path) => [`lib/${path}`, readFileSync(join(folder, path), "utf8")]),
  );
}

const languageOf = (path: string) => LANGUAGES[extname(path)] as Language;

for (const project of projects) {
  test(`its own core decides over our fingerprints as we do: ${basename(project)}`, { skip: noCore }, async (t) => {
    const core = await loadCore();
    const repo = makeRepo(t);
    const sources = sourcesIn(project);
    const paths = Object.keys(sources);
    assert.equal(paths.length, FILES);
    repo.commit("start", sources);
    installInto(repo);
    const stored = () => JSON.parse(repo.read(".understand-anything/fingerprints.json")) as FingerprintStore;
    // Every file, as where meta.json is missing or names an old commit.
    const decided = () => core.decide(repo.dir, stored(), paths);
    assert.equal(decided().action, "SKIP");

    const commented = Object.entries(sources).map(([path, text]) => {
      const { comment } = languageOf(path);
      return [path, `${comment} Copyright the authors.\n${comment} Licensed to you.\n\n${text}\n${comment} the end\n`];
    });
    repo.commit("licence headers", Object.fromEntries(commented));
    assert.equal(repo.marker(), null);
    const { action, reason } = decided();
    assert.equal(action, "SKIP");
    assert.match(reason, new RegExp(`^${FILES} `));

    const widened = paths.find((path) => languageOf(path).declaration.test(repo.read(path))) ?? "";
    const { declaration, parameter } = languageOf(widened);
    repo.commit("wider", { [widened]: repo.read(widened).replace(declaration, `$&${parameter}`) });
    assert.deepEqual(repo.marker()?.filesToReanalyze, [widened]);
    assert.deepEqual([decided().action, decided().filesToReanalyze], ["PARTIAL_UPDATE", [widened]]);
  });
}

const TYPES = `export interface Shape {
  area(scale: number): number;
}
export enum Kind {
  Round,
  Square,
}
export type Id = string;
export class Circle implements Shape {
  area(scale: number): number {
    return scale * 3;
  }
}
`;
const SCRIPT = `build() {
  echo build
}
check() {
  build
}
`;
const TYPES_AFTER = TYPES.replace("area(scale: number): number;", "area(scale: number, unit: string): number;").replace(
  /export enum[^}]*}\n/,
  "",
);
const SCRIPT_AFTER = SCRIPT.replaceAll("build", "compile");

function typesAndScript(t: TestContext): Repo {
  const repo = makeRepo(t);
  repo.commit("start", { "src/types.ts": TYPES, "run.sh": SCRIPT });
  installInto(repo);
  return repo;
}

test("symbols that its parser cannot verify are concepts, with all of their edges", (t) => {
  const { nodes, edges } = graphOf(typesAndScript(t));
  assert.deepEqual(
    nodes.map(({ id }) => id),
    [
      "file:run.sh",
      "concept:run.sh:build",
      "concept:run.sh:check",
      "file:src/types.ts",
      "concept:src/types.ts:Shape",
      "concept:src/types.ts:Shape.area",
      "concept:src/types.ts:Kind",
      "concept:src/types.ts:Id",
      "class:src/types.ts:Circle",
      "function:src/types.ts:Circle.area",
    ],
  );
  const texts = edges.map(({ source, type, target }) => `${source} ${type} ${target}`);
  for (const edge of [
    "file:src/types.ts contains concept:src/types.ts:Shape",
    "concept:src/types.ts:Shape contains concept:src/types.ts:Shape.area",
    "class:src/types.ts:Circle implements concept:src/types.ts:Shape",
    "concept:run.sh:check calls concept:run.sh:build",
  ])
    assert.ok(texts.includes(edge), edge);
  assert.ok(nodes.every(({ id, type }) => id.startsWith(`${type}:`)));
});

test("its symbol gate lets an update pass after edits and deletions of such symbols", { skip: noGate }, async (t) => {
  const unproven = await loadSymbolGate();
  const repo = typesAndScript(t);
  const before = graphOf(repo);
  repo.commit("edits and deletions", { "src/types.ts": TYPES_AFTER, "run.sh": SCRIPT_AFTER });
  assert.equal(repo.ua("run").code, 0);
  const after = graphOf(repo);
  assert.ok(!after.nodes.some(({ name }) => name === "Kind" || name === "build"));
  for (const path of ["src/types.ts", "run.sh"]) assert.deepEqual(unproven(path, before, after), [], path);
  const asBefore = { ...before, nodes: before.nodes.map((node) => ({ ...node, type: "function" })) };
  assert.notDeepEqual(unproven("run.sh", asBefore, after), [], "it is its gate");
});

test("its schema accepts such nodes", { skip: noSchema }, async (t) => {
  const issuesOf = await loadSchemaCheck();
  assert.deepEqual(issuesOf(graphOf(typesAndScript(t))), []);
});

test("what was written about such a symbol as a class or function is shown at its node after a rebuild", (t) => {
  const repo = typesAndScript(t);
  // As another tool's graph names them.
  const theirs = repo
    .read(GRAPH_FILE)
    .replaceAll("concept:run.sh:", "function:run.sh:")
    .replaceAll("concept:src/types.ts:Shape.area", "function:src/types.ts:Shape.area")
    .replaceAll("concept:src/types.ts:", "class:src/types.ts:");
  const graph = JSON.parse(theirs) as KnowledgeGraph;
  for (const node of graph.nodes) {
    node.type = node.id.slice(0, node.id.indexOf(":"));
    node.summary = `written about ${node.name}`;
  }
  repo.write({ [GRAPH_FILE]: JSON.stringify(graph, null, 2) });
  assert.equal(repo.uaJson("status").status, "fresh");
  assert.equal(repo.ua("install", "--yes", "--rebuild").code, 0);
  const shown = summaries(repo);
  for (const name of ["run.sh:build", "src/types.ts:Shape", "src/types.ts:Shape.area", "src/types.ts:Kind"])
    assert.equal(shown.get(`concept:${name}`), `written about ${name.slice(name.lastIndexOf(":") + 1)}`, name);
});
