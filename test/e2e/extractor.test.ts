import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE } from "../../src/fingerprint/engine.js";
import { locateProject } from "../../src/repository/locate.js";
import { graphOf } from "../support/agent.js";
import { installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { withState } from "../support/sound.js";

const B = SMALL_PROJECT["src/b.ts"] ?? "";

const PY = SMALL_PROJECT["tools/run.py"] ?? "";

/** A clone that the extractor before this one has worked in: its facts and verdicts say what is not so, and lack a part. */
async function age(repo: Repo): Promise<void> {
  await withState(await locateProject({ cwd: repo.dir, env: {} }), (db) =>
    db.write(() => {
      const older = (column: string) => `${column} = replace(${column}, '${ENGINE}', 'ua-hooks/2')`;
      const wrong = "json_remove(json_set(data, '$.tokenHash', 'same'), '$.docs')";
      db.run(`UPDATE fingerprints SET ${older("extractor")}, data = ${wrong}`);
      db.run(`UPDATE drift SET ${older("extractor")}, drift = 'cosmetic', change_level = 'COSMETIC', details = '[]'`);
      db.run(`UPDATE views SET ${older("rules")}`);
    }),
  );
}

const factsOfToday = async (repo: Repo) =>
  withState(
    await locateProject({ cwd: repo.dir, env: {} }),
    (db) => db.all("SELECT oid FROM fingerprints WHERE extractor LIKE ?", `${ENGINE} %`).length,
  );

const parsesOf = (repo: Repo) =>
  repo.uaJson<{ runs: { parses?: number }[] }>("log", "--last", "1000").runs.map(({ parses = 0 }) => parses);

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

test("a hook makes the facts of known content anew once, and its doc comments are there", async (t) => {
  const repo = installedRepo(t);
  const documented = PY.replace(":\n", ':\n    """Runs it. Really."""\n');
  repo.commit("documented", { "tools/run.py": documented });
  repo.commit("a comment", { "tools/run.py": `# first\n${documented}` });
  assert.equal(repo.uaJson<{ drift: string }>("why", "tools/run.py").drift, "cosmetic");
  await age(repo);
  const before = parsesOf(repo).length;

  repo.commit("another", { "src/b.ts": B.replace("x: number", "x: number, y = 0") });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  const parses = parsesOf(repo).slice(before);
  const what = "both contents of the two files that differ from the baseline, and the importer of the changed names";
  assert.deepEqual(parses, [5], what);
  repo.git("switch", "-q", "--detach", "HEAD~2");
  repo.git("switch", "-q", "main");
  assert.deepEqual(
    parsesOf(repo)
      .slice(before + 1)
      .filter(Boolean),
    [],
    "once",
  );

  assert.equal(repo.uaJson("run").state, "done");
  const node = graphOf(repo).nodes.find(({ id }) => id === "function:tools/run.py:run");
  assert.equal(node?.summary, "Runs it.");
});
