import assert from "node:assert/strict";
import { test } from "node:test";
import { locateProject } from "../../src/repository/locate.js";
import type { Db } from "../../src/store/sqlite.js";
import { openState } from "../../src/store/state.js";
import { note, recordOf, verdictOf } from "../support/records.js";
import { installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

const B = SMALL_PROJECT["src/b.ts"] ?? "";
const GONE = "0123456789012345678901234567890123456789";

async function withState(repo: Repo, act: (db: Db) => void): Promise<void> {
  const { stateDir } = await locateProject({ cwd: repo.dir, env: {} });
  const db = await openState(stateDir);
  try {
    db.write(() => act(db));
  } finally {
    db.close();
  }
}

/** The anchor as the version before wrote it: another hash, by another extractor. */
function age(db: Db, id: string): void {
  const sql = "UPDATE record_subjects SET fingerprint = ?, extractor = ? WHERE record = ?";
  db.run(sql, "symbol:00112233445566778899", "ua-hooks/1 typescript/1", id);
}

test("an anchor of the version before is hashed anew from its blob, whatever the file is now", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts#twice");
  const { code_fingerprint: current } = await recordOf(repo, id);
  repo.commit("other body", { "src/b.ts": B.replace("x * 2", "x + x") });
  await withState(repo, (db) => age(db, id));
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift body");
  assert.equal((await recordOf(repo, id)).code_fingerprint, current);
  repo.commit("back", { "src/b.ts": B });
  assert.equal(await verdictOf(repo, id), "active");
});

test("an anchor whose blob is gone stays as it is", async (t) => {
  const repo = installedRepo(t);
  const id = await note(repo, "src/b.ts#twice");
  await withState(repo, (db) => {
    age(db, id);
    db.run("UPDATE record_subjects SET blob = ? WHERE record = ?", GONE, id);
  });
  repo.commit("elsewhere", { "other.txt": "x" });
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift interface");
  assert.equal((await recordOf(repo, id)).code_fingerprint, "symbol:00112233445566778899");
});
