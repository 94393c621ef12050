import assert from "node:assert/strict";
import { summaries } from "../support/agent.js";
import { describe, makeHub, pull, shareOn, stored } from "../support/team.js";
import type { Way } from "./harness.js";
import { ok, withEnv } from "./world.js";

/** One file for each of two clones: what each of them describes is new every time. */
const content = (name: string, count: number) =>
  `export function ${name}(p${count}: number): number {\n  return p${count};\n}\n`;

/** A clone that has something to send and something to fetch. */
export const sharing: Way = {
  name: "ua-hooks share sync",
  hits: "command",
  open(t) {
    const { first, clone } = makeHub(t);
    const repo = clone("second");
    shareOn(first);
    shareOn(repo);
    let count = 0;
    const work = (who: typeof repo, path: string) => {
      withEnv(who, { UA_HOOKS: "0" }).git("pull", "-q", "--rebase");
      who.commit(`edit ${count}`, { [path]: content(path.replace(/\W/g, ""), count) });
      who.git("push", "-q");
      describe(who, [path], `words ${count}`);
    };
    const sync = (env: NodeJS.ProcessEnv = {}) => withEnv(repo, env).ua("share", "sync");
    const has = (who: typeof repo, path: string) =>
      stored(who).some((line) => line.path === path && line.text.summary === `words ${count}: ${path}`);
    return {
      repo,
      prepare: () => {
        count++;
        work(first, "src/theirs.ts");
        describe(first, ["src/a.ts"], `words ${count}`); // not pending anywhere
        ok(first.ua("share", "push"), "theirs is there");
        work(repo, "src/ours.ts");
      },
      act: sync,
      after: () => {
        ok(sync(), "again");
        assert.ok(has(repo, "src/theirs.ts"), "theirs arrived");
        assert.equal(repo.marker(), null, "and is not pending");
        assert.equal(summaries(repo).get("file:src/a.ts"), `words ${count}: src/a.ts`, "and the graph shows it");
        pull(first);
        assert.ok(has(first, "src/ours.ts"), "ours arrived");
        assert.ok(has(repo, "src/ours.ts"), "and is here");
      },
    };
  },
};
