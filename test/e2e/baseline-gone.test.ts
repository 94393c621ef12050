import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { installInto } from "../support/round.js";

const FOLDER = ".understand-anything";
const readJson = (repo: Repo, name: string) => JSON.parse(repo.read(`${FOLDER}/${name}`));
const writeJson = (repo: Repo, name: string, value: unknown) =>
  repo.write({ [`${FOLDER}/${name}`]: JSON.stringify(value) });

/** The analysed commit, its tree and the analysed src/b.ts are rebased away and collected; HEAD has `text` instead. */
function collected(t: TestContext, text: string): Repo {
  const repo = makeRepo(t);
  const first = repo.commit("first", { "README.md": "hello\n" });
  const analysed = repo.commit("analysed", SMALL_PROJECT);
  installInto(repo);
  const blob = repo.git("rev-parse", `${analysed}:src/b.ts`);
  repo.git("-c", "core.hooksPath=/dev/null", "reset", "-q", "--soft", first);
  repo.write({ "src/b.ts": text });
  repo.git("add", "-A");
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "rewritten");
  repo.git("reflog", "expire", "--expire=now", "--all");
  repo.git("gc", "-q", "--prune=now");
  assert.notEqual(repo.tryGit("cat-file", "-e", analysed).code, 0, "the commit is gone");
  if (text !== SMALL_PROJECT["src/b.ts"]) assert.notEqual(repo.tryGit("cat-file", "-e", blob).code, 0);
  return repo;
}

const loseState = (repo: Repo) => {
  rmSync(join(repo.dir, ".git/ua-hooks"), { recursive: true });
  installInto(repo, "--no-init");
};
const original = SMALL_PROJECT["src/b.ts"] ?? "";
const parameter = original.replace("x: number)", "x: number, y = 1)");

function pendingFiles(repo: Repo): string[] {
  const pending = repo.uaJson<{ state: string; filesToReanalyze?: string[] }>("pending");
  assert.equal(repo.uaJson("status").lastVerifiedSha, repo.head());
  return pending.filesToReanalyze ?? [];
}

test("the analysed commit is gone: verdicts come from the registry's oids and facts", (t) => {
  const comment = collected(t, `// doubles\n${original}`);
  assert.deepEqual(pendingFiles(comment), [], "cosmetic, though the old blob is collected too");
  const repo = collected(t, parameter);
  assert.deepEqual(pendingFiles(repo), ["src/b.ts"]);
  assert.deepEqual(repo.marker()?.fileChanges[0]?.details, ["params changed: twice"]);
});

test("the registry is gone too: verdicts come from the fingerprints' blob oids", (t) => {
  const repo = collected(t, parameter);
  loseState(repo);
  assert.deepEqual(pendingFiles(repo), ["src/b.ts"]);
  assert.match(repo.marker()?.fileChanges[0]?.details[0] ?? "", /^content changed \(the analysed version is not there/);
});

test("no oids either: verdicts come from the content hashes", (t) => {
  const forget = (repo: Repo) => {
    loseState(repo);
    const { files } = readJson(repo, "fingerprints.json");
    for (const entry of Object.values<Record<string, unknown>>(files)) {
      delete entry.blobOid;
      delete entry.extractor;
    }
    writeJson(repo, "fingerprints.json", files);
    return repo;
  };
  assert.deepEqual(pendingFiles(forget(collected(t, parameter))), ["src/b.ts"]);
});

test("nothing to compare with is unknown, with the reason: never fresh", (t) => {
  const repo = collected(t, parameter);
  loseState(repo);
  rmSync(join(repo.dir, FOLDER, "fingerprints.json"));
  const status = repo.uaJson("status");
  assert.equal(status.status, "unknown");
  assert.match(String(status.reason), /^the graph's commit [0-9a-f]{12} is not in this clone, .*install --rebuild/);
  assert.equal(status.lastVerifiedSha, null);
  assert.equal(repo.ua("status", "--exit-code").code, 1);
  const { code, stdout, stderr } = repo.ua("pending", "--json");
  assert.deepEqual({ code, stdout }, { code: 6, stdout: "" });
  assert.match(stderr, /not in this clone/);
  repo.commit("git goes on", { "README.md": "more\n" });

  installInto(repo, "--rebuild");
  assert.equal(repo.uaJson("status").status, "fresh", "the way out that was named");
});
