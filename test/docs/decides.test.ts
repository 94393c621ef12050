import assert from "node:assert/strict";
import { test } from "node:test";
import { pageText } from "../support/docs.js";
import { installedRepo } from "../support/repo.js";

interface Example {
  title: string;
  before: string;
  after: string;
  drift: string;
  asked: Record<string, boolean>;
}

const EXAMPLE = /^## (.+)\n[\s\S]*?```diff\n([\s\S]*?)```\n\nDrift `(\w+)`\. Asked: (.+)\.$/gm;

function examples(): Example[] {
  return [...pageText("docs/how-it-decides.md").matchAll(EXAMPLE)].map(
    ([, title = "", diff = "", drift = "", asked = ""]) => {
      const side = (dropped: string) =>
        diff
          .split("\n")
          .filter((line) => !line.startsWith(dropped))
          .map((line) => line.slice(1))
          .join("\n");
      const answers = asked.split(", ").map((one) => /^`(\w+)` (yes|no)$/.exec(one));
      const entries = answers.map((answer): [string, boolean] => [answer?.[1] ?? "", answer?.[2] === "yes"]);
      return { title, before: side("+"), after: side("-"), drift, asked: Object.fromEntries(entries) };
    },
  );
}

test("every example of docs/how-it-decides.md is decided as the page says", (t) => {
  const all = examples();
  assert.equal(all.length, 6, "each section with a diff is an example");
  const path = (index: number) => `src/example${index}.ts`;
  const repo = installedRepo(t);
  const base = repo.commit("before", Object.fromEntries(all.map(({ before }, index) => [path(index), before])));
  repo.commit("change", Object.fromEntries(all.map(({ after }, index) => [path(index), after])));
  for (const refresh of ["structural", "behaviour", "every"]) {
    repo.write({ ".ua-hooksrc.json": JSON.stringify({ refresh }) });
    const { fileChanges, filesToReanalyze } = repo.uaJson("check", "--base", base) as {
      fileChanges: { filePath: string; drift: string }[];
      filesToReanalyze: string[];
    };
    for (const [index, { title, drift, asked }] of all.entries()) {
      const change = fileChanges.find(({ filePath }) => filePath === path(index));
      assert.equal(change?.drift, drift, title);
      assert.equal(filesToReanalyze.includes(path(index)), asked[refresh], `${title}: ${refresh}`);
    }
  }
});
