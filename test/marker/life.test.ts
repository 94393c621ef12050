import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openState } from "../../src/store/state.js";
import { analysisOf, applyTo, GRAPH_FILE, summaries } from "../support/agent.js";
import { cli, installedRepo, type Repo, start } from "../support/repo.js";

const wider = (by: string) => `export function twice(x: number, ${by} = 2): number {\n  return x * ${by};\n}\n`;

function pendingRepo(t: Parameters<typeof installedRepo>[0]): Repo {
  const repo = installedRepo(t);
  repo.commit("wider", { "src/b.ts": wider("by") });
  return repo;
}

interface Claimed {
  state: string;
  generation: number;
  lease: { id: string; holder: string; expiresAt: string };
}

test("of two agents that claim at once, one gets it; the other's error names the holder", async (t) => {
  const repo = pendingRepo(t);
  const claims = ["first", "second"].map((holder) =>
    start(process.execPath, [cli, "claim", "--holder", holder, "--json"], { cwd: repo.dir, env: repo.env }),
  );
  const results = await Promise.all(claims);
  assert.deepEqual(results.map(({ code }) => code).sort(), [0, 4]);
  const won = JSON.parse(results.find(({ code }) => code === 0)?.stdout ?? "") as Claimed;
  assert.match(results.find(({ code }) => code === 4)?.stderr ?? "", new RegExp(`${won.lease.holder} holds the lease`));
  assert.equal(repo.marker()?.state, "claimed");
  assert.equal(repo.ua("apply", "--lease", "nobody", "-").code, 2, "an unknown lease");
  assert.equal(repo.ua("release", "--lease", won.lease.id).code, 0);
  assert.equal(repo.marker()?.state, "pending");
});

test("a lease that runs out goes back to pending, and its late delivery still counts if there was no other claim", async (t) => {
  const repo = pendingRepo(t);
  repo.write({ ".ua-hooksrc.json": JSON.stringify({ leaseMinutes: 1 }) });
  const late = repo.uaJson<Claimed & Record<string, unknown>>("claim");
  const minute = Date.parse(late.lease.expiresAt) - Date.now();
  assert.ok(minute > 30_000 && minute <= 60_000);
  await expire(repo);
  assert.equal(repo.uaJson("pending").state, "pending");
  assert.equal(applyTo(repo, analysisOf(repo, ["src/b.ts"], "late"), "--lease", late.lease.id).pending, null);
  assert.equal(repo.marker(), null);
});

/** Time passes: the row and the marker file say so. */
async function expire(repo: Repo): Promise<void> {
  const past = "2020-01-01T00:00:00.000Z";
  const db = await openState(join(repo.dir, ".git/ua-hooks"));
  db.run("UPDATE markers SET lease_expires_at = ?", past);
  db.close();
  const file = ".understand-anything/pending-update.json";
  repo.write({ [file]: repo.read(file).replace(/"expiresAt": "[^"]+"/, `"expiresAt": "${past}"`) });
}

test("applying twice changes nothing, also under the lease that is over", (t) => {
  const repo = pendingRepo(t);
  const { lease } = repo.uaJson<Claimed & Record<string, unknown>>("claim");
  const result = analysisOf(repo, ["src/b.ts"], "told");
  assert.equal(applyTo(repo, result, "--lease", lease.id).pending, null);
  const graph = repo.read(GRAPH_FILE);
  const prints = repo.read(".understand-anything/fingerprints.json");
  applyTo(repo, result, "--lease", lease.id);
  applyTo(repo, result);
  assert.equal(repo.read(GRAPH_FILE), graph);
  assert.equal(repo.read(".understand-anything/fingerprints.json"), prints);
});

test("a file that changed under the agent's hands stays pending, with the reason; the rest is taken", (t) => {
  const repo = pendingRepo(t);
  repo.commit("another", { "src/c.ts": "export function c(): void {}\n" });
  repo.uaJson("claim");
  repo.write({ "src/b.ts": wider("times") });
  const { applied, refused, pending } = applyTo(repo, analysisOf(repo, ["src/b.ts", "src/c.ts"], "told"));
  assert.deepEqual(applied, ["src/c.ts"]);
  assert.deepEqual(
    refused.map(({ path }) => path),
    ["src/b.ts"],
  );
  assert.match(pending?.lastError ?? "", /^src\/b\.ts: the file in the work tree is no longer/);
  assert.deepEqual(pending?.filesToReanalyze, ["src/b.ts"]);
  assert.equal(summaries(repo).get("file:src/c.ts"), "told: src/c.ts");
});

test("an ack of an old generation covers what it listed and is still the same, and nothing that came since", (t) => {
  const repo = pendingRepo(t);
  const first = repo.marker()?.generation ?? 0;
  repo.commit("another", { "tools/run.py": "def run(argument, more):\n    return argument\n" });
  repo.commit("a third", { "src/c.ts": "export const c = 1;\n" });
  assert.ok((repo.marker()?.generation ?? 0) >= first + 2);
  assert.equal(repo.ua("ack", "--generation", "99").code, 2);
  assert.deepEqual(repo.uaJson<{ acked: string[] }>("ack", "--generation", String(first)).acked, ["src/b.ts"]);
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/c.ts", "tools/run.py"]);
  repo.uaJson("ack");
  assert.equal(repo.marker(), null);
  assert.equal(repo.uaJson("status").status, "fresh");
});

test("three tries that came to nothing make it failed, until the content changes", (t) => {
  const repo = pendingRepo(t);
  for (const error of ["one", "two", "three"]) {
    assert.equal(repo.marker()?.state, "pending");
    repo.uaJson("claim");
    repo.uaJson("release", "--error", error);
  }
  const { state, attempts, lastError } = repo.marker() ?? {};
  assert.deepEqual({ state, attempts, lastError }, { state: "failed", attempts: 3, lastError: "three" });
  repo.commit("a comment", { "src/b.ts": `// a comment\n${repo.read("src/b.ts")}` });
  assert.deepEqual([repo.marker()?.state, repo.marker()?.attempts], ["failed", 3], "by symbol: it is as it was");
  repo.commit("another way", { "src/b.ts": wider("times") });
  assert.deepEqual([repo.marker()?.state, repo.marker()?.attempts], ["pending", 0]);
});

test("a marker of many megabytes is read like any other", (t) => {
  const repo = installedRepo(t);
  const folder = Array.from({ length: 15 }, () => "d".repeat(200)).join("/");
  const files = Object.fromEntries(Array.from({ length: 720 }, (_, at) => [`${folder}/f${at}.ts`, wider("by")]));
  repo.commit("long names", files);
  assert.ok(repo.read(".understand-anything/pending-update.json").length > 4 * 1024 * 1024);
  assert.equal(repo.uaJson("status").status, "pending");
  assert.equal(repo.uaJson<{ filesToReanalyze: string[] }>("pending").filesToReanalyze.length, 720);
  assert.equal(repo.ua("ack").code, 0);
  assert.equal(repo.uaJson("status").status, "fresh");
});
