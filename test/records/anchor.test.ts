import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventsOf, listed, note, recordOf, run, verdictOf } from "../support/records.js";
import { cli, installedRepo, makeRepo, type Repo, SMALL_PROJECT, start } from "../support/repo.js";
import { unseen } from "../support/workers.js";

/** The seed's document on staleness and anchors, line by line; the subjects are no code, unless it must be. */
const SUBJECTS: Record<string, string | Buffer> = {
  "docs/guide.md": "# Guide\n\nStart here.\n",
  "pyproject.toml": '[project]\nname = "x"\n',
  "web/app.js": "export const app = () => 1;\n",
  "logo.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
};

function seeded(t: Parameters<typeof installedRepo>[0]): Repo {
  const repo = installedRepo(t);
  unseen(repo).commit("subjects", SUBJECTS);
  return repo;
}

test("any file: active while its bytes are the same, stale when they differ, historical when it is gone", async (t) => {
  const repo = seeded(t);
  const ids = new Map<string, string>();
  for (const path of Object.keys(SUBJECTS)) ids.set(path, await note(repo, path));
  const all = async () => new Set(await Promise.all([...ids.values()].map((id) => verdictOf(repo, id))));
  for (const [path, id] of ids) {
    const { anchored, created_at_commit, code_fingerprint } = await recordOf(repo, id);
    const oid = repo.git("rev-parse", `HEAD:${path}`);
    assert.deepEqual(
      { anchored, created_at_commit, code_fingerprint },
      { anchored: true, created_at_commit: repo.head(), code_fingerprint: `blob:${oid}` },
    );
  }
  repo.commit("elsewhere", { "other.txt": "x" });
  await run(repo, "refresh");
  assert.deepEqual(await all(), new Set(["active"]), "not in the graph's inventory, and active all the same");

  const longer = (content: string | Buffer) =>
    Buffer.concat([Buffer.from(content), Buffer.from("export const z = 1;\n")]);
  repo.commit("changed", Object.fromEntries(Object.entries(SUBJECTS).map(([path, text]) => [path, longer(text)])));
  // A text below a heading is a body: Markdown is compared by its headings.
  const drifts = ["body", "interface"].map((grade) => `stale: subject_fingerprint_drift ${grade}`);
  assert.deepEqual([...(await all())].sort(), drifts);
  repo.commit("back", SUBJECTS);
  assert.deepEqual(await all(), new Set(["active"]), "reactivated from stale by drift");

  repo.git("rm", "-q", ...ids.keys());
  repo.commit("deleted");
  assert.deepEqual(await all(), new Set(["historical"]));
  repo.commit("restored", SUBJECTS);
  assert.deepEqual(await all(), new Set(["active"]), "reactivated from historical");
  const story = ["created", "stale", "reactivated", "historical", "reactivated"];
  for (const id of ids.values()) assert.deepEqual(await eventsOf(repo, id), story);
});

test("a drift's grade tells how far: comments, a body, an interface", async (t) => {
  const repo = installedRepo(t);
  const before = SMALL_PROJECT["src/b.ts"] ?? "";
  const id = await note(repo, "src/b.ts");
  repo.commit("comment", { "src/b.ts": `// twice\n${before}` });
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift cosmetic");
  repo.commit("body", { "src/b.ts": before.replace("x * 2", "x + x") });
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift body");
  repo.commit("interface", { "src/b.ts": before.replace("x: number", "x: number, y = 1") });
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift interface");
  assert.deepEqual((await recordOf(repo, id)).drift_details, ["params changed: twice"]);
});

test("anchored only where commit and fingerprint both resolve; drift never touches the others", async (t) => {
  const repo = seeded(t);
  const missing = await note(repo, "docs/not-there.md");
  const symbol = await note(repo, "src/b.ts#nothing");
  const half = await note(repo, "docs/guide.md", "--subject", "docs/not-there.md");
  const none = await note(repo, null);
  for (const id of [missing, symbol, half, none]) {
    const { anchored, created_at_commit, subjects } = await recordOf(repo, id);
    assert.deepEqual({ anchored, created_at_commit }, { anchored: false, created_at_commit: null });
    assert.ok(subjects.every(({ code_fingerprint }) => code_fingerprint === null));
  }
  repo.commit("all of it changes", { "docs/not-there.md": "now", "docs/guide.md": "x", "src/b.ts": "export {};\n" });
  for (const id of [missing, symbol, half, none]) assert.equal(await verdictOf(repo, id), "active");
  const said = repo.ua("record", "add", "And it says why", "--type", "gotcha", "--subject", "src/b.ts#nothing");
  assert.match(said.stdout, /not anchored \(src\/b\.ts has no function or class "nothing"\)/);
});

test("before the first commit nothing is anchored", async (t) => {
  const repo = makeRepo(t);
  repo.write({ "a.md": "x" });
  repo.ua("install");
  const id = await note(repo, "a.md");
  assert.equal((await recordOf(repo, id)).anchored, false);
  repo.commit("first");
  repo.commit("second", { "a.md": "y" });
  assert.equal(await verdictOf(repo, id), "active");
});

test("only drafts are skipped: origin and approval exempt from nothing", async (t) => {
  const repo = seeded(t);
  const human = await note(repo, "docs/guide.md", "--origin", "human");
  const system = await note(repo, "docs/guide.md", "--origin", "system");
  const approved = await note(repo, "docs/guide.md", "--origin", "agent");
  const draft = await note(repo, "docs/guide.md", "--origin", "agent");
  await run(repo, "approve", approved, "--by", "someone");
  repo.commit("changed", { "docs/guide.md": "new" });
  await run(repo, "refresh");
  for (const id of [human, system, approved])
    assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift interface");
  assert.equal(await verdictOf(repo, draft), "draft");
  repo.git("rm", "-q", "docs/guide.md");
  repo.commit("gone");
  for (const id of [human, system, approved]) assert.equal(await verdictOf(repo, id), "historical");
  assert.equal(await verdictOf(repo, draft), "draft");
});

test("default retrieval has active and historical; stale only when asked for; vacuum spares both", async (t) => {
  const repo = seeded(t);
  const active = await note(repo, "pyproject.toml");
  const stale = await note(repo, "web/app.js");
  const historical = await note(repo, "docs/guide.md");
  const draft = await note(repo, "logo.png", "--draft");
  const rejected = await note(repo, "logo.png");
  const archived = await note(repo, "logo.png");
  const [older, newer] = [await note(repo, "logo.png"), await note(repo, "logo.png")];
  await run(repo, "reject", rejected, "--reason", "wrong");
  await run(repo, "reject", archived, "--archive");
  await run(repo, "supersede", older, newer);
  repo.git("rm", "-q", "docs/guide.md");
  repo.commit("changed", { "web/app.js": "export const app = (x) => x;\n" });

  const sorted = (ids: string[]) => ids.toSorted();
  assert.deepEqual(sorted(await listed(repo, "list")), sorted([active, historical, newer]));
  assert.deepEqual(sorted(await listed(repo, "list", "--include-stale")), sorted([active, historical, newer, stale]));
  assert.deepEqual(await listed(repo, "relevant", "web/app.js"), []);
  assert.deepEqual(await listed(repo, "relevant", "web/app.js", "--include-stale"), [stale]);
  assert.deepEqual(await listed(repo, "relevant", "docs/guide.md"), [historical]);

  const would = (await run<{ removed: { id: string }[] }>(repo, "vacuum", "--dry-run")).removed;
  assert.deepEqual(sorted(would.map(({ id }) => id)), sorted([draft, rejected, archived]));
  await run(repo, "vacuum");
  assert.deepEqual(sorted(await listed(repo, "list", "--all")), sorted([active, stale, historical, older, newer]));
  assert.equal(await verdictOf(repo, historical), "historical");
  assert.equal(await verdictOf(repo, older), "superseded");
});

test("uncommitted changes count, in the work tree where they are", async (t) => {
  const repo = seeded(t);
  const id = await note(repo, "docs/guide.md");
  repo.write({ "docs/guide.md": "edited\n" });
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift interface");
  assert.deepEqual(await listed(repo, "relevant", "docs/guide.md"), []);
  repo.git("checkout", "-q", "--", "docs/guide.md");
  assert.equal(await verdictOf(repo, id), "active");
  rmSync(join(repo.dir, "docs/guide.md"));
  assert.equal(await verdictOf(repo, id), "historical");
  repo.git("checkout", "-q", "--", "docs/guide.md");
  assert.equal(await verdictOf(repo, id), "active");
  const events = await eventsOf(repo, id);
  assert.deepEqual(events, ["created", "stale", "reactivated", "historical", "reactivated"]);
});

test("an ignored file can be a subject: what is on disk is what counts", async (t) => {
  const repo = seeded(t);
  repo.write({ ".git/info/exclude": "secret.env\n", "secret.env": "A=1\n" });
  const id = await note(repo, "secret.env");
  assert.equal((await recordOf(repo, id)).anchored, true);
  assert.equal(await verdictOf(repo, id), "active");
  repo.write({ "secret.env": "A=22\n" });
  assert.match(await verdictOf(repo, id), /^stale/);
});

test("any name that git allows: spaces, a `#`, a line break, a link; sha256 as well", async (t) => {
  for (const args of [[], ["--object-format=sha256"]]) {
    const repo = makeRepo(t, { args });
    const code = "export function f(): void {}\n";
    repo.write({ "o dd/ä b#1.ts": code, "new\nline.txt": "x\n" });
    symlinkSync("nowhere", join(repo.dir, "link"));
    repo.commit("odd");
    repo.ua("install");
    const ids: string[] = [];
    for (const subject of ["o dd/ä b#1.ts", "o dd/ä b#1.ts#f", "new\nline.txt", "link", "o dd/"]) {
      ids.push(await note(repo, subject));
    }
    for (const id of ids)
      assert.deepEqual([(await recordOf(repo, id)).anchored, await verdictOf(repo, id)], [true, "active"]);
    repo.write({ "o dd/ä b#1.ts": code.replace("(): void", "(x: number): void"), "new\nline.txt": "y\n" });
    rmSync(join(repo.dir, "link"));
    symlinkSync("elsewhere", join(repo.dir, "link"));
    for (const id of ids) assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift interface");
    repo.git("add", "-A");
    repo.git("commit", "-qm", "committed");
    for (const id of ids) assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift interface");
  }
});

test("of ten that say the same at once, one is written", async (t) => {
  const repo = installedRepo(t);
  const args = [cli, "record", "add", "Said by all", "--type", "gotcha", "--subject", "src/a.ts"];
  const all = await Promise.all(
    Array.from({ length: 10 }, () => start(process.execPath, args, { cwd: repo.dir, env: repo.env })),
  );
  assert.deepEqual(all.map(({ code }) => code).toSorted(), [0, ...Array.from({ length: 9 }, () => 2)]);
  assert.equal((await listed(repo, "list")).length, 1);
});
