import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Report } from "../../src/report/types.js";
import { describeAll } from "../support/packets.js";
import { note } from "../support/records.js";
import { installedRepo, makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { unseen } from "../support/workers.js";

function reportOf(repo: Repo, ...args: string[]): Report {
  return repo.uaJson<Report & Record<string, unknown>>("report", ...args);
}

/** The small project, where a comment came, a signature changed and a file came; hooks ran where they are asked about. */
function driftedRepo(t: TestContext, seen = false): Repo {
  const installed = installedRepo(t);
  const repo = seen ? installed : unseen(installed);
  repo.commit("comment", { "tools/run.py": `# Runs.\n${SMALL_PROJECT["tools/run.py"]}` });
  repo.commit("change", { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" });
  repo.commit("new", { "src/c.ts": "export const c = 1;\n" });
  return installed;
}

test("the data says of each file what why says, and of the worktree what status says", (t) => {
  const repo = driftedRepo(t);
  repo.write({ "src/a.ts": `${SMALL_PROJECT["src/a.ts"]}// later\n` });
  const report = reportOf(repo);
  assert.equal(Object.keys(report)[0], "schema");
  const status = repo.uaJson<{ status: string; reason: string; pending: { estimatedTokens: number } }>("status");
  assert.deepEqual(
    [report.schema, report.status, report.reason, report.pending?.estimatedTokens],
    ["ua-hooks.report/1", status.status, status.reason, status.pending.estimatedTokens],
  );
  assert.deepEqual(
    report.files.map(({ path, drift }) => [path, drift]),
    [
      ["src/a.ts", "none"],
      ["src/b.ts", "interface"],
      ["src/c.ts", "new"],
      ["tools/run.py", "cosmetic"],
    ],
  );
  for (const file of report.files) {
    const why = repo.uaJson<{
      drift: string;
      details: string[];
      analysedOid: string;
      headOid: string;
      importers: string[];
    }>(...["why", file.path]);
    const importers = (file.importedBy ?? []).map((at) => report.files[at]?.path);
    const analysed = file.analysed === undefined ? file.oid : file.analysed;
    assert.deepEqual(
      [file.drift, file.details ?? [], analysed, file.oid, importers],
      [why.drift, why.details, why.analysedOid, why.headOid, why.importers],
    );
  }
  const [a, b] = report.files;
  assert.deepEqual([a?.dirty, a?.dependent, b?.pending], [true, true, true]);
});

test("a described symbol that changed its behaviour is listed, with who described it and when", (t) => {
  const repo = installedRepo(t);
  const port = (body: string) => ({ "src/port.ts": `export function port(text: string): number {\n${body}}\n` });
  repo.commit("new", port("  return Number(text);\n"));
  describeAll(repo, "Reads a port");
  repo.commit("throw", port('  if (text === "") throw new Error("empty");\n  return Number(text);\n'));
  const { files, descriptions } = reportOf(repo);
  const symbols = files.find(({ path }) => path === "src/port.ts")?.symbols ?? [];
  assert.deepEqual(
    symbols.map(({ name, change, describedAt }) => [name, change, describedAt?.slice(0, 2)]),
    [["port", "behaviour", "20"]],
  );
  const [here] = descriptions.bySource;
  assert.deepEqual([here?.source, descriptions.review], ["here", 1]);
  assert.equal(descriptions.byMonth.at(-1)?.count, here?.count);
  assert.equal(descriptions.filesPutBack, 0);
  repo.commit("export", {
    "src/port.ts": "export function port(text: string, base: number): number {\n  return base;\n}\n",
  });
  describeAll(repo, "Returns the base");
  repo.git("checkout", "-q", "HEAD~2");
  repo.git("checkout", "-q", "main");
  assert.equal(reportOf(repo).descriptions.filesPutBack, 2, "to the first content, and back");
});

test("the timeline tells what triggered each decision, and the estimate is replay's", (t) => {
  const repo = driftedRepo(t, true);
  const { runs, history, times } = reportOf(repo, "--last", "3");
  assert.deepEqual(
    runs.map(({ subject, events, action }) => [subject, events, action]),
    [
      ["new", ["post-commit"], "PARTIAL_UPDATE"],
      ["change", ["post-commit"], "PARTIAL_UPDATE"],
      ["comment", ["post-commit"], "SKIP"],
    ],
  );
  assert.equal(times.all?.runs, 3);
  const { totals } = repo.uaJson<{ totals: Record<string, number> }>("replay", "--last", "3");
  assert.deepEqual(
    [history?.commits, history?.zeroTokenShare, history?.tokensNotSpent],
    [totals.commits, totals.zeroTokenShare, totals.tokensNotSpent],
  );
  assert.equal(reportOf(repo, "--last", "0").history, null);
});

test("worktrees are listed with their own state", (t) => {
  const repo = driftedRepo(t);
  repo.git("worktree", "add", "-q", join(repo.base, "quay"), "-b", "quay", "HEAD~2");
  const { worktrees } = reportOf(repo);
  assert.deepEqual(
    worktrees.map(({ id, branch, status, pendingFiles, current }) => [id, branch, status, pendingFiles, current]),
    [
      [".", "main", "pending", 2, true],
      ["quay", "quay", "fresh", 0, false],
    ],
  );
});

test("stale records are listed, with their current paths", async (t) => {
  const repo = installedRepo(t);
  assert.deepEqual(reportOf(repo).records, { counts: { active: 0, stale: 0, historical: 0 }, stale: [] });
  const id = await note(repo, "src/b.ts");
  await note(repo, "src/a.ts");
  repo.commit("change", { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" });
  const { counts, stale } = reportOf(repo).records;
  assert.deepEqual(counts, { active: 1, stale: 1, historical: 0 });
  assert.deepEqual(
    stale.map((one) => [one.id, one.reason, one.grade, one.paths]),
    [[id, "subject_fingerprint_drift", "interface", ["src/b.ts"]]],
  );
});

test("one file is written, knows nothing of where it was made, and is overwritten by the next one", (t) => {
  const repo = driftedRepo(t);
  const { code, stdout, stderr } = repo.ua("report");
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /Report +\S+ua-hooks-report\.html\n.*pending/);
  const page = repo.read("ua-hooks-report.html");
  assert.ok(!page.includes(repo.base), "no path of this machine is in it");
  assert.ok(page.includes('"src/b.ts"'));
  assert.equal(repo.ua("report", "--out", "ua-hooks-report.html").code, 0);
  assert.equal(repo.ua("report", "--out", "-").stdout.startsWith("<!doctype html>"), true);
  assert.equal(repo.uaJson("status").status, "pending", "a page in the work tree is no source");
});

test("git shows nothing of the default report, in whichever folder it was asked for", (t) => {
  const repo = driftedRepo(t);
  for (const at of [repo, repo.at(join(repo.dir, "src"))]) assert.equal(at.ua("report").code, 0);
  assert.ok(repo.has("src/ua-hooks-report.html"));
  assert.equal(repo.git("status", "--porcelain", "--untracked-files=all"), "");
});

test("a file that is no report, a folder, or a place that is not there is left alone", (t) => {
  const repo = installedRepo(t);
  writeFileSync(join(repo.dir, "notes.html"), "mine");
  const refused = repo.ua("report", "--out", "notes.html");
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /notes\.html exists and is not a report[\s\S]+--out/);
  assert.equal(repo.read("notes.html"), "mine");
  assert.equal(repo.ua("report", "--out", "src").code, 5);
  assert.equal(repo.ua("report", "--out", "nowhere/report.html").code, 2);
  assert.equal(repo.ua("report", "--last", "few").code, 2);
});

test("names that git allows come through: markup, quotes, newlines, bytes that are no UTF-8", (t) => {
  const repo = makeRepo(t);
  const names = ["</script>.ts", `it's "b".ts`, "line\nbreak.ts", "\u202etxt.ts"];
  repo.commit("odd", Object.fromEntries(names.map((name) => [`src/${name}`, "export const a = 1;\n"])));
  const blob = repo.git("hash-object", "-w", `src/${names[0]}`);
  const index = Buffer.concat([Buffer.from(`100644 ${blob}\tsrc/`), Buffer.from([0x80, 0xff]), Buffer.from(".ts\0")]);
  writeFileSync(join(repo.base, "index"), index);
  repo.git("config", "alias.feed", `!git update-index -z --index-info < "${join(repo.base, "index")}"`);
  repo.git("feed");
  repo.git("commit", "-q", "-m", "bytes");
  repo.git("checkout", "-q", "--", ".");
  assert.equal(repo.ua("install").code, 0);
  const paths = reportOf(repo).files.map(({ path }) => path);
  assert.deepEqual(new Set(paths), new Set([...names, "\udc80\udcff.ts"].map((name) => `src/${name}`)));
  assert.equal(repo.ua("report").code, 0);
  const page = repo.read("ua-hooks-report.html");
  assert.equal(page.split("</script>").length, 3, "the data and the script, and nothing else, end with that tag");
});

test("before install, without a graph and without a commit, it says so", (t) => {
  const repo = makeRepo(t);
  assert.equal(repo.ua("report").code, 3);
  repo.commit("start", SMALL_PROJECT);
  assert.equal(repo.ua("install", "--no-init").code, 0);
  const { status, files, drift } = reportOf(repo);
  assert.deepEqual([status, files.length, drift.unknown], ["uninitialized", 3, 3]);
});
