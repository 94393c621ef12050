import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { test } from "node:test";
import { dist } from "./support/repo.js";

/**
 * docs/architecture.md, "Folders, and what each may touch". A folder may use those listed; in brackets: only their
 * types, which are gone at run time.
 */
const MAY_USE: Record<string, string[]> = {
  cli: [
    "agents",
    "mcp",
    "analyzers",
    "registry",
    "hook",
    "install",
    "records",
    "context",
    "places",
    "report",
    "freshness",
    "graph",
    "marker",
    "project",
    "git",
    "store",
    "fingerprint",
  ],
  mcp: ["hook", "registry", "records", "freshness", "graph", "marker", "project", "git", "store"],
  report: ["hook", "records", "freshness", "(marker)", "project", "git", "store"],
  page: ["report"],
  agents: ["hook", "places", "context", "marker", "project", "git", "store"],
  install: [
    "agents",
    "hook",
    "places",
    "knowledge",
    "freshness",
    "graph",
    "marker",
    "project",
    "git",
    "store",
    "fingerprint",
  ],
  hook: [
    "analyzers",
    "places",
    "registry",
    "records",
    "knowledge",
    "freshness",
    "marker",
    "graph",
    "project",
    "git",
    "store",
    "fingerprint",
  ],
  places: ["project", "git", "store"],
  analyzers: ["graph", "project", "git", "store"],
  registry: ["freshness", "project", "git", "store", "fingerprint"],
  records: ["freshness", "project", "git", "store", "fingerprint"],
  context: ["project", "store"],
  knowledge: ["freshness", "graph", "project", "git", "store", "fingerprint"],
  marker: ["(freshness)", "project", "store", "(fingerprint)"],
  freshness: ["fingerprint", "graph", "git", "project", "store"],
  graph: ["fingerprint"],
  project: ["fingerprint", "git", "store"],
  store: ["fingerprint", "(project)"],
  fingerprint: [],
  git: [],
};

/** At the top of src/, for everyone. */
const SHARED = new Set(["clock", "errors", "interrupt", "printable", "version.d"]);

const src = resolve(dist, "..", "src");

function* sources(dir: string): Generator<string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* sources(join(dir, entry.name));
    else if (entry.name.endsWith(".ts")) yield join(dir, entry.name);
  }
}

interface Import {
  from: string;
  to: string;
  onlyTypes: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s(type\s)?[^;]*?from "(\.[^"]+)"|import\("(\.[^"]+)"\)/gm)) {
    const target = match[2] ?? match[3] ?? "";
    const to = relative(src, resolve(file, "..", target)).replace(/\.js$/, "");
    found.push({ from: relative(src, file), to, onlyTypes: match[1] !== undefined });
  }
  return found;
}

const folderOf = (path: string) => (path.includes(sep) ? (path.split(sep)[0] ?? "") : "");

test("arrows between the folders of src point down", () => {
  const wrong: string[] = [];
  for (const file of sources(src)) {
    for (const { from, to, onlyTypes } of importsOf(file)) {
      const [folder, target] = [folderOf(from), folderOf(to)];
      if (folder === "" || folder === target || SHARED.has(to)) continue;
      const allowed = MAY_USE[folder]?.includes(target) || (onlyTypes && MAY_USE[folder]?.includes(`(${target})`));
      if (!allowed) wrong.push(`${from} uses ${to}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("nobody but git/ starts git, and nobody but store/ opens a database", () => {
  for (const file of sources(src)) {
    const text = readFileSync(file, "utf8");
    const folder = folderOf(relative(src, file));
    if (folder !== "git") assert.doesNotMatch(text, /spawn(Sync)?\(\s*"git"|execFile(Sync)?\(\s*"git"/, file);
    if (folder !== "store") assert.doesNotMatch(text, /node:sqlite|"libsql"/, file);
  }
});
