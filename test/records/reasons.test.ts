import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { type Anchor, ORIGINS, type Origin, SIGNALS, type Signal, STORED } from "../../src/records/types.js";
import { anchorOf, decide } from "../../src/records/verdict.js";
import { note, run, verdictOf } from "../support/records.js";
import { dist, installedRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

const ANCHORS: readonly Anchor[] = ["equal", "differs", "gone", "none"];

/** Docs and code say the same: every row of the table in docs/records.md, against the state machine. */
function documented(): Map<string, string[]> {
  const text = readFileSync(resolve(dist, "..", "docs/records.md"), "utf8");
  const rows = text.split("\n").filter((line) => line.startsWith("| `") || line.startsWith("| none "));
  return new Map(
    rows.map((line) => {
      const [, name = "", ...cells] = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
      return [name, cells.slice(0, ANCHORS.length)];
    }),
  );
}

const spoken = ({ status, reason }: ReturnType<typeof decide>) => (reason === null ? status : `${status}: ${reason}`);

test("the table of every stale reason × anchor match is what the code does", () => {
  const table = documented();
  const signals: [string, Signal[], Origin][] = [
    ["none", [], "human"],
    ["missing_from_refresh", ["missing_from_refresh"], "system"],
    ["missing_from_refresh, origin not system", ["missing_from_refresh"], "agent"],
    ...SIGNALS.slice(1).map((signal): [string, Signal[], Origin] => [signal, [signal], "human"]),
  ];
  for (const [name, held, origin] of signals) {
    const became = ANCHORS.map((anchor) =>
      spoken(decide({ stored: "active", origin, anchor, signals: new Set(held) })),
    );
    assert.deepEqual(table.get(name), became, name);
  }
});

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the table of signals is checked one by one
test("every combination: the anchor first, then the first signal that counts; what is set aside stays so", () => {
  for (let bits = 0; bits < 2 ** SIGNALS.length; bits++) {
    const signals = new Set(SIGNALS.filter((_, at) => (bits & (1 << at)) !== 0));
    for (const stored of STORED) {
      for (const origin of ORIGINS) {
        for (const anchor of ANCHORS) {
          const became = spoken(decide({ stored, origin, anchor, signals }));
          const first = SIGNALS.find(
            (one) => signals.has(one) && (one !== "missing_from_refresh" || (origin === "system" && anchor === "none")),
          );
          const expected =
            stored !== "active"
              ? stored
              : anchor === "differs"
                ? "stale: subject_fingerprint_drift"
                : anchor === "gone"
                  ? "historical"
                  : first === undefined
                    ? "active"
                    : `stale: ${first}`;
          assert.equal(became, expected, JSON.stringify({ stored, origin, anchor, signals: [...signals] }));
        }
      }
    }
  }
});

test("of several subjects: history only where all are gone", () => {
  const states = (...anchors: Anchor[]) =>
    anchorOf(anchors.map((anchor) => ({ anchor, path: "", grade: null, details: [] })));
  assert.equal(states("equal", "equal"), "equal");
  assert.equal(states("equal", "gone"), "differs");
  assert.equal(states("gone", "gone"), "gone");
  assert.equal(states("gone", "differs"), "differs");
  assert.equal(states(), "none");
});

/** An ingest of a system, with these keys and statements; `about`: a subject makes them anchored. */
async function ingest(repo: Repo, entries: Record<string, string>, about?: string): Promise<{ added: string[] }> {
  const file = join(repo.base, "ingest.jsonl");
  const lines = Object.entries(entries).map(([key, statement]) =>
    JSON.stringify({ key, type: "discovery", statement, ...(about === undefined ? {} : { subjects: [about] }) }),
  );
  writeFileSync(file, `${lines.join("\n")}\n`);
  return run<{ added: string[] }>(repo, "refresh", "--from", file);
}

test("missing_from_refresh: system origin only, never an anchored record; back in the next ingest, it is active", async (t) => {
  const repo = installedRepo(t);
  const [loose = ""] = (await ingest(repo, { a: "The build has two steps" })).added;
  const [anchored = ""] = (await ingest(repo, { a: "The build has two steps", b: "b.ts doubles" }, "src/b.ts")).added;
  const human = await note(repo, null);
  await ingest(repo, { other: "Nothing of the above" });
  assert.equal(await verdictOf(repo, loose), "stale: missing_from_refresh");
  assert.equal(await verdictOf(repo, anchored), "active");
  assert.equal(await verdictOf(repo, human), "active");
  repo.commit("b changes", { "src/b.ts": "export {};\n" });
  assert.match(await verdictOf(repo, anchored), /subject_fingerprint_drift/, "only its anchor speaks for it");
  await ingest(repo, { a: "the build has TWO steps." });
  assert.equal(await verdictOf(repo, loose), "active");
});

test("refresh_content_contradiction: the same key says something else; a match of the anchor does not bring it back", async (t) => {
  const repo = installedRepo(t);
  const B = SMALL_PROJECT["src/b.ts"] ?? "";
  const [id = ""] = (await ingest(repo, { a: "twice doubles" }, "src/b.ts")).added;
  await ingest(repo, { a: "twice halves" }, "src/b.ts");
  assert.equal(await verdictOf(repo, id), "stale: refresh_content_contradiction");
  repo.commit("changed", { "src/b.ts": B.replace("x * 2", "x + x") });
  assert.equal(await verdictOf(repo, id), "stale: subject_fingerprint_drift body", "the anchor comes first");
  repo.commit("back", { "src/b.ts": B });
  assert.equal(await verdictOf(repo, id), "stale: refresh_content_contradiction");
  await ingest(repo, { a: "Twice doubles." }, "src/b.ts");
  assert.equal(await verdictOf(repo, id), "active", "only a refresh that agrees does");
});

test("evidence_digest_mismatch and report_digest_shift: what was quoted is looked at again", async (t) => {
  const repo = installedRepo(t);
  repo.commit("evidence", { "docs/a.md": "one\ntwo\nthree\n", "report.txt": "all green\n" });
  const quoted = await note(repo, "src/b.ts", "--evidence", "file:docs/a.md@L2-L2", "--quote", "two");
  const reported = await note(repo, "src/b.ts", "--evidence", "report:report.txt");
  const both = await note(repo, null, "--evidence", "report:report.txt", "--evidence", "file:docs/a.md");
  const verdicts = async () => {
    await run(repo, "refresh");
    return Promise.all([quoted, reported, both].map((id) => verdictOf(repo, id)));
  };
  assert.deepEqual(await verdicts(), ["active", "active", "active"]);
  repo.write({ "docs/a.md": "ONE\ntwo\nthree\n", "report.txt": "one red\n" });
  assert.deepEqual(await verdicts(), ["active", "stale: report_digest_shift", "stale: evidence_digest_mismatch"]);
  repo.write({ "docs/a.md": "one\nTWO\nthree\n" });
  assert.deepEqual(await verdicts(), [
    ...["stale: evidence_digest_mismatch", "stale: report_digest_shift", "stale: evidence_digest_mismatch"],
  ]);
  repo.git("checkout", "-q", ".");
  assert.deepEqual(await verdicts(), ["active", "active", "active"]);
});

test("scope_files_changed: no match and no refresh brings it back, a person does; it goes where the commit goes", async (t) => {
  const repo = installedRepo(t);
  const B = SMALL_PROJECT["src/b.ts"] ?? "";
  const id = await note(repo, "src/b.ts");
  const folder = await note(repo, "src/");
  const elsewhere = await note(repo, "tools/run.py");
  repo.git("worktree", "add", "-q", "-b", "task", "../task");
  const task = repo.at(join(repo.base, "task"));
  task.commit("the task", { "src/b.ts": B.replace("x * 2", "x + x") });
  const fresh = await note(task, "src/b.ts");
  await run(task, "refresh", "--finished", "src/b.ts");
  task.commit("and undone", { "src/b.ts": B });
  assert.equal(await verdictOf(task, id), "stale: scope_files_changed", "the anchor matches again");
  assert.equal(await verdictOf(task, folder), "stale: scope_files_changed");
  assert.equal(await verdictOf(task, elsewhere), "active");
  assert.match(await verdictOf(task, fresh), /drift/, "what was written about the new content is not held against it");
  assert.equal(await verdictOf(repo, id), "active", "not in a worktree that the task has not reached");
  repo.git("worktree", "remove", "--force", "../task");
  repo.git("merge", "-q", "task");
  assert.equal(await verdictOf(repo, id), "stale: scope_files_changed");
  await run(repo, "refresh");
  assert.equal(await verdictOf(repo, id), "stale: scope_files_changed");
  await run(repo, "approve", id, "--by", "someone");
  assert.equal(await verdictOf(repo, id), "active");
});
