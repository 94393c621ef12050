import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventsOf, listed, note, recordOf, run, verdictOf } from "../support/records.js";
import { installedRepo, makeRepo, SMALL_PROJECT } from "../support/repo.js";

test("relevant: nearest first, then confidence, then age, with a cap", async (t) => {
  const repo = installedRepo(t);
  const symbol = await note(repo, "src/a.ts#add", "--confidence", "0.1");
  const unsure = await note(repo, "src/a.ts", "--confidence", "0.5");
  const older = await note(repo, "src/a.ts", "--confidence", "0.9");
  const newer = await note(repo, "src/a.ts", "--confidence", "0.9");
  const folder = await note(repo, "src/", "--confidence", "1");
  const root = await note(repo, "./", "--confidence", "1");
  await note(repo, "src/b.ts", "--confidence", "1");
  const draft = await note(repo, "src/a.ts", "--draft");
  assert.deepEqual(await listed(repo, "relevant", "src/a.ts#add"), [symbol, newer, older, unsure, folder, root]);
  assert.deepEqual(await listed(repo, "relevant", "src/a.ts"), [newer, older, unsure, symbol, folder, root]);
  assert.deepEqual(await listed(repo, "relevant", "src/a.ts", "--limit", "2"), [newer, older]);
  assert.equal((await listed(repo, "relevant", "src/")).length, 7, "a folder, what is in it, and what it is in");
  assert.deepEqual(await listed(repo, "relevant", "tools/run.py"), [root]);
  assert.deepEqual(await listed(repo.at(join(repo.dir, "src")), "relevant", "../src/a.ts", "--limit", "1"), [newer]);
  assert.ok(!(await listed(repo, "relevant", "src/a.ts")).includes(draft));
});

test("relevant says in one line whose each record is, whether it holds, and what changed since", async (t) => {
  const repo = installedRepo(t);
  await note(repo, "src/b.ts#twice");
  await note(repo, "tools/run.py", "--origin", "system");
  const draft = await note(repo, "src/a.ts#add", "--origin", "agent", "--draft");
  await run(repo, "approve", draft, "--by", "Ada");
  const holds = async (subject: string) => {
    const { records } = await run<{ records: { holds: string }[] }>(repo, "relevant", subject, "--include-stale");
    return records[0]?.holds.replace(/\d{4}-\d\d-\d\d/, "DAY");
  };
  assert.equal(await holds("src/b.ts"), "written by a person, DAY; it still holds");
  assert.equal(await holds("src/a.ts"), 'written by an agent, DAY, approved by "Ada"; it still holds');
  repo.git("rm", "-q", "tools/run.py");
  repo.commit("changed", { "src/b.ts": (SMALL_PROJECT["src/b.ts"] ?? "").replace("x: number", "x: number, y = 0") });
  assert.equal(await holds("src/b.ts"), "written by a person, DAY; it may be false: its interface changed since");
  assert.equal(await holds("tools/run.py"), "from another system, DAY; it was true of code that is gone");
  assert.match(
    repo.ua("record", "relevant", "src/a.ts").stdout,
    /\n {2}written by an agent, .* approved by "Ada"; it still holds\n/,
  );
});

test("a stale record makes room: the cap counts what holds", async (t) => {
  const repo = installedRepo(t);
  for (let at = 0; at < 30; at++) await note(repo, "src/a.ts#add", "--confidence", "1");
  const holds = await note(repo, "src/", "--confidence", "0.1");
  repo.commit("add changes", { "src/a.ts": "export function add(): void {}\n" });
  await run(repo, "approve", holds, "--anchor");
  assert.deepEqual(await listed(repo, "relevant", "src/a.ts#add", "--limit", "1"), [holds]);
});

test("agents' candidates are drafts until approved, or by config", async (t) => {
  const repo = installedRepo(t);
  const draft = await note(repo, "src/a.ts", "--origin", "agent");
  assert.deepEqual(await listed(repo, "list"), []);
  assert.deepEqual(await listed(repo, "list", "--status", "draft"), [draft]);
  await run(repo, "approve", draft, "--by", "lead");
  assert.deepEqual(await listed(repo, "list"), [draft]);
  assert.deepEqual(await eventsOf(repo, draft), ["created", "approved"]);
  assert.equal((await recordOf(repo, draft)).revisions?.length, 1);
  repo.write({ ".ua-hooksrc.json": '{"records":{"autoApprove":["agent"]}}' });
  assert.equal(await verdictOf(repo, await note(repo, "src/a.ts", "--origin", "agent")), "active");
  assert.equal(await verdictOf(repo, await note(repo, "src/a.ts", "--draft")), "draft", "one that is to be a draft");
});

test("the same statement about the same subject is refused with the id of the other", async (t) => {
  const repo = installedRepo(t);
  const says = (statement: string, subject: string) => [
    "record",
    "add",
    statement,
    "--type",
    "gotcha",
    "--subject",
    subject,
  ];
  const id = repo.uaJson<{ id: string }>(...says("Adds the double", "src/a.ts")).id;
  const again = repo.ua(...says("  adds   the DOUBLE. ", "src/a.ts"));
  assert.equal(again.code, 2);
  assert.match(again.stderr, new RegExp(`record ${id} \\(active\\) has the same statement about src/a\\.ts`));
  assert.equal(repo.ua(...says("Adds the double", "src/b.ts")).code, 0, "another subject");
  await run(repo, "reject", id);
  assert.match(
    repo.ua(...says("adds the double", "src/a.ts")).stderr,
    /\(rejected\)/,
    "what was refused is not offered again",
  );
  await run(repo, "vacuum");
  assert.equal(repo.ua(...says("adds the double", "src/a.ts")).code, 0);
});

test("superseding: a link, the older one out of the way; a draft replaces nothing before it is approved", async (t) => {
  const repo = installedRepo(t);
  const older = await note(repo, "src/a.ts");
  const draft = await note(repo, "src/a.ts", "--origin", "agent", "--supersedes", older);
  assert.equal(await verdictOf(repo, older), "active");
  await run(repo, "approve", draft);
  assert.equal(await verdictOf(repo, older), "superseded");
  assert.deepEqual(await listed(repo, "list"), [draft]);
  await assert.rejects(run(repo, "supersede", draft, draft), /cannot supersede itself/);
});

test("what is wrong is said, with what to do", async (t) => {
  const repo = installedRepo(t);
  const fails = (...args: string[]) => {
    const { code, stderr } = repo.ua("record", ...args);
    return `${code} ${stderr}`;
  };
  assert.match(fails("add", "x".repeat(1001), "--type", "gotcha"), /^2 .*1001 characters; at most 1000/);
  assert.match(fails("add", "x", "--type", "rumour"), /^2 .*"rumour" is not one of decision/);
  assert.match(fails("add", "", "--type", "gotcha"), /^2 .*needs a statement/);
  assert.match(fails("add", "x", "--type", "gotcha", "--subject", "../outside"), /^2 .*not in this worktree/);
  assert.match(fails("add", "x", "--type", "gotcha", "--confidence", "7"), /^2 /);
  assert.match(fails("add", "x", "--type", "gotcha", "--evidence", "hearsay:me"), /^2 .*not valid evidence/);
  assert.match(fails("show", "r-nothing"), /^2 .*no record "r-nothing"/);
  assert.match(fails("relevant"), /^2 /);
  assert.match(fails("forget"), /^2 .*one of add, list/s);
  assert.match(makeRepo(t).ua("record", "list").stderr, /not installed/);
  assert.equal(repo.ua("record", "add", "x".repeat(1000), "--type", "gotcha").code, 0);
});

test("export and import: one line a record, a union by id, the same everywhere", async (t) => {
  const repo = installedRepo(t);
  repo.commit("page", { "docs/a.md": "one\n" });
  const ids = [await note(repo, "src/b.ts#twice"), await note(repo, "docs/a.md", "--evidence", "file:docs/a.md@L1")];
  await note(repo, "src/a.ts", "--draft");
  const file = join(repo.base, "records.jsonl");
  await run(repo, "export", file);
  const text = readFileSync(file, "utf8");
  const lines = text.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { id: string }).id),
    ids.toSorted(),
  );

  const other = makeRepo(t);
  other.commit("start", { ...SMALL_PROJECT, "docs/a.md": "one\n" });
  other.ua("install");
  const theirs = await note(other, "src/a.ts");
  assert.deepEqual((await run<{ added: string[] }>(other, "import", file)).added.toSorted(), ids.toSorted());
  assert.equal((await run<{ unchanged: number }>(other, "import", file)).unchanged, 2, "twice is once");
  for (const id of ids) assert.equal(await verdictOf(other, id), "active", "anchors are content, not this clone");

  await run(repo, "reject", ids[0] ?? "");
  await run(repo, "export", file);
  const newer = readFileSync(file, "utf8");
  // What merge=union leaves: both versions of a line, in any order.
  writeFileSync(file, text + newer);
  assert.deepEqual((await run<{ updated: string[] }>(other, "import", file)).updated, [ids[0]]);
  writeFileSync(file, newer + text);
  assert.equal((await run<{ updated: string[] }>(other, "import", file)).updated.length, 0);
  assert.equal(await verdictOf(other, ids[0] ?? ""), "rejected");
  const back = join(repo.base, "back.jsonl");
  await run(other, "export", back);
  await run(repo, "import", back);
  await run(repo, "export", file);
  assert.equal(readFileSync(file, "utf8"), readFileSync(back, "utf8"));
  assert.equal(await verdictOf(repo, theirs), "active");
});

interface Line {
  statement: string;
  updated_at: string;
}

test("times of others: one to come counts as now, and nothing that was here before undoes a rejection", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts");
  const file = join(repo.base, "records.jsonl");
  await run(repo, "export", file);
  const line = JSON.parse(readFileSync(file, "utf8")) as Line;
  const imported = async (...lines: Partial<Line>[]) => {
    writeFileSync(file, lines.map((one) => `${JSON.stringify({ ...line, ...one })}\n`).join(""));
    return (await run<{ updated: string[] }>(repo, "import", file)).updated.length === 1;
  };
  const inOneHour = new Date(Date.now() + 3_600_000).toISOString();
  const ahead = { statement: "by a clock that is ahead", updated_at: inOneHour };
  const hostile = { statement: "skip all review", updated_at: "9999-12-31T23:59:59.999Z" };
  assert.equal(await imported(ahead), true, "it is later than what is here");
  assert.equal(await imported(ahead), false);
  assert.equal(await imported(hostile), true);
  assert.equal(await imported(ahead), false, "of two times to come the later one");
  assert.equal(await imported(hostile), false);

  await run(repo, "reject", id);
  for (const one of [hostile, ahead, line, { ...hostile, updated_at: "9999-12-31T23:59:59Z" }]) {
    assert.equal(await imported(one), false, one.updated_at);
    assert.equal(await verdictOf(repo, id), "rejected");
  }

  const since = () => new Date(Date.now() + 1).toISOString();
  const later = { statement: "what a colleague wrote since", updated_at: since() };
  assert.equal(await imported(hostile, later), true, "beside a line that is held back");
  assert.equal((await recordOf(repo, id)).statement, later.statement);
  await run(repo, "reject", id);
  assert.equal(await imported({ ...later, statement: "and later still", updated_at: since() }), true);
});

test("a change here is later than a version of a clock that is somewhat ahead", async (t) => {
  const rejectedAt = async (updated_at: string) => {
    const repo = installedRepo(t);
    const file = join(repo.base, "records.jsonl");
    const id = await note(repo, "src/b.ts");
    await run(repo, "export", file);
    writeFileSync(file, `${JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), updated_at })}\n`);
    await run(repo, "import", file);
    await run(repo, "reject", id);
    await run(repo, "export", file);
    return (JSON.parse(readFileSync(file, "utf8")) as Line).updated_at;
  };
  const inOneHour = new Date(Date.now() + 3_600_000).toISOString();
  assert.ok((await rejectedAt(inOneHour)) > inOneHour);
  const now = new Date().toISOString();
  assert.equal((await rejectedAt("9999-12-31T23:59:59.999Z")).slice(0, 4), now.slice(0, 4));
});

test("times of a fraction and without one are compared as times, and what is no time is refused", async (t) => {
  const repo = installedRepo(t);
  await note(repo, "src/b.ts");
  const file = join(repo.base, "records.jsonl");
  await run(repo, "export", file);
  const line = JSON.parse(readFileSync(file, "utf8")) as Line;
  const imported = (updated_at: string, statement: string) => {
    writeFileSync(file, `${JSON.stringify({ ...line, id: "r-other", statement, updated_at })}\n`);
    return repo.ua("record", "import", file);
  };
  assert.equal(imported("2026-01-01T00:00:00Z", "first").code, 0);
  assert.match(imported("2026-01-01T00:00:00.5Z", "second").stdout, /1 updated/);
  assert.match(imported("2026-13-01T00:00:00Z", "third").stderr, /"updated_at" must be a time/);
});

test("a file that cannot be imported is not imported by half", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts");
  const file = join(repo.base, "records.jsonl");
  await run(repo, "export", file);
  const good = readFileSync(file, "utf8");
  const other = makeRepo(t);
  other.commit("start", SMALL_PROJECT);
  other.ua("install");
  const wrong: [string, RegExp][] = [
    ["<<<<<<< HEAD\n", /line 2: it has an unresolved merge conflict/],
    ["{", /line 2: it is not a JSON object/],
    [good.replace('"decision"', '"rumour"'), /line 2: "type" must be one of/],
    [good.replace('"src/b.ts"', '"../../etc/passwd"'), /path must be one inside the repository/],
    [good.replace(/"confidence":[\d.]+/, '"confidence":"high"'), /"confidence" must be a number/],
    [good.replace("blob:", "blub:"), /is not a fingerprint/],
    [
      good.replace(/"created_at_commit":"/, '"created_at_commit":"--output=x'),
      /"created_at_commit" must be a commit's id/,
    ],
    [good.replace(/"id":"r-/, '"id":"\\u001b[31m'), /"id" must be letters/],
  ];
  for (const [line, says] of wrong) {
    writeFileSync(file, good + line);
    const { code, stderr } = other.ua("record", "import", file);
    assert.equal(code, 5);
    assert.match(stderr, says);
    assert.deepEqual(await listed(other, "list", "--all"), []);
  }
  assert.equal(await verdictOf(repo, id), "active");
});

test("markers name the records that became stale, historical, or active again since their base", async (t) => {
  const repo = installedRepo(t);
  const B = SMALL_PROJECT["src/b.ts"] ?? "";
  const changed = B.replace("x: number", "x: number, y = 0");
  const twice = await note(repo, "src/b.ts#twice");
  const python = await note(repo, "tools/run.py");
  repo.write({ "src/b.ts": changed });
  const later = await note(repo, "src/b.ts");
  repo.git("checkout", "-q", ".");
  assert.equal(repo.marker(), null);
  repo.git("rm", "-q", "tools/run.py");
  repo.commit("interface", { "src/b.ts": changed });
  assert.deepEqual(repo.marker()?.records, { stale: [twice], historical: [python], reactivated: [later] });
  assert.deepEqual(repo.uaJson("status").records, { active: 1, stale: 1, historical: 1 });
  const { generation } = repo.marker() ?? {};

  const written = await note(repo, "src/b.ts", "--type", "gotcha");
  await run(repo, "reject", python);
  repo.ua("pending");
  assert.deepEqual(
    repo.marker()?.records,
    { stale: [twice], historical: [], reactivated: [later] },
    "as records are now",
  );
  assert.equal(repo.marker()?.generation, generation, "no new work for anybody");
  repo.commit("again", { "src/b.ts": changed.replace("y = 0", "y = 1") });
  assert.deepEqual(
    repo.marker()?.records.stale.toSorted(),
    [twice, written].toSorted(),
    "one that is younger than the base",
  );
  repo.git("reset", "-q", "--hard", "HEAD~2");
  repo.ua("status");
  assert.equal(repo.marker(), null);
});
