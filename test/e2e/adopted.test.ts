import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";
import { expectTruth } from "../support/truth.js";

const { "src/b.ts": B = "", "tools/run.py": RUN = "" } = SMALL_PROJECT;
const RUN_WIDER = RUN.replace("(argument)", "(argument, more)");

/** Another tool's analysis of these texts, made at a commit that this clone does not have: hashes are all there is. */
function analysedElsewhere(repo: Repo, texts: Record<string, string>): void {
  const read = (name: string) => JSON.parse(repo.read(`.understand-anything/${name}`));
  const meta = { ...read("meta.json"), gitCommitHash: "1".repeat(40), lastAnalyzedAt: "2020-01-01T00:00:00.000Z" };
  const { files, ...rest } = read("fingerprints.json");
  for (const [path, entry] of Object.entries<Record<string, unknown>>(files)) {
    delete entry.blobOid;
    entry.contentHash = createHash("sha256")
      .update(texts[path] ?? "")
      .digest("hex");
  }
  repo.write({
    ".understand-anything/meta.json": JSON.stringify(meta),
    ".understand-anything/fingerprints.json": JSON.stringify({ ...rest, files }),
  });
}

test("where the analysed commit is gone, content is recognised by its hash, and drift is graded from there", async (t) => {
  const repo = installedRepo(t);
  analysedElsewhere(repo, SMALL_PROJECT);
  assert.equal(repo.uaJson("status").status, "fresh");

  repo.commit("a comment", { "src/b.ts": `// doubles\n${B}` });
  assert.equal(repo.marker(), null);
  repo.commit("back", { "src/b.ts": B });

  repo.git("rm", "-q", "tools/run.py");
  repo.commit("delete");
  await expectTruth(repo, { action: "ARCHITECTURE_UPDATE", deleted: ["tools/run.py"] });
});

test("unrecognised entries are compared by content only, and its loss is noticed", async (t) => {
  const repo = installedRepo(t);
  analysedElsewhere(repo, { ...SMALL_PROJECT, "src/b.ts": "another text", "tools/run.py": "and another" });
  repo.commit("what nobody has analysed", { "src/b.ts": B.replace("(x", "(x: number, y"), "tools/run.py": RUN_WIDER });
  const marker = await expectTruth(repo, { changed: ["src/b.ts", "tools/run.py"] });
  assert.deepEqual(marker?.fileChanges[0]?.details, ["content changed (the analysed version is not there to compare)"]);
  repo.git("rm", "-q", "tools/run.py");
  repo.commit("delete");
  await expectTruth(repo, { action: "ARCHITECTURE_UPDATE", changed: ["src/b.ts"], deleted: ["tools/run.py"] });
});

test("an analysis of what was pending is believed, though nothing but the hash says so", async (t) => {
  const repo = installedRepo(t);
  analysedElsewhere(repo, SMALL_PROJECT);
  repo.commit("wider", { "tools/run.py": RUN_WIDER });
  await expectTruth(repo, { changed: ["tools/run.py"] });
  analysedElsewhere(repo, { ...SMALL_PROJECT, "tools/run.py": RUN_WIDER });
  repo.commit("not code", { "notes.md": "notes\n" });
  await expectTruth(repo);
});
