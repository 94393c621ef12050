import assert from "node:assert/strict";
import { test } from "node:test";
import { locateProject } from "../../src/repository/locate.js";
import { installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { withState } from "../support/sound.js";

const B = SMALL_PROJECT["src/b.ts"] ?? "";

/** A clone that another version of the extractor has worked in: its facts and verdicts say what is not so. */
async function age(repo: Repo): Promise<void> {
  await withState(await locateProject({ cwd: repo.dir, env: {} }), (db) =>
    db.write(() => {
      const older = "replace(extractor, 'ua-hooks/3', 'ua-hooks/1')";
      db.run(`UPDATE fingerprints SET extractor = ${older}, data = json_set(data, '$.tokenHash', 'same')`);
      db.run(`UPDATE drift SET extractor = ${older}, drift = 'cosmetic', change_level = 'COSMETIC', details = '[]'`);
      db.run("UPDATE views SET rules = replace(rules, 'ua-hooks/3', 'ua-hooks/1')");
    }),
  );
}

const factsOfToday = async (repo: Repo) =>
  withState(
    await locateProject({ cwd: repo.dir, env: {} }),
    (db) => db.all("SELECT oid FROM fingerprints WHERE extractor LIKE 'ua-hooks/3 %'").length,
  );

test("after the extractor changed, verdicts are made from the blobs anew, and what it says is kept", async (t) => {
  const repo = installedRepo(t);
  repo.commit("interface", { "src/b.ts": B.replace("x: number", "x: number, y = 0") });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  await age(repo);
  assert.equal(await factsOfToday(repo), 0);

  assert.equal(repo.uaJson<{ drift: string }>("why", "src/b.ts").drift, "interface");
  assert.deepEqual(repo.uaJson<{ filesToReanalyze: string[] }>("check").filesToReanalyze, ["src/b.ts"]);
  repo.commit("body", { "src/b.ts": B.replace("x * 2", "x + x") });
  assert.equal(repo.uaJson<{ drift: string }>("why", "src/b.ts").drift, "body");
  assert.equal(repo.marker(), null);
  assert.ok((await factsOfToday(repo)) >= 2, "both sides of the comparison");
});
