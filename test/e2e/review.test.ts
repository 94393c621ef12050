import assert from "node:assert/strict";
import { test } from "node:test";
import type { Report } from "../../src/report/types.js";
import { graphOf } from "../support/agent.js";
import { connect } from "../support/mcp.js";
import { answer, askedIn, claim, describeAll, descriptionsFor } from "../support/packets.js";
import { installedRepo, type Repo } from "../support/repo.js";

const FILE = "src/port.ts";
const ID = `function:${FILE}:port`;
const OTHER = `function:${FILE}:other`;
const FILLER = "  x = (x * 31 + 7) % 1009;\n".repeat(30);
const fn = (name: string, params = "x: number", check = "") =>
  `export function ${name}(${params}): number {\n${check}${FILLER}  return x;\n}\n\n`;
const text = ({ check = "", params = "x: number" } = {}) =>
  fn("port", "x: number", check) + fn("other", params) + fn("third") + fn("fourth");
const THROWS = '  if (x < 0) throw new RangeError("not a port");\n';

interface Explained {
  drift: string;
  symbols: { id: string; change: string; asked: boolean; review: boolean }[];
}

/** What every reader says of symbols whose description may be false. */
async function read(t: Parameters<typeof installedRepo>[0], repo: Repo) {
  const status = repo.uaJson<{ status: string; review: number; reviewSymbols: string[] }>("status");
  const why = repo.uaJson<Explained & Record<string, unknown>>("why", FILE);
  const check = repo.uaJson<{ action: string; reason: string; fileChanges: { drift: string; details: string[] }[] }>(
    ...["check"],
  );
  const { call, client } = await connect(t, repo);
  const freshness = await call<{ review: string[]; reviewTotal: number }>("get_freshness");
  const stale = await call<Explained>("why_stale", { path: FILE });
  await client.close();
  const report = repo.uaJson<Report & Record<string, unknown>>("report");
  return {
    graph: graphOf(repo).nodes.flatMap(({ id, needsReview }) => (needsReview === undefined ? [] : [[id, needsReview]])),
    status: [status.review, status.reviewSymbols],
    why: why.symbols.filter(({ review }) => review).map(({ id }) => id),
    mcp: [freshness.review, freshness.reviewTotal, stale.symbols.filter(({ review }) => review).map(({ id }) => id)],
    report: report.descriptions.review,
    check: [check.action, check.fileChanges.map(({ drift, details }) => [drift, details])],
  };
}

const NOTHING = { graph: [], status: [0, []], why: [], mcp: [[], 0, []], report: 0 };
const FLAGGED = {
  graph: [[ID, "behaviour"]],
  ...{ status: [1, [ID]], why: [ID], mcp: [[ID], 1, [ID]], report: 1 },
};

test("a description that may be false is flagged wherever it is read, under the default that asks nobody, until it is answered", async (t) => {
  const repo = installedRepo(t);
  repo.commit("port", { [FILE]: text() });
  describeAll(repo, "first");
  assert.deepEqual(await read(t, repo), { ...NOTHING, check: ["SKIP", []] });

  repo.commit("throws", { [FILE]: text({ check: THROWS }) });
  const drift = [["behaviour", ["behaviour changed: port"]]];
  assert.deepEqual(await read(t, repo), { ...FLAGGED, check: ["SKIP", drift] });
  assert.equal(repo.uaJson("pending").state, "none");
  assert.match(repo.ua("status").stdout, /Review +1 description may be false, because behaviour changed: \S+:port/);
  assert.match(repo.ua("why", FILE).stdout, /behaviour function port, described by .*may be false/);
  assert.match(repo.ua("check").stdout, /behaviour changed in 1 file, and no model is asked/);
  assert.match(repo.ua("log").stdout, /behaviour changed in 1 file, and no model is asked/);
  assert.match(repo.ua("replay", "--last", "1", "--policies").stdout, /^structural +100 % +0 +1 +0$/m);

  repo.commit("parameter", { [FILE]: text({ check: THROWS, params: "x: number, y = 0" }) });
  const pending = repo.uaJson<{ fileChanges: { aging?: number }[] }>("pending");
  assert.equal(pending.fileChanges[0]?.aging, 1);
  assert.match(repo.ua("pending").stdout, /1 other symbol changed inside, not asked about/);
  const { packets } = claim(repo);
  assert.deepEqual(askedIn(packets), [`file:${FILE}`, OTHER]);
  const along = packets[0]?.symbols.find(({ id }) => id === ID);
  assert.deepEqual([along?.change, along?.aging, along?.previous], ["behaviour", true, "first: port"]);
  assert.match(along?.diff ?? "", /^\+ {2}if \(x < 0\) throw/m);
  assert.deepEqual((await read(t, repo)).status, [1, [ID]]);

  const {
    described,
    unchanged,
    pending: left,
  } = answer(repo, {
    descriptions: descriptionsFor([OTHER, ID], "second"),
    unchanged: [`file:${FILE}`],
  });
  assert.deepEqual([described.sort(), unchanged, left], [[OTHER, ID].sort(), [`file:${FILE}`], null]);
  assert.deepEqual(await read(t, repo), { ...NOTHING, check: ["SKIP", []] });

  repo.git("revert", "--no-edit", "HEAD~1");
  assert.deepEqual((await read(t, repo)).graph, [], "the first description is back with its content");
});

for (const refresh of ["behaviour", "every"]) {
  // The graph takes the structure of a pending file, and what is to be said of its nodes, with the answer (docs/invariants.md).
  test(`with refresh: ${refresh} the same is asked about, and said by every reader but the graph until it is answered`, async (t) => {
    const repo = installedRepo(t);
    repo.commit("port", { [FILE]: text(), ".ua-hooksrc.json": JSON.stringify({ refresh }) });
    describeAll(repo, "first");
    repo.commit("throws", { [FILE]: text({ check: THROWS }) });
    const drift = [["behaviour", ["behaviour changed: port"]]];
    assert.deepEqual(await read(t, repo), { ...FLAGGED, graph: [], check: ["PARTIAL_UPDATE", drift] });
    assert.deepEqual(askedIn(claim(repo).packets), [ID]);
    answer(repo, { unchanged: [ID] });
    assert.deepEqual(await read(t, repo), { ...NOTHING, check: ["SKIP", []] });
  });
}
