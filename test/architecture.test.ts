import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { test } from "node:test";
import { pageText } from "./support/docs.js";
import { dist } from "./support/repo.js";

/**
 * The table of docs/architecture.md, "Folders, and what each may touch": `graph, freshness (types)`, where only types, which are
 * gone at run time, may be used.
 */
function mayUse(): Map<string, string[]> {
  const rows = pageText("docs/architecture.md").matchAll(/^\| `src\/([a-z-]+)\/` +\|.*?\| (.*?) *\|$/gm);
  const table = new Map([...rows].map(([, folder = "", uses = ""]) => [folder, uses.split(", ")]));
  const [first] = table;
  assert.deepEqual(first, ["cli", ["everything below"]]);
  return table.set("cli", [...table.keys()]);
}

/** At the top of src/, for everyone. */
const SHARED = new Set(["characters", "errors", "json", "json-depth", "printable", "quoted", "version.d"]);

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

test("arrows between the folders of src are those of docs/architecture.md", () => {
  const table = mayUse();
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).sort(), [...table.keys()].sort());
  const order = [...table.keys()]; // and all of them point down
  const wrong: string[] = [];
  for (const file of sources(src)) {
    for (const { from, to, onlyTypes } of importsOf(file)) {
      const [folder, target] = [folderOf(from), folderOf(to)];
      if (folder === "" || folder === target || SHARED.has(to)) continue;
      const uses = table.get(folder) ?? [];
      const isDown = order.indexOf(folder) < order.indexOf(target);
      if (!(uses.includes(target) && isDown) && !(onlyTypes && uses.includes(`${target} (types)`)))
        wrong.push(`${from} uses ${to}`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** The first way back to a file that is being visited, by imports that exist at run time, `import()` included. */
function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const target of graph.get(file) ?? []) {
      const cycle = visit(target, [...path, file]);
      if (cycle !== null) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

test("no file of src imports itself through others, also not through import()", () => {
  assert.deepEqual(
    cycleIn(
      new Map([
        ["a", ["b"]],
        ["b", ["a"]],
      ]),
    ),
    ["a", "b", "a"],
  ); // it finds one
  const graph = [...sources(src)].map((file): [string, string[]] => [
    relative(src, file).replace(/\.ts$/, ""),
    importsOf(file).flatMap(({ to, onlyTypes }) => (onlyTypes ? [] : [to])),
  ]);
  assert.equal(cycleIn(new Map(graph)), null);
});

test("only git/ starts git, and only store/ opens a database", () => {
  for (const file of sources(src)) {
    const text = readFileSync(file, "utf8");
    const folder = folderOf(relative(src, file));
    if (folder !== "git") assert.doesNotMatch(text, /spawn(Sync)?\(\s*"git"|execFile(Sync)?\(\s*"git"/, file);
    if (folder !== "store") assert.doesNotMatch(text, /node:sqlite|"libsql"/, file);
  }
});

/** Node's own functions that change files. A descriptor that is open already cannot be led elsewhere. */
const CHANGES =
  /\b(?:appendFile|chmod|copyFile|cp|link|mkdir|rename|rm|rmdir|symlink|truncate|unlink|utimes|writeFile)Sync\b|\bcreateWriteStream\b|"node:fs\/promises"/;

/**
 * Who may use them: the functions that all others use (platform/change-files.ts, store/files.ts), and those who stay in the state dir, the git dir
 * or a temporary folder, where no checkout can put a link.
 */
const MAY_CHANGE = [
  "agents/calls",
  "agents/notified",
  "agents/transcript",
  "analyzers/headless",
  "context/update",
  "git/side-repository",
  "hook-managers/lefthook",
  "install/doctor",
  "install/install",
  "install/live-fire",
  "install/runtime",
  "install/salvage",
  "install/uninstall",
  "knowledge/parse-notes",
  "marker/marker",
  "platform/change-files",
  "platform/code-cache",
  "platform/windows",
  "repository/paused",
  "sharing/signing",
  "sharing/switch",
  "store/create",
  "store/fault",
  "store/files",
  "store/lock",
  "store/log",
  "store/rewrites",
  "store/state",
  "verification/graph-worktree",
  "verification/orphans",
  "verification/stamp",
  "verification/unmeasured",
  "worker/journal",
  "worker/pid-file",
];

test("files of a work tree are changed by the functions that refuse a link of a checkout", () => {
  const found = [...sources(src)].filter((file) => CHANGES.test(readFileSync(file, "utf8")));
  assert.deepEqual(
    found.map((file) => relative(src, file).replaceAll(sep, "/").replace(/\.ts$/, "")).sort(),
    MAY_CHANGE,
  );
});
