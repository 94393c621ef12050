import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { PolicyCost, Totals } from "../../src/verification/totals.js";
import { makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

interface Document {
  schema: string;
  totals: Totals;
  commits: {
    commit: string;
    subject: string;
    action: string;
    changed: number;
    structural: number;
    fileChanges?: { filePath: string; changeLevel: string; drift: string; details: string[] }[];
  }[];
}

const B = SMALL_PROJECT["src/b.ts"] ?? "";

/** A root, a comment, a body, a parameter, a file that is no source, a move, a new directory. */
function history(t: TestContext): Repo {
  const repo = makeRepo(t);
  repo.commit("start", SMALL_PROJECT);
  repo.commit("comment", { "src/b.ts": `// doubles\n${B}` });
  repo.commit("body", { "src/b.ts": B.replace("x * 2", "x + x") });
  repo.commit("parameter", { "src/b.ts": B.replace("x: number", "x: number, y = 0") });
  repo.commit("prose", { "README.md": "words\n" });
  repo.git("mv", "src/b.ts", "src/c.ts");
  repo.commit("move");
  repo.commit("directory", { "web/page.ts": "export const page = 1;\n" });
  return repo;
}

const ACTIONS: [subject: string, action: string, of: string][] = [
  ["start", "ARCHITECTURE_UPDATE", "3/3"],
  ["comment", "SKIP", "0/1"],
  ["body", "SKIP", "0/1"],
  ["parameter", "PARTIAL_UPDATE", "1/1"],
  ["prose", "SKIP", "0/0"],
  ["move", "SKIP", "0/2"],
  ["directory", "ARCHITECTURE_UPDATE", "1/1"],
];

/** Nothing of ours may appear because somebody looked. */
function assertUntouched(repo: Repo): void {
  assert.equal(existsSync(join(repo.dir, ".git/ua-hooks")), false);
  assert.equal(repo.has(".understand-anything"), false);
  assert.equal(repo.git("status", "--porcelain", "--ignored"), "");
}

test("replay says what the hooks would have decided, before install, and writes nothing", (t) => {
  const repo = history(t);
  const { schema, totals, commits } = repo.uaJson<Document>("replay");
  assert.equal(schema, "ua-hooks.replay/1");
  assert.deepEqual(
    commits.map(({ subject, action, structural, changed }) => [subject, action, `${structural}/${changed}`]),
    ACTIONS,
  );
  assert.equal(commits[0]?.fileChanges, undefined, "verdicts on files only where asked for");
  const { parses, tokensNeeded, tokensNotSpent, tokensOfStructuralFiles, ...counted } = totals;
  assert.ok(parses > 0);
  assert.ok(tokensNeeded > 0 && tokensNotSpent >= 0 && tokensOfStructuralFiles > 0, JSON.stringify(totals));
  assert.deepEqual(
    { ...counted, seconds: 0 },
    {
      ...{ commits: 7, skip: 4, partial: 1, architecture: 2, full: 0, sourceCommits: 6, zeroTokenShare: 50 },
      ...{ changedFiles: 9, structuralFiles: 5, seconds: 0 },
    },
  );
  assertUntouched(repo);
});

test("the table has a line per commit that changes source, and the totals below", (t) => {
  const repo = history(t);
  const { code, stdout, stderr } = repo.ua("replay", "--last", "4");
  assert.deepEqual([code, stderr], [0, ""]);
  const [heading, ...lines] = stdout.split("\n");
  assert.match(heading ?? "", /^Commit +Decision +Files +Subject$/);
  assert.match(stdout, /^SKIP asks no model\. PARTIAL_UPDATE asks about these files/m);
  const listed = ACTIONS.slice(-4).filter(([, , of]) => of !== "0/0");
  assert.equal(listed.length, 3);
  for (const [at, [subject, action, of]] of listed.entries()) {
    assert.match(lines[at] ?? "", new RegExp(`^[0-9a-f]{10} +${action} +${of} +${subject}$`));
  }
  assert.match(stdout, /^1 commit without a change of source files: SKIP, not listed$/m);
  assert.match(stdout, /^4 commits in [\d.]+ s: 2 SKIP, 1 PARTIAL, 1 ARCHITECTURE, 0 FULL$/m);
  assert.match(
    stdout,
    /^33 % of the 3 commits that change source needed no tokens; about \d+ tokens needed, \d+ not spent on reading whole files \(2 of 4 /m,
  );
});

test("--policies compares what each value of refresh would cost with whole files", (t) => {
  const repo = makeRepo(t);
  const lines = Array.from(
    { length: 200 },
    (_, at) => `export function f${at}(x: number): number {\n  return x + ${at};\n}\n`,
  );
  repo.commit("first", { "src/a.ts": lines.join("") });
  const edit = (at: number, from: string, to: string) => {
    lines[at] = (lines[at] ?? "").replace(from, to);
    repo.commit(`${from} ${to}`, { "src/a.ts": lines.join("") });
  };
  edit(7, "x: number", "x: number, y: number");
  edit(9, "return x + 9;", 'if (x < 0) throw new Error("negative");\n  return x + 9;');
  edit(11, "x + 11", "x + 12");
  const { policies, totals } = repo.uaJson<Document & { policies: PolicyCost[] }>(
    "replay",
    "--last",
    "3",
    "--policies",
  );
  const [structural, behaviour, every] = policies;
  assert.deepEqual(
    policies.map((one) => [one.refresh, one.zeroTokenShare, one.behaviourNotAsked, one.bodyNotAsked]),
    [
      ["structural", 67, 1, 1],
      ["behaviour", 33, 0, 1],
      ["every", 0, 0, 0],
    ],
  );
  const [few = 0, more = 0, most = 0] = [structural, behaviour, every].map((one) => one?.tokens);
  assert.ok(few > 0 && few < more && more < most && most < totals.tokensOfStructuralFiles, JSON.stringify(policies));
  assert.equal(structural?.tokens, totals.tokensNeeded);
  assert.match(repo.ua("replay", "--last", "3", "--policies").stdout, /^behaviour +33 % +[\d,]+ +\d+ % +0 +1$/m);
});

test("--files gives each verdict", (t) => {
  const { commits } = history(t).uaJson<Document>("replay", "--files");
  const verdicts = commits.flatMap(({ subject, fileChanges = [] }) =>
    fileChanges.map(({ filePath, drift, details }) => `${subject}: ${filePath} ${drift} (${details.join(", ")})`),
  );
  assert.deepEqual(verdicts.slice(3), [
    "comment: src/b.ts cosmetic (comments or layout only)",
    "body: src/b.ts body (internal logic changed (no structural impact))",
    "parameter: src/b.ts interface (params changed: twice)",
    "move: src/c.ts none (renamed from src/b.ts)",
    "directory: web/page.ts new (new file)",
  ]);
});

test("a range, a count, and what is neither", (t) => {
  const repo = history(t);
  const subjects = (...args: string[]) =>
    repo.uaJson<Document>("replay", ...args).commits.map(({ subject }) => subject);
  assert.deepEqual(subjects("HEAD~3..HEAD~1"), ["prose", "move"]);
  assert.deepEqual(subjects("--last", "1"), ["directory"]);
  assert.deepEqual(subjects("HEAD..HEAD"), []);
  for (const args of [
    ["--last", "0"],
    ["--last", "x"],
    ["a", "b"],
    ["HEAD~1..", "--last", "2"],
  ]) {
    assert.equal(repo.ua("replay", ...args).code, 2, args.join(" "));
  }
  const missing = repo.ua("replay", "nobody..HEAD");
  assert.notEqual(missing.code, 0);
  assert.match(missing.stderr, /nobody/);
  assert.notEqual(repo.ua("replay", "--", "--output=stolen").code, 0, "a range is no option");
  assertUntouched(repo);
});

test("a merge is compared with its first parent", (t) => {
  const repo = history(t);
  repo.git("switch", "-q", "-c", "side", "HEAD~2");
  repo.commit("there", { "src/side.ts": "export const side = 1;\n" });
  repo.git("switch", "-q", "main");
  repo.commit("here", { "src/a.ts": `// more\n${SMALL_PROJECT["src/a.ts"]}` });
  repo.git("merge", "-q", "--no-ff", "-m", "merged", "side");
  const { commits } = repo.uaJson<Document>("replay", "--files", "HEAD~2..HEAD");
  assert.deepEqual(
    commits
      .map(({ subject, action, fileChanges = [] }) =>
        [subject, action, ...fileChanges.map((c) => c.filePath)].join(" "),
      )
      .sort(),
    ["here SKIP src/a.ts", "merged PARTIAL_UPDATE src/side.ts", "there PARTIAL_UPDATE src/side.ts"],
  );
});

test("a shallow clone replays what it has", (t) => {
  const repo = history(t);
  const dir = join(repo.base, "shallow");
  repo.git("clone", "-q", "--depth", "3", `file://${repo.dir}`, dir);
  const shallow = repo.at(dir);
  const { commits } = shallow.uaJson<Document>("replay");
  // Its oldest commit has no parent here: all that is in it is new.
  assert.deepEqual(
    commits.map(({ subject, changed }) => [subject, changed]),
    [
      ["prose", 3],
      ["move", 2],
      ["directory", 1],
    ],
  );
  assertUntouched(shallow);
});

test("outside of a repository, and in one without a commit", (t) => {
  const nowhere = makeRepo(t, { init: false });
  assert.equal(nowhere.ua("replay").code, 3);
  const empty = makeRepo(t);
  const { code, stderr } = empty.ua("replay");
  assert.notEqual(code, 0);
  assert.doesNotMatch(stderr, /\n\s+at /, "no stack trace");
});
