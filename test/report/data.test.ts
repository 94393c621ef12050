import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { pageOf } from "../../src/cli/report.js";
import { parseSizedTree, type SizedEntry } from "../../src/git/trees.js";
import { countShades, type KnownFile, toFiles } from "../../src/report/files.js";
import { embed, renderPage } from "../../src/report/page.js";
import { spreadOf, toRuns, toTimes, withoutPlaces } from "../../src/report/runs.js";
import { toWeeks } from "../../src/report/weeks.js";
import type { LogEntry } from "../../src/store/log.js";
import type { PathVerdict } from "../../src/verification/verdicts.js";
import { fileOf, reportOf } from "../support/report-data.js";

const entry = (path: string, oid = "1", mode = "100644"): SizedEntry => ({ path, oid, mode, bytes: 10 });

function verdict(
  filePath: string,
  drift: PathVerdict["drift"],
  oid: string | null,
  analysedOid: string | null,
): PathVerdict {
  return { filePath, drift, changeLevel: "STRUCTURAL", details: [`about ${filePath}`], oid, analysedOid };
}

const NOTHING: KnownFile = {
  tree: [],
  covers: () => true,
  analysed: () => "1",
  changes: [],
  symbolsOf: () => [],
  imports: [],
  pending: new Set(),
  dependents: new Set(),
  dirty: new Set(),
};

test("every covered file of HEAD is there, and those that went; links and submodules are not", () => {
  const { files, uncovered } = toFiles({
    ...NOTHING,
    tree: [
      entry("b.ts"),
      entry("a.ts", "2"),
      entry("link", "3", "120000"),
      entry("sub", "4", "160000"),
      entry("x.png"),
    ],
    covers: (path) => path.endsWith(".ts"),
    changes: [verdict("a.ts", "interface", "2", "1"), verdict("old.ts", "gone", null, "9")],
    pending: new Set(["a.ts"]),
    dependents: new Set(["b.ts"]),
    dirty: new Set(["b.ts"]),
    imports: [
      ["b.ts", "a.ts"],
      ["old.ts", "a.ts"],
      ["nowhere.ts", "a.ts"],
    ],
  });
  assert.deepEqual(files, [
    {
      ...{ path: "a.ts", bytes: 10, drift: "interface", oid: "2", analysed: "1", details: ["about a.ts"] },
      ...{ pending: true, importedBy: [1, 2] },
    },
    { path: "b.ts", bytes: 10, drift: "none", oid: "1", dependent: true, dirty: true },
    { path: "old.ts", bytes: null, drift: "gone", oid: null, analysed: "9", details: ["about old.ts"] },
  ]);
  assert.equal(uncovered, 1, "the picture");
  assert.deepEqual(countShades(files), {
    none: 1,
    cosmetic: 0,
    body: 0,
    behaviour: 0,
    interface: 1,
    new: 0,
    gone: 1,
    unknown: 0,
  });
});

test("a changed file has its changed symbols, each with who described it", () => {
  const symbol = { type: "function", name: "f", change: "behaviour", describedBy: "here", describedAt: "2026-01-02" };
  const changes = [verdict("a.ts", "behaviour", "2", "1")];
  const { files } = toFiles({
    ...NOTHING,
    tree: [entry("a.ts", "2"), entry("b.ts")],
    changes,
    symbolsOf: () => [symbol],
  });
  assert.deepEqual(
    files.map(({ path, symbols }) => [path, symbols]),
    [
      ["a.ts", [symbol]],
      ["b.ts", undefined],
    ],
  );
});

test("what could not be compared is unknown, never fresh", () => {
  const { files } = toFiles({ ...NOTHING, tree: [entry("a.ts")], changes: null });
  assert.equal(files[0]?.drift, "unknown");
});

test("sizes come from git's long listing; a blob that a partial clone lacks has none", () => {
  const listing = ["100644 blob aa     12\tplain", "160000 commit bb       -\tsub", "100644 blob cc     BAD\taway", ""];
  assert.deepEqual(
    parseSizedTree(Buffer.from(listing.join("\0"))).map(({ path, oid, bytes }) => [path, oid, bytes]),
    [
      ["plain", "aa", 12],
      ["sub", "bb", null],
      ["away", "cc", null],
    ],
  );
});

const logged = (change: Partial<LogEntry>): LogEntry => ({
  ...{ at: "2026-01-02T03:04:05.000Z", view: ".", events: ["post-commit"], head: "c1", outcome: "settled" },
  ...{ action: "SKIP", reason: "nothing", parses: 0, ms: 5, ...change },
});

test("runs are listed newest first, with the commit's subject; a line of the log that is not ours is passed over", () => {
  const foreign = [null, 7, {}, { at: 1 }] as unknown as LogEntry[];
  const log = [logged({}), ...foreign, logged({ head: "c2", reason: "see /home/me/harbour/.git/x" })];
  const runs = toRuns(
    log,
    new Map([["c1", "First"]]),
    withoutPlaces(["/home/me/harbour/.git", "/home/me/harbour", null]),
  );
  assert.deepEqual(
    runs.map(({ head, subject, reason }) => [head, subject, reason]),
    [
      ["c2", null, "see x"],
      ["c1", "First", "nothing"],
    ],
  );
});

test("weeks count decisions and descriptions, one without a run too; a time that is none is passed over", () => {
  const log = [
    logged({ at: "2026-01-04T23:59:59.000Z", action: "PARTIAL_UPDATE" }), // a Sunday
    logged({ at: "2026-01-05T00:00:00.000Z" }), // a Monday
    logged({ at: "2026-01-20T12:00:00.000Z" }),
    logged({ at: "2026-01-21T12:00:00.000Z", action: "FULL_UPDATE" }),
    logged({ at: "never" }),
    { ...logged({}), action: undefined } as unknown as LogEntry,
  ];
  const described = [
    { day: "2026-01-14", count: 3 },
    { day: "2025-01-01", count: 7 },
    { day: "", count: 1 },
  ];
  assert.deepEqual(toWeeks(log, described), [
    { from: "2025-12-29", runs: 1, free: 0, described: 0 },
    { from: "2026-01-05", runs: 1, free: 1, described: 0 },
    { from: "2026-01-12", runs: 0, free: 0, described: 3 },
    { from: "2026-01-19", runs: 2, free: 1, described: 0 },
  ]);
  assert.deepEqual(toWeeks([], described), []);
});

test("weeks are those before the last run, and at most half a year of them", () => {
  const ends = [logged({ at: "1971-01-01T00:00:00.000Z" }), logged({ at: "2026-01-01T00:00:00.000Z" })];
  const weeks = toWeeks(ends, []);
  assert.deepEqual([weeks.length, weeks.at(-1)?.runs, weeks[0]?.from], [26, 1, "2025-07-07"]);
});

test("times are ones that were measured, with and without parsing apart", () => {
  assert.equal(spreadOf([]), null);
  assert.deepEqual(spreadOf([30, 10, 20]), { runs: 3, median: 20, p90: 30, max: 30 });
  const { all, known, parsed } = toTimes(
    [
      { ms: 4, parses: 0 },
      { ms: 90, parses: 2 },
    ],
    "detached",
    null,
  );
  assert.deepEqual([all?.runs, known?.median, parsed?.median], [2, 4, 90]);
});

test("what is embedded cannot end the script that holds it, and reads back as it was", () => {
  const hostile = { a: "</script><script>alert(1)</script>", b: "\u2028\u2029<!--", c: "\udc80 {{script}} $& $1" };
  const text = embed(hostile);
  assert.doesNotMatch(text, /[<>\u2028\u2029]/);
  assert.deepEqual(JSON.parse(text), hostile);
});

test("names that look like placeholders or markup stay names", () => {
  const files = [fileOf("{{script}}/$&/</script>.ts")];
  const name = `<img src=x onerror=alert(1)>"'`;
  const parts = { html: "<title>{{title}}</title>{{data}}|{{script}}", style: "", script: "run()" };
  const base = reportOf({ files });
  const page = renderPage(parts, { ...base, project: { ...base.project, name } });
  assert.ok(page.endsWith("|run()"), page);
  assert.equal(page.split("run()").length, 2, "the script is there once");
  assert.doesNotMatch(page, /<img|<\/script/);
});

test("the policy lets nothing run or load but the page's own style and script", () => {
  const page = pageOf(reportOf());
  const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? "";
  const hash = (text: string | undefined) =>
    createHash("sha256")
      .update(text ?? "none")
      .digest("base64");
  assert.match(policy, /^default-src 'none';/);
  assert.ok(policy.includes(`script-src 'sha256-${hash(/<script>([\s\S]*?)<\/script>/.exec(page)?.[1])}'`), policy);
  assert.ok(policy.includes(`style-src 'sha256-${hash(/<style>([\s\S]*?)<\/style>/.exec(page)?.[1])}'`), policy);
  const markup = page.replace(/<(style|script)[\s\S]*?<\/\1>/g, "");
  assert.doesNotMatch(markup, / on\w+=| style=|https?:|src=|@import/);
  assert.doesNotMatch(page, /url\(|\{\{\w+\}\}/);
});
