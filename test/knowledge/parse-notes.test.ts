import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { extractorOf } from "../../src/fingerprint/languages.js";
import type { Marker } from "../../src/marker/marker.js";
import { processOf } from "../../src/platform/process.js";
import { installedRepo, type Repo, repoAt, root } from "../support/repo.js";

const { version: VERSION } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };

interface Doctor {
  checks: { name: string; state: string; said: string; next?: string }[];
  fixed: string[];
}

const parserCheck = (repo: Repo) => {
  const { checks } = repo.uaJson<Doctor>("doctor");
  return checks.filter(({ name }) => name === "parser");
};

const folderOf = (repo: Repo) => join(repo.dir, ".git/ua-hooks/parsing");
const notesOf = (repo: Repo) => (existsSync(folderOf(repo)) ? readdirSync(folderOf(repo)) : []);

/** What is said about the change of a file. */
function changeOf(repo: Repo, path: string): string {
  const { fileChanges } = repo.uaJson<Pick<Marker, "fileChanges">>("pending");
  const found = fileChanges.find(({ filePath }) => filePath === path);
  return found === undefined ? "none" : `${found.drift}: ${found.details.join("; ")}`;
}

const code = (name: string, params: string) => `export function ${name}(${params}) {\n  return a;\n}\n`;
const READ = /^interface: params changed: /;
const REFUSED = "interface: no structural analysis available — conservative classification";

/** The process that parses this file dies. */
const deadlyWith = ({ dir, base, env }: Repo, path: string) =>
  repoAt(dir, base, { ...env, UA_HOOKS_FAULT: `parse ${path}:kill` });

/** Committed and changed again, with no hook that reads it first. */
function changedTwice(repo: Repo, names: readonly string[]): void {
  const silent = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS: "0" });
  const files = (params: string) => Object.fromEntries(names.map((name) => [`src/${name}.ts`, code(name, params)]));
  silent.commit("add", files("a"));
  repo.ua("ack");
  silent.commit("change", files("a, b"));
}

test("a file that ends the process that parses it does so once: doctor names it, and --fix tries again", (t) => {
  const repo = installedRepo(t);
  changedTwice(repo, ["deadly", "other"]);
  const deadly = deadlyWith(repo, "src/deadly.ts");
  assert.equal(deadly.ua("status").code, -1);
  assert.equal(notesOf(repo).length, 1);

  assert.equal(deadly.ua("status").code, 0);
  assert.equal(changeOf(deadly, "src/deadly.ts"), REFUSED);
  assert.match(changeOf(deadly, "src/other.ts"), READ);
  const blob = repo.git("rev-parse", "HEAD:src/deadly.ts");
  assert.deepEqual(
    parserCheck(repo).map(({ state, said }) => [state, said]),
    [["warning", `a process ended while it parsed src/deadly.ts (blob ${blob}): compared by content only`]],
  );
  assert.match(parserCheck(repo)[0]?.next ?? "", /^run `ua-hooks doctor --fix` to parse it again/);

  const { fixed } = repo.uaJson<Doctor>("doctor", "--fix", "--yes");
  assert.ok(fixed.includes(`src/deadly.ts (blob ${blob}) is parsed again`), fixed.join("\n"));
  assert.deepEqual([parserCheck(repo), notesOf(repo)], [[], []]);
  assert.match(changeOf(repo, "src/deadly.ts"), READ);
});

test("it does so once in a thread, too", (t) => {
  const repo = installedRepo(t);
  changedTwice(repo, ["deadly", ...Array.from({ length: 70 }, (_, at) => `f${at}`)]);
  const deadly = deadlyWith(repo, "src/deadly.ts");
  assert.equal(deadly.ua("status").code, -1);
  assert.equal(deadly.ua("status").code, 0);
  assert.equal(changeOf(deadly, "src/deadly.ts"), REFUSED);
  assert.match(parserCheck(repo)[0]?.said ?? "", /src\/deadly\.ts/);
});

test("a note counts only if its process is gone, and only for the version that wrote it", (t) => {
  const repo = installedRepo(t);
  changedTwice(repo, ["noted"]);
  const blob = {
    path: "src/noted.ts",
    oid: repo.git("rev-parse", "HEAD:src/noted.ts"),
    extractor: extractorOf("a.ts"),
  };
  const write = (name: string, note: object) => {
    mkdirSync(folderOf(repo), { recursive: true });
    writeFileSync(join(folderOf(repo), name), `${JSON.stringify(note)}\nthe rest of a longer note`);
  };
  write("alive", { process: processOf(process.pid), program: VERSION, blob });
  write("older", { process: null, program: "0.0.1", blob });
  write("between", { process: null, program: VERSION, blob: null });
  write("torn", { process: null });
  assert.equal(repo.ua("status").code, 0);
  assert.match(changeOf(repo, "src/noted.ts"), READ);
  assert.deepEqual(parserCheck(repo), []);
  assert.deepEqual(notesOf(repo).sort(), ["alive", "torn"], "the others are of no more use");
});
