import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { decodePath, encodePath } from "../../src/git/paths.js";
import type { KnowledgeGraph } from "../../src/graph/types.js";
import type { Marker } from "../../src/marker/marker.js";
import { applyTo, summaries } from "../support/agent.js";
import { installedRepo, type Repo } from "../support/repo.js";
import { installInto } from "../support/round.js";

/** macOS refuses file names that are not UTF-8, and makes one of NFC and NFD. */
const anyByte = platform() === "linux";
const source = (parameters: string) => `export function f(${parameters}): void {}\n`;

/** The bytes of a path in the repository, as the file system takes them. */
function inRepo(repo: Repo, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${repo.dir}/`), encodePath(path)]);
}

function writeAll(repo: Repo, paths: readonly string[], text: (path: string) => string): void {
  for (const path of paths) {
    mkdirSync(inRepo(repo, dirname(path)), { recursive: true });
    writeFileSync(inRepo(repo, path), text(path));
  }
}

/** Every file that is read by others must be valid JSON, whatever the names in it. */
function markerOf(repo: Repo): Marker {
  for (const name of ["knowledge-graph.json", "fingerprints.json", "meta.json"]) {
    JSON.parse(readFileSync(join(repo.dir, ".understand-anything", name), "utf8"));
  }
  const pending = repo.uaJson("pending"); // the first reader measures the tokens, and stores them
  const marker = repo.marker();
  assert.ok(marker !== null, "there is a marker");
  assert.deepEqual(pending, JSON.parse(JSON.stringify(marker)));
  return marker;
}

function graphFiles(repo: Repo, below: string): (string | undefined)[] {
  const graph = JSON.parse(repo.read(".understand-anything/knowledge-graph.json")) as KnowledgeGraph;
  const files = graph.nodes.filter(({ type, filePath }) => type === "file" && filePath?.startsWith(below));
  return files.map(({ filePath }) => filePath).sort();
}

/** New, changed, renamed, deleted: each must come out of the marker exactly as git has it. */
function lifeOf(t: TestContext, names: readonly string[]): void {
  const repo = installedRepo(t);
  const paths = names.map((name) => `odd/${name}`).sort();
  writeAll(repo, paths, (path) => source(`a${paths.indexOf(path)}: number`));
  repo.commit("new");
  assert.deepEqual(markerOf(repo).filesToReanalyze, paths, "new");

  installInto(repo, "--rebuild");
  assert.equal(repo.marker(), null, "the rebuilt baseline knows them all");
  const stored = JSON.parse(repo.read(".understand-anything/fingerprints.json")) as { files: object };
  assert.deepEqual(
    Object.keys(stored.files)
      .filter((path) => path.startsWith("odd/"))
      .sort(),
    paths,
  );

  writeAll(repo, paths, (path) => `// a comment\n${source(`a${paths.indexOf(path)}: number`)}`);
  repo.commit("comments");
  assert.equal(repo.marker(), null, "comments are no news under any name");

  writeAll(repo, paths, (path) => source(`a${paths.indexOf(path)}: number, b: string`));
  repo.commit("changed");
  const changed = markerOf(repo);
  assert.deepEqual(changed.filesToReanalyze, paths, "changed");
  assert.deepEqual(new Set(changed.fileChanges.flatMap(({ details }) => details)), new Set(["params changed: f"]));
  repo.git("reset", "-q", "--hard", "HEAD~2");
  assert.equal(repo.uaJson("pending").state, "none");

  rmSync(join(repo.dir, "odd"), { recursive: true });
  repo.commit("deleted");
  assert.equal(repo.marker(), null, "the state without them was known before they came");
  assert.deepEqual(graphFiles(repo, "odd/"), [], "deleted");
  repo.git("reset", "-q", "--hard", "HEAD~1");

  renameSync(join(repo.dir, "odd"), join(repo.dir, "moved"));
  repo.commit("renamed");
  assert.equal(repo.marker(), null, "what is known moves along");
  assert.deepEqual(graphFiles(repo, "moved/"), paths.map((path) => path.replace(/^odd/, "moved")).sort(), "renamed");
  assert.deepEqual(graphFiles(repo, "odd/"), []);
  assert.equal(repo.git("status", "--porcelain"), "");
}

test("every byte that git allows in a name, and names that look like something else", (t) => {
  const bytes = Array.from({ length: 255 }, (_, at) => at + 1).filter(
    (byte) => byte !== 0x2f && (anyByte || byte < 0x80),
  );
  const invalid = [
    [0xc0, 0x80], // an overlong NUL
    [0xed, 0xa0, 0x80], // a surrogate
    [0xf4, 0x90, 0x80, 0x80], // beyond Unicode
    [0xe2, 0x82], // cut short
    [0x61, 0xff, 0x62],
  ];
  const names = [
    ...["-dash.ts", "--all.ts", '"quoted".ts', "'single'.ts", " spaces at the start.ts", "folder ends /with space.ts"],
    ...["__proto__.ts", "__proto__/a.ts", "constructor.ts", "toString/b.ts", "line\nbreak.ts", "carriage\rreturn.ts"],
    ...[
      "tab\there.ts",
      "back\\slash.ts",
      "\\u0041.ts",
      "\\n.ts",
      "bell\u0007.ts",
      "delete\u007f.ts",
      "\u001b[31mred.ts",
    ],
    ...[
      "*.ts",
      "?.ts",
      "[ab].ts",
      "{a,b}.ts",
      "!not.ts",
      "#hash.ts",
      "colon:x.ts",
      ":(glob)**.ts",
      "HEAD:x.ts",
      "@{u}.ts",
    ],
    ...["$(touch pwned).ts", "`x`.ts", "a;b.ts", "a|b.ts", "100%.ts", "~home.ts", "...ts", "a..b.ts", "\ufeffbom.ts"],
    ...["😀.ts", "日本語.ts", "\u202ertl.ts", "\u2028line.ts", "\u00e9.ts", ...(anyByte ? ["e\u0301.ts"] : [])],
    ...(anyByte ? invalid.map((bytes) => `${decodePath(Buffer.from(bytes))}.ts`) : []),
    ...(anyByte ? [`${decodePath(Buffer.from([0xff]))}/in an odd folder.ts`] : []),
  ];
  const single = bytes.map((byte) => decodePath(Buffer.from([byte, ...Buffer.from("byte.ts")])));
  lifeOf(t, [...single, ...names]);
});

test("a top-level folder with an odd name is known, and a file more in it is no new architecture", (t) => {
  const repo = installedRepo(t);
  const folders = ['"quoted"', "new\nline", ...(anyByte ? [decodePath(Buffer.from([0xfe, 0x78]))] : [])];
  writeAll(
    repo,
    folders.map((folder) => `${folder}/first.ts`),
    () => source(""),
  );
  writeAll(repo, [`src/${decodePath(Buffer.from(anyByte ? [0xff] : [0x78]))}.ts`], () => source("only: string"));
  repo.commit("folders");
  installInto(repo, "--rebuild");
  for (const folder of folders) writeAll(repo, [`${folder}/second.ts`], () => source("x: number"));
  repo.commit("more in them");
  const { action, reason } = markerOf(repo);
  assert.equal(action, "PARTIAL_UPDATE", reason);
});

test("a result is taken under any name that git allows, as the marker has it", (t) => {
  const repo = installedRepo(t);
  const odd = ["a\nline", '"quoted"', "tab\tand \\ and é", ...(anyByte ? [decodePath(Buffer.from([0x61, 0xff]))] : [])];
  const paths = odd.map((name) => `odd/${name}.ts`).sort();
  writeAll(repo, paths, () => source("a: number"));
  repo.commit("new");
  const { filesToReanalyze } = markerOf(repo);
  const nodes = filesToReanalyze.map((path) => ({ id: `file:${path}`, type: "file", filePath: path, summary: "told" }));
  const result = join(repo.base, "result.json");
  writeFileSync(result, JSON.stringify({ files: filesToReanalyze, nodes, edges: [] }));
  const { applied, refused } = repo.uaJson<{ applied: string[]; refused: unknown[] }>("apply", result);
  assert.deepEqual([refused, [...applied].sort()], [[], paths]);
  assert.equal(repo.marker(), null);
  assert.deepEqual(graphFiles(repo, "odd/"), paths);

  writeAll(repo, paths, () => source("a: string"));
  assert.equal(applyTo(repo, { files: paths, nodes, edges: [] }).refused.length, paths.length, "changed since HEAD");
});

test("symbols that are named by a text are described like others", (t) => {
  const repo = installedRepo(t);
  const text = [
    "declare module '../../fastify' { interface Plus { a: string } }",
    "declare module 'node:fs' { export function extra(a: number): void }",
    "export class A { 'a:b'(x: number) { return x } 'c/../d'() { return 1 } }",
    "export const o = { 'k:v'(x: number) { return x } }",
  ].join("\n");
  repo.commit("odd", { "src/odd.ts": text });
  const { ids } = repo.uaJson<{ ids: string[] }>("claim", "--undescribed");
  assert.ok(!ids.some((id) => id.includes("odd.ts")), "it is pending");
  const { packets } = repo.uaJson<{ packets: { symbols: { id: string }[]; describeFile: { id: string } }[] }>("claim");
  const asked = packets.flatMap(({ symbols, describeFile }) => [describeFile.id, ...symbols.map(({ id }) => id)]);
  assert.equal(asked.length, 9, asked.join(" "));
  const descriptions = Object.fromEntries(asked.map((id) => [id, { summary: `About ${id}.` }]));
  assert.deepEqual(applyTo(repo, { descriptions }).refused, []);
  for (const id of asked) assert.equal(summaries(repo).get(id), `About ${id}.`);
  repo.commit("a body", { "src/odd.ts": text.replace("'a:b'(x: number) {", "'a:b'(x: number, y: number) {") });
  assert.deepEqual(
    repo.marker()?.fileChanges[0]?.symbols?.map(({ id }) => id),
    ["file:src/odd.ts", 'function:src/odd.ts:A."a:b"'],
  );
});
