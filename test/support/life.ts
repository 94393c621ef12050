import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { listed, note, verdictOf } from "./records.js";
import type { Repo } from "./repo.js";
import { markersIn, type Place, wholeRound } from "./round.js";

/** One animal: a repository, ready for install, and what is told about where it keeps things. A text: it cannot be had here. */
export type Animal = (t: TestContext) => { repo: Repo; place?: Place } | string;

/**
 * What every repository goes through: install, comment, parameter, marker (wholeRound); a record and the registry; the
 * revert that ends the marker; uninstall, after which git works on and nothing of ours is left.
 */
export async function wholeLife(repo: Repo, place: Place = {}): Promise<void> {
  const { dataDir = join(repo.dir, ".understand-anything") } = place;
  const others = markersIn(dataDir);
  wholeRound(repo, place);

  const id = await note(repo, "src/a.ts");
  assert.equal(await verdictOf(repo, id), "active");
  const registry = repo.uaJson<{ counts: Record<string, number>; last_verified_sha: string }>("registry", "verify");
  assert.equal(registry.last_verified_sha, repo.head());

  assert.deepEqual(repo.tryGit("revert", "--no-edit", "HEAD").stderr, "");
  assert.deepEqual(markersIn(dataDir), others, "what was reverted is not pending");
  const { status, lastVerifiedSha } = repo.uaJson<{ status: string; lastVerifiedSha: string }>("status");
  assert.deepEqual([status, lastVerifiedSha], ["fresh", repo.head()]);
  assert.deepEqual(await listed(repo, "relevant", "src/a.ts"), [id]);

  const { code, stderr } = repo.ua("uninstall", "--purge", "--yes");
  assert.equal(code, 0, stderr);
  assertNoTrace(repo);
  repo.write({ "src/b.ts": "export const afterwards = 1;\n" });
  assert.deepEqual(repo.tryGit("commit", "-q", "-a", "-m", "without"), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(markersIn(dataDir), []);
}

function assertNoTrace(repo: Repo): void {
  const common = repo.git("rev-parse", "--path-format=absolute", "--git-common-dir");
  assert.equal(existsSync(join(common, "ua-hooks")), false, "no state");
  assert.equal(repo.has(".understand-anything"), false, "no artefacts");
  for (const folder of ["hooks", "info"]) {
    for (const name of existsSync(join(common, folder)) ? readdirSync(join(common, folder)) : []) {
      assert.doesNotMatch(readFileSync(join(common, folder, name), "latin1"), /ua-hooks|pending-update/, name);
    }
  }
  assert.doesNotMatch(readFileSync(join(common, "config"), "latin1"), /^\[.*ua-hooks/m);
}

/** In `npm test` every third one, since most layouts have tests of their own (test/project/); `npm run test:zoo` takes all. */
const isLong = process.env.UA_HOOKS_LONG === "1";

/** Takes a table of animals through their lives, and says how many there were. */
export function visit(animals: Readonly<Record<string, Animal>>): void {
  let visited = 0;
  for (const [name, make] of Object.entries(animals).filter((_, at) => isLong || at % 3 === 0)) {
    test(`zoo: ${name}`, async (t) => {
      const animal = make(t);
      if (typeof animal === "string") return t.skip(animal);
      await wholeLife(animal.repo, animal.place);
      visited++;
    });
  }
  test("the zoo's count", (t) => {
    t.diagnostic(`${visited} of ${Object.keys(animals).length} kinds of repository taken through a whole life`);
    assert.ok(visited > 0);
  });
}
