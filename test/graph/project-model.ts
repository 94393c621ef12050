import type { FileFingerprint } from "../../src/fingerprint/types.js";
import { edgeContext, edgesOfFile, nodesOfFile } from "../../src/graph/build.js";
import { createResolver } from "../../src/graph/imports.js";
import type { GraphUpdate } from "../../src/graph/merge.js";
import type { RelinkUpdate } from "../../src/graph/relink.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import fc from "../support/fast-check.js";
import { buildGraph, relink } from "../support/whole-graph.js";
import { aClass, aFile, aFunction } from "./support.js";

/** A made-up project: few paths and names, so that files come, go, collide and shadow one another often. */
export type Project = Map<string, FileFingerprint>;

const paths = [
  "a.ts",
  "src/a.ts",
  "src/b.ts",
  "src/b/index.ts",
  "src/b/c.ts",
  "lib/a.ts",
  "lib/x/y.ts",
  "m.py",
  "pkg/__init__.py",
  "pkg/m.py",
];
const names = ["f", "g", "h"];
const classNames = ["A", "B"];
const calledNames = [...names, ...classNames, "A.f", "B.g", "this.f", "this.g", "m.f", "pkg.m.g"];
const sources = [
  "./a",
  "./b",
  "./b/c",
  "../a",
  "../src/b",
  "./x/y",
  "../lib/a.js",
  "./",
  "pkg",
  "pkg.m",
  ".m",
  "m",
  "react",
];

const arbitraryRange = fc.integer({ min: 1, max: 50 }).map((start): [number, number] => [start, start + 3]);

const arbitraryContent = fc.record({
  functions: fc.array(
    fc
      .tuple(fc.constantFrom(...names, "A.f", "B.g", "Z.f"), fc.boolean(), arbitraryRange, fc.subarray(calledNames))
      .map(([name, exported, lineRange, calls]) => aFunction(name, { exported, lineRange, calls })),
    { maxLength: 4 },
  ),
  classes: fc.array(
    fc
      .tuple(fc.constantFrom(...classNames), fc.subarray(classNames), arbitraryRange)
      .map(([name, bases, lineRange]) => aClass(name, { extends: bases, lineRange })),
    { maxLength: 2 },
  ),
  imports: fc.array(
    fc.record({
      source: fc.constantFrom(...sources),
      specifiers: fc.subarray([...classNames, ...names, "f as g", "*"]),
    }),
    {
      maxLength: 3,
    },
  ),
  exports: fc.subarray([...names, ...classNames, "* from ./a"]),
});

const arbitraryPath = fc.constantFrom(...paths);

export const arbitraryProject: fc.Arbitrary<Project> = fc
  .uniqueArray(fc.tuple(arbitraryPath, arbitraryContent), { selector: ([path]) => path, maxLength: paths.length })
  .map((files) => new Map(files.map(([path, content]) => [path, aFile(path, content)])));

export type Step =
  | { kind: "write"; path: string; content: Partial<FileFingerprint> }
  | { kind: "delete"; path: string }
  | { kind: "rename"; path: string; to: string };

const arbitraryStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("write" as const), path: arbitraryPath, content: arbitraryContent }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), path: arbitraryPath }) },
);
const arbitraryRename = fc.record({ kind: fc.constant("rename" as const), path: arbitraryPath, to: arbitraryPath });

/** Several commits, each of several steps. */
export const arbitraryHistory = fc.array(fc.array(arbitraryStep, { maxLength: 3 }), { maxLength: 5 });
export const arbitraryRenames = fc.array(fc.array(fc.oneof(arbitraryStep, arbitraryRename), { maxLength: 3 }), {
  maxLength: 5,
});

export const resolverOf = (project: Project) => createResolver(project.keys());

export function graphOf(project: Project): KnowledgeGraph {
  return buildGraph({ name: "p", commit: "c", analyzedAt: "t", fingerprints: project, resolver: resolverOf(project) });
}

/**
 * What a commit of these steps makes of the project, and the structural update that says so; `moreThanMoved` analyses
 * renamed files again as well.
 */
export function commit(
  before: Project,
  steps: readonly Step[],
  moreThanMoved = false,
): { after: Project; update: GraphUpdate } {
  const after = new Map(before);
  let renamed: { from: string; to: string }[] = [];
  const written = new Set<string>();
  for (const step of steps) {
    const file = after.get(step.path);
    if (step.kind === "write") {
      after.set(step.path, aFile(step.path, step.content));
      written.add(step.path);
    } else if (step.kind === "delete") {
      after.delete(step.path);
      renamed = renamed.filter(({ to }) => to !== step.path);
    } else if (file !== undefined && before.has(step.path) && !written.has(step.path) && !after.has(step.to)) {
      if (renamed.some(({ from, to }) => from === step.path || to === step.path) || before.has(step.to)) continue;
      after.delete(step.path);
      after.set(step.to, { ...file, filePath: step.to });
      renamed.push({ from: step.path, to: step.to });
    }
  }
  const moved = renamed.filter(({ from, to }) => after.has(to) && !after.has(from) && !written.has(to));
  const targets = new Set(moved.map(({ to }) => to));
  const isDue = (path: string) => after.get(path) !== before.get(path) && (moreThanMoved || !targets.has(path));
  const files = [...after.keys()].filter(isDue);
  const sources = new Set(moved.map(({ from }) => from));
  const deleted = [...before.keys()].filter((path) => !after.has(path) && !sources.has(path));
  return { after, update: structuralUpdate(before, after, { files, deleted, renamed: moved }) };
}

function structuralUpdate(before: Project, after: Project, change: RelinkUpdate): GraphUpdate {
  const samePaths = before.size === after.size && [...before.keys()].every((path) => after.has(path));
  const resolver = resolverOf(before);
  const context = edgeContext(after, samePaths ? resolver : resolverOf(after));
  const each = change.files.map((path) => ({ path, fp: after.get(path) ?? aFile(path) }));
  const { edges, unlinked } = relink(edgeContext(before, resolver), context, change);
  return {
    ...change,
    nodes: each.flatMap(({ path, fp }) => nodesOfFile(path, fp)),
    edges: [...each.flatMap(({ path, fp }) => edgesOfFile(path, fp, context)), ...edges],
    unlinked,
    structural: true,
    commit: "c",
    at: "t",
  };
}
