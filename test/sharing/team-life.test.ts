import assert from "node:assert/strict";
import { test } from "node:test";
import { summaries } from "../support/agent.js";
import { describe, makeHub, pull, push, shareOn, sync } from "../support/team.js";

const PARSER = "export function parse(text: string): string[] {\n  return text.split(',');\n}\n";
const WIDER = "export function parse(text: string, by = ','): string[] {\n  return text.split(by);\n}\n";
const REPORT =
  "import { parse } from './parse.js';\n\nexport function report(text: string): number {\n  return parse(text).length;\n}\n";

test("a team's life: one agent describes a branch, CI describes main at night, a third clone asks its agent nothing", (t) => {
  // Anna makes the project and switches sharing on; so do Ben, and the job that runs at night.
  const hub = makeHub(t);
  const anna = hub.first;
  const ben = hub.clone("ben");
  const night = hub.clone("night");
  const [ofAnna] = [shareOn(anna), shareOn(ben)];
  shareOn(night, "pushers", "--author", "ci");

  // On a branch, Anna's agent describes what she changed. The branch is on the remote, so the description may be, too.
  anna.git("checkout", "-q", "-b", "parser");
  anna.commit("parser", { "src/parse.ts": PARSER });
  anna.commit("separator", { "src/parse.ts": WIDER });
  assert.deepEqual(anna.marker()?.filesToReanalyze, ["src/parse.ts"]);
  describe(anna, ["src/parse.ts"], "anna");
  anna.git("push", "-q", "-u", "origin", "parser");
  assert.equal(push(anna).added, 2);

  // Meanwhile somebody without ua-hooks pushes to main.
  const other = hub.first.at(`${anna.base}/other`);
  anna.git("clone", "-q", hub.url, other.dir);
  other.commit("report", { "src/report.ts": REPORT.replace("./parse.js", "./b.js") });
  other.git("push", "-q");

  // At night CI describes what is on main and nobody has described.
  night.git("pull", "-q");
  sync(night);
  assert.deepEqual(night.marker()?.filesToReanalyze, ["src/report.ts"]);
  describe(night, ["src/report.ts"], "ci");
  assert.equal(push(night).added, 2);

  // In the morning Ben pulls code and descriptions, and merges Anna's branch.
  ben.git("pull", "-q");
  assert.deepEqual(ben.marker()?.filesToReanalyze, ["src/report.ts"]);
  const { taken, settled } = pull(ben);
  assert.deepEqual(taken.map(({ author }) => author).sort(), ["ci", ofAnna ?? ""].sort());
  assert.equal(settled.files, 1);
  assert.equal(ben.marker(), null);
  ben.git("merge", "-q", "--no-edit", "origin/parser");
  assert.equal(ben.marker(), null, "Anna's description was there before her commits");
  assert.equal(ben.uaJson("status").status, "fresh");
  assert.equal(summaries(ben).get("function:src/parse.ts:parse"), "anna: parse");
  assert.equal(summaries(ben).get("function:src/report.ts:report"), "ci: report");

  // His clone says from whom, and what that saved; and he has nothing to send that is not his.
  const report = ben.uaJson<{ savings: { author: string; files: number }[] }>("share", "status");
  assert.deepEqual(
    report.savings.map(({ author, files }) => [author, files]).sort(),
    [
      ["ci", 1],
      [ofAnna ?? "", 1],
    ].sort(),
  );
  assert.match(ben.ua("log").stdout, /described by ci \(shared\)/);
  ben.git("push", "-q");
  assert.equal(push(ben).added, 0);

  // A change of his own on top is asked about, and it alone.
  ben.commit("limit", { "src/report.ts": REPORT.replace("text: string)", "text: string, most = 9)") });
  assert.deepEqual(ben.marker()?.filesToReanalyze, ["src/report.ts"]);
});
