import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo, makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

interface Story {
  schema: string;
  path: string;
  covered: boolean;
  language: string | null;
  rule: { from: string; pattern: string; ignores: boolean } | null;
  inGraph: boolean;
  analysedOid: string | null;
  headOid: string | null;
  drift: string;
  details: string[];
  importers: string[];
}

const B = SMALL_PROJECT["src/b.ts"] ?? "";
const why = (repo: Repo, path: string) => repo.uaJson<Story>("why", path);

test("why: a file that is as it was analysed", (t) => {
  const repo = installedRepo(t);
  const oid = repo.git("rev-parse", "HEAD:src/b.ts");
  assert.deepEqual(why(repo, "src/b.ts"), {
    ...{ schema: "ua-hooks.why/1", path: "src/b.ts", covered: true, language: "typescript", rule: null },
    ...{ inGraph: true, analysedOid: oid, headOid: oid, drift: "none", details: [], importers: ["src/a.ts"] },
    ...{ symbols: [], dependentUses: {} },
    shown: { id: "file:src/b.ts", summary: "TypeScript file with 1 function" },
  });
  const { code, stdout } = repo.ua("why", "src/b.ts");
  assert.equal(code, 0);
  assert.match(stdout, /^Imported by +src\/a\.ts$/m);
});

test("why: each grade of drift, against what was analysed and not against the last commit", (t) => {
  const repo = installedRepo(t);
  const analysed = repo.git("rev-parse", "HEAD:src/b.ts");
  const steps: [text: string, drift: string, details: string[]][] = [
    [`// doubles\n${B}`, "cosmetic", ["comments or layout only"]],
    [B.replace("x * 2", "x + x"), "body", ["internal logic changed (no structural impact)"]],
    [B.replace("x: number", "x: number, y = 0"), "interface", ["params changed: twice"]],
  ];
  for (const [text, drift, details] of steps) {
    repo.commit(drift, { "src/b.ts": text });
    const story = why(repo, "src/b.ts");
    assert.deepEqual([story.drift, story.details, story.analysedOid], [drift, details, analysed]);
    assert.equal(story.headOid, repo.git("rev-parse", "HEAD:src/b.ts"));
  }
});

test("why: new, gone and renamed files", (t) => {
  const repo = installedRepo(t);
  repo.commit("new", { "src/new.ts": "export const n = 1;\n" });
  const fresh = why(repo, "src/new.ts");
  assert.deepEqual([fresh.drift, fresh.analysedOid, fresh.inGraph, fresh.covered], ["new", null, false, true]);

  repo.git("rm", "-q", "tools/run.py");
  repo.commit("gone");
  const gone = why(repo, "tools/run.py");
  assert.deepEqual([gone.drift, gone.headOid, gone.details], ["gone", null, ["file deleted"]]);

  repo.git("mv", "src/b.ts", "src/moved.ts");
  repo.commit("renamed");
  const to = why(repo, "src/moved.ts");
  assert.deepEqual([to.drift, to.details, to.inGraph], ["none", [], true], "what is known moved along");
  assert.match(
    repo.ua("why", "src/b.ts").stderr,
    /there is no file src\/b\.ts, and none is described/,
    "nor here any more",
  );

  const text = `${SMALL_PROJECT["src/a.ts"]}`.replace("y: number)", "y: number, z: number)");
  repo.git("mv", "src/a.ts", "src/other.ts");
  repo.commit("renamed and changed", { "src/other.ts": text });
  assert.deepEqual(why(repo, "src/other.ts").details, ["renamed from src/a.ts", "params changed: add"]);
  assert.deepEqual(why(repo, "src/a.ts").details, ["renamed to src/other.ts"]);
});

test("why: which rule ignores a file, and which keeps it", (t) => {
  const repo = installedRepo(t);
  repo.write({
    ".understandignore": "# generated\ngen/\n!dist/\n",
    "gen/a.ts": "export const g = 1;\n",
    "dist/a.js": "export const d = 1;\n",
    "vendor/v.go": "package v\n",
  });
  repo.git("add", "-Af");
  repo.commit("ignored");
  const rule = (path: string) => {
    const { covered, rule, drift } = why(repo, path);
    return [covered, rule?.pattern, rule?.ignores, rule?.from.endsWith(".understandignore"), drift];
  };
  assert.deepEqual(rule("gen/a.ts"), [false, "gen/", true, true, "none"]);
  assert.deepEqual(rule("dist/a.js"), [true, "!dist/", false, true, "new"]);
  assert.deepEqual(rule("vendor/v.go"), [false, "vendor/", true, false, "none"]);
  assert.match(repo.ua("why", "gen/a.ts").stdout, /^Rule +gen\/ \(.*\) ignores it$/m);
});

test("why: config globs are rules, too", (t) => {
  const repo = installedRepo(t);
  repo.write({ ".ua-hooksrc.json": '{ "exclude": ["src/old/**"] }' });
  repo.commit("config", { "src/old/a.ts": "export const o = 1;\n" });
  const { covered, rule } = why(repo, "src/old/a.ts");
  assert.equal(covered, false);
  assert.deepEqual([rule?.pattern, rule?.ignores], ["src/old/**", true]);
  assert.match(rule?.from ?? "", /exclude/);
});

test("why: a file without a grammar", (t) => {
  const repo = installedRepo(t);
  repo.commit("prose", { "notes.txt": "words\n" });
  const { language, covered, inGraph, drift } = why(repo, "notes.txt");
  assert.deepEqual(
    { language, covered, inGraph, drift },
    { language: null, covered: false, inGraph: false, drift: "none" },
  );
  assert.match(repo.ua("why", "notes.txt").stdout, /^Language +unknown$/m);
});

test("why: a path is meant from where one stands; outside, several or none is wrong usage", (t) => {
  const repo = installedRepo(t);
  assert.equal(repo.at(join(repo.dir, "src")).uaJson<Story>("why", "b.ts").path, "src/b.ts");
  assert.equal(why(repo, join(repo.dir, "src/b.ts")).path, "src/b.ts");
  for (const args of [["../elsewhere.ts"], [], ["src/a.ts", "src/b.ts"], ["."]]) {
    assert.equal(repo.ua("why", ...args).code, 2, args.join(" "));
  }
  const bare = makeRepo(t);
  bare.commit("start", SMALL_PROJECT);
  assert.equal(bare.ua("why", "src/a.ts").code, 3);
});

test("why: a symbol by its name after the path, and by the id that status prints", (t) => {
  const repo = installedRepo(t);
  const text = "/** Adds. */\nexport function add(a: number): number {\n  return a;\n}\nexport const one = () => 1;\n";
  repo.commit("two", { "src/sub/two.ts": text });
  repo.uaJson("claim");
  const ids = ["file:src/sub/two.ts", "function:src/sub/two.ts:add", "function:src/sub/two.ts:one"];
  const descriptions = Object.fromEntries(ids.map((id) => [id, { summary: "What it does." }]));
  repo.write({ "answer.json": JSON.stringify({ descriptions }) });
  repo.ua("apply", "answer.json");
  const [, add = ""] = ids;
  repo.commit("throws", {
    "src/sub/two.ts": text.replace("  return a", '  if (a < 0) throw new Error("x");\n  return a'),
  });
  assert.match(repo.ua("status").stdout, /may be false, because behaviour changed: function:src\/sub\/two\.ts:add/);
  const within = repo.at(join(repo.dir, "src"));
  for (const { stdout } of [repo.ua("why", add), within.ua("why", add), within.ua("why", "sub/two.ts:add")]) {
    assert.match(stdout, /^File +src\/sub\/two\.ts$/m);
    assert.match(
      stdout,
      /^Symbols +behaviour function add, described (here|by \S+), \d{4}-\S+ \S+ UTC, may be false$/m,
    );
  }
  assert.match(repo.ua("why", "src/sub/two.ts:one").stdout, /^Symbols +no change of one$/m);
  assert.match(repo.ua("why", "file:src/sub/two.ts").stdout, /^Symbols +behaviour function add,/m);
});

test("why: many importers are counted, and three of them named", (t) => {
  const repo = installedRepo(t);
  const users = ["d", "e", "f", "g"].map((name) => [`src/${name}.ts`, 'import { twice } from "./b.js";\ntwice(1);\n']);
  repo.commit("users", Object.fromEntries(users));
  repo.uaJson("run");
  assert.match(
    repo.ua("why", "src/b.ts").stdout,
    /^Imported by +5 files: src\/a\.ts, src\/d\.ts, src\/e\.ts and 2 more$/m,
  );
});

test("why: of a file that the grammar reads in part, what was read is compared by symbol and the rest by its text", (t) => {
  const repo = installedRepo(t);
  // To the grammar the assignment to a soft keyword is the end of what it can read.
  const text = "class A {\n  fun f(a: Int) { g(a, 1) }\n}\n\nfun h() {\n  open = true\n  last(1)\n}\n";
  repo.commit("half", { "src/Half.kt": text });
  repo.uaJson("run");
  const after = (title: string, now: string) => {
    repo.commit(title, { "src/Half.kt": now });
    const { drift, details, partlyRead } = repo.uaJson<Story & { partlyRead?: true }>("why", "src/Half.kt");
    assert.equal(partlyRead, true);
    return [drift, ...details];
  };
  assert.deepEqual(after("read", text.replace("g(a, 1)", "g(a, 2)")), [
    "body",
    "internal logic changed (no structural impact)",
  ]);
  assert.deepEqual(after("a parameter", text.replace("a: Int", "b: Int")), ["interface", "params changed: A.f"]);
  assert.deepEqual(after("unread", text.replace("last(1)", "last(2)")), ["interface", "unreadable code changed"]);
  assert.deepEqual(after("a comment", text.replace("last(1)", "last(1) // one")), [
    "cosmetic",
    "comments or layout only",
  ]);
  assert.match(repo.ua("why", "src/Half.kt").stdout, /^Read +in part/m);
  assert.doesNotMatch(repo.ua("why", "src/b.ts").stdout, /^Read/m);
});
