import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { refresh } from "../../src/records/refresh.js";
import { eventsOf, findRecord, recordsWhere, revisionsOf } from "../../src/records/store.js";
import { openRecords, type RecordsContext } from "../../src/records/verify.js";
import { approve, reanchor, supersede } from "../../src/records/write.js";
import { DEFAULTS } from "../../src/repository/config.js";
import { locateProject } from "../../src/repository/locate.js";
import type { Db } from "../../src/store/sqlite.js";
import { openState } from "../../src/store/state.js";
import { note } from "../support/records.js";
import { installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

/** A process that has read records; another one changes them right before its transaction begins. */
async function racing(
  t: TestContext,
  repo: Repo,
  other: () => void,
): Promise<{ worktree: RecordsContext; db: Db; racingDb: Db }> {
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const db = await openState(project.stateDir);
  t.after(() => db.close());
  const worktree = await openRecords({ project, database: async () => db, config: async () => DEFAULTS });
  let isDone = false;
  const racingDb: Db = {
    ...db,
    write: (work) => {
      if (!isDone) other();
      isDone = true;
      return db.write(work);
    },
  };
  return { worktree: { ...worktree, db: racingDb }, db, racingDb };
}

function change(repo: Repo, ...args: string[]): void {
  const { code, stderr } = repo.ua("record", ...args);
  assert.equal(code, 0, stderr);
}

test("a record that another process rejected meanwhile is not approved", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts", "--draft");
  const { racingDb, db } = await racing(t, repo, () => change(repo, "reject", id));
  assert.throws(() => approve(racingDb, id, "a"), /is rejected/);
  assert.equal(findRecord(db, id)?.status, "rejected");
});

test("a revision keeps the record as it was right before the change", async (t) => {
  const repo = installedRepo(t);
  const [older, newer] = [await note(repo, "src/b.ts", "--draft"), await note(repo, "src/a.ts")];
  const { racingDb, db } = await racing(t, repo, () => change(repo, "approve", older, "--by", "someone"));
  supersede(racingDb, older, newer, "a");
  assert.equal(findRecord(db, older)?.status, "superseded");
  assert.equal(revisionsOf(db, older).at(-1)?.before.approvedBy, "someone");
  assert.equal(eventsOf(db, older).at(-1)?.was, "active");
});

test("an anchor is renewed without undoing what another process changed in the record meanwhile", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts");
  repo.commit("wider", { "src/b.ts": (SMALL_PROJECT["src/b.ts"] ?? "").replace("x: number)", "x: number, y = 1)") });
  const { worktree, db } = await racing(t, repo, () => change(repo, "reject", id, "--archive"));
  await reanchor(worktree, id, "a");
  const record = findRecord(db, id);
  assert.deepEqual([record?.status, record?.commit], ["archived", repo.head()]);
});

test("subjects that another process changed meanwhile are anchored, not those that were read", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts");
  const file = join(repo.base, "records.jsonl");
  const { worktree, db } = await racing(t, repo, () => {
    change(repo, "export", file);
    const later = { updated_at: new Date(Date.now() + 1000).toISOString(), statement: "Better said" };
    const line = { ...(JSON.parse(repo.read("../records.jsonl")) as object), ...later };
    repo.write({ "../records.jsonl": JSON.stringify(line).replaceAll("src/b.ts", "src/a.ts") });
    change(repo, "import", file);
  });
  const { record } = await reanchor(worktree, id, "a");
  assert.equal(record.subjects[0]?.fingerprint, `blob:${repo.git("rev-parse", "HEAD:src/a.ts")}`);
  assert.deepEqual([findRecord(db, id)?.statement, findRecord(db, id)?.subjects], ["Better said", record.subjects]);
});

test("a refresh raises nothing against a record that was removed meanwhile, and ends", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts");
  repo.commit("wider", { "src/b.ts": (SMALL_PROJECT["src/b.ts"] ?? "").replace("x: number)", "x: number, y = 1)") });
  const { worktree, db } = await racing(t, repo, () => {
    change(repo, "reject", id);
    change(repo, "vacuum");
  });
  const { raised, transitions } = await refresh(worktree, { ingest: null, finished: ["src/b.ts"] });
  assert.deepEqual([raised, transitions, findRecord(db, id)], [[], [], null]);
});

test("two systems that ingest the same key at the same time make one record", async (t) => {
  const repo = installedRepo(t);
  const line = (statement: string) => JSON.stringify({ key: "k1", type: "decision", statement, subjects: [] });
  repo.write({ "../theirs.jsonl": line("theirs") });
  const theirs = join(repo.base, "theirs.jsonl");
  const { worktree, db } = await racing(t, repo, () => change(repo, "refresh", "--from", theirs));
  const { added } = await refresh(worktree, { ingest: { text: line("ours"), file: "ours" }, finished: null });
  assert.deepEqual(added, []);
  assert.deepEqual(
    recordsWhere(db, "source_key = 'k1'").map(({ statement }) => statement),
    ["theirs"],
  );
});
