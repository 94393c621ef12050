import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { summaries } from "../support/agent.js";
import { type Repo, repoAt } from "../support/repo.js";
import { describe, makeHub, pull, push, shareOn, stored, sync } from "../support/team.js";

const WIDER = "export function twice(x: number, by = 2): number {\n  return x * by;\n}\n";

test("one clone describes a change, another pulls it, and nothing is pending there", (t) => {
  const hub = makeHub(t);
  const second = hub.clone("second");
  const author = shareOn(hub.first);
  shareOn(second);
  hub.first.commit("wider", { "src/b.ts": WIDER });
  describe(hub.first, ["src/b.ts"], "agent");
  assert.equal(push(hub.first).added, 0, "the commit is not on the remote yet");
  hub.first.git("push", "-q");
  assert.deepEqual({ added: push(hub.first).added, again: push(hub.first).added }, { added: 2, again: 0 });

  second.git("pull", "-q");
  assert.deepEqual(second.marker()?.filesToReanalyze, ["src/b.ts"]);
  const { taken, settled } = pull(second);
  assert.deepEqual(taken, [{ author, added: 2, refused: 0 }]);
  assert.equal(settled.files, 1);
  assert.equal(second.marker(), null);
  assert.equal(second.uaJson("status").status, "fresh");
  assert.equal(summaries(second).get("function:src/b.ts:twice"), "agent: twice");
  assert.deepEqual(
    stored(second).map(({ source, author: by }) => [source, by]),
    [
      ["shared", author],
      ["shared", author],
    ],
  );
  assert.deepEqual(pull(second).taken, [], "the second time there is nothing new");
  assert.match(second.ua("log").stdout, new RegExp(`described by ${author}.*tokens saved`));
  assert.match(second.ua("status").stdout, /2 descriptions of 1 author.*tokens? saved/);
});

test("what was pulled before the commit arrives is there when it arrives", (t) => {
  const hub = makeHub(t);
  const second = hub.clone("second");
  shareOn(hub.first);
  shareOn(second);
  hub.first.commit("wider", { "src/b.ts": WIDER });
  hub.first.git("push", "-q");
  describe(hub.first, ["src/b.ts"], "agent");
  push(hub.first);
  assert.equal(pull(second).settled.files, 0);
  second.git("pull", "-q");
  assert.equal(second.marker(), null);
  assert.equal(summaries(second).get("file:src/b.ts"), "agent: src/b.ts");
});

test("a fresh clone without a description shows what others wrote, and none of it becomes its own", (t) => {
  const hub = makeHub(t);
  shareOn(hub.first);
  describe(hub.first, ["src/a.ts", "src/b.ts"], "agent");
  push(hub.first);
  const second = hub.clone("second");
  shareOn(second);
  pull(second);
  assert.equal(summaries(second).get("function:src/a.ts:add"), "agent: add");
  // Another tool writes the graph again, with the same texts for other contents.
  second.commit("body", { "src/a.ts": second.read("src/a.ts").replace("twice(x) + y", "y + twice(x)") });
  second.write({
    ".understand-anything/knowledge-graph.json": second
      .read(".understand-anything/knowledge-graph.json")
      .replace(/"analyzedAt": "[^"]*"/, '"analyzedAt": "2031-01-01T00:00:00.000Z"'),
  });
  second.uaJson("status");
  describe(second, ["src/a.ts"], "agent"); // an agent that repeats what it read
  assert.deepEqual([...new Set(stored(second).map(({ source }) => source))], ["shared"]);
  second.git("push", "-q");
  assert.equal(push(second).added, 0);
});

test("rank: what is described here stands, whatever others share for the same content", (t) => {
  const hub = makeHub(t);
  const second = hub.clone("second");
  for (const repo of [hub.first, second]) shareOn(repo);
  describe(hub.first, ["src/b.ts"], "theirs");
  describe(second, ["src/b.ts"], "ours");
  push(hub.first);
  pull(second);
  assert.equal(summaries(second).get("function:src/b.ts:twice"), "ours: twice");
  assert.equal(stored(second).filter(({ source }) => source === "here").length, 2);
});

test("trust none takes nothing in, and does not even fetch", (t) => {
  const hub = makeHub(t);
  const second = hub.clone("second");
  shareOn(hub.first);
  shareOn(second, "none");
  describe(hub.first, ["src/b.ts"], "agent");
  push(hub.first);
  rmSync(hub.dir, { recursive: true });
  assert.deepEqual(pull(second).taken, []);
  assert.deepEqual(stored(second), []);
});

test("forget removes what an author shared, also from the graph; the others' stays", (t) => {
  const hub = makeHub(t);
  const [second, third] = [hub.clone("second"), hub.clone("third")];
  const [one, two] = [hub.first, second, third].map((repo) => shareOn(repo));
  describe(hub.first, ["src/b.ts"], "agent");
  describe(second, ["src/b.ts"], "agent"); // the same text: first come
  describe(second, ["src/a.ts"], "second");
  push(hub.first);
  push(second);
  pull(third);
  assert.equal(summaries(third).get("function:src/b.ts:twice"), "agent: twice");
  assert.equal(third.uaJson("share", "forget", two ?? "").forgotten, true);
  assert.notEqual(summaries(third).get("function:src/a.ts:add"), "second: add");
  assert.equal(summaries(third).get("function:src/b.ts:twice"), "agent: twice", "the first author has it, too");
  assert.deepEqual([...new Set(stored(third).map(({ author }) => author))], [one]);
  describe(second, ["tools/run.py"], "second");
  push(second);
  assert.deepEqual(pull(third).taken, [], "nothing more is taken in");
  third.uaJson("share", "forget", two ?? "", "--undo");
  pull(third);
  assert.equal(summaries(third).get("function:src/a.ts:add"), "second: add");
});

test("sync sends and fetches; off --delete removes the own ref and nothing else", (t) => {
  const hub = makeHub(t);
  const second = hub.clone("second");
  const [one, two] = [shareOn(hub.first), shareOn(second)];
  describe(hub.first, ["src/b.ts"], "first");
  describe(second, ["src/a.ts"], "second");
  assert.equal(sync(hub.first).pushed.added, 2);
  const { pulled, pushed } = sync(second);
  assert.deepEqual([pulled.taken.length, pushed.state], [1, "pushed"]);
  const refs = () =>
    hub.first
      .git("ls-remote", "origin", "refs/ua-hooks/*")
      .split("\n")
      .map((line) => line.split("/").at(-1));
  assert.deepEqual(refs().sort(), [one, two].sort());
  assert.deepEqual(
    Object.keys(second.uaJson<{ onRemote: object }>("share", "status", "--remote").onRemote).sort(),
    [one, two].sort(),
  );
  assert.equal(hub.first.uaJson("share", "off", "--delete").deleted, true);
  assert.deepEqual(refs(), [two]);
  assert.equal(hub.first.ua("share", "pull").code, 3);
  assert.equal(second.git("for-each-ref", "refs/ua-hooks"), "", "no ref in the user's own repository");
  assert.ok(second.has(join(".git", "ua-hooks", "sharing.git", "HEAD")));
});

/** The git commands that a command of ours starts, sorted; what git itself starts has a longer id. */
function gitCommandsOf(repo: Repo, ...args: string[]): string[] {
  const file = join(repo.base, "trace2");
  rmSync(file, { force: true });
  const traced = repoAt(repo.dir, repo.base, { ...repo.env, GIT_TRACE2_EVENT: file });
  assert.equal(traced.ua(...args).code, 0);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const events = lines.map((line) => JSON.parse(line) as { event: string; sid: string; name?: string });
  return events
    .flatMap(({ event, sid, name }) => (event === "cmd_name" && !sid.includes("/") ? [name ?? ""] : []))
    .sort();
}

test("a sync asks git for each thing once; what was sent is not looked at again in the next one", (t) => {
  const { first } = makeHub(t);
  shareOn(first);
  describe(first, ["src/a.ts"], "before");
  sync(first);
  const nothing = ["config", "fetch", "for-each-ref"];
  assert.deepEqual(gitCommandsOf(first, "share", "pull"), nothing);
  describe(first, ["src/b.ts"], "one");
  assert.deepEqual(
    gitCommandsOf(first, "share", "sync"),
    [...nothing, "fast-import", "ls-tree", "push", "rev-list"].sort(),
  );
  assert.deepEqual(gitCommandsOf(first, "share", "sync"), [...nothing, "push"]);
});

test("switched off and on again a clone goes on under its name; its ref can be removed later, too", (t) => {
  const { first } = makeHub(t);
  const author = shareOn(first, "pushers");
  describe(first, ["src/b.ts"], "agent");
  assert.equal(push(first).added, 2);
  first.uaJson("share", "off");
  const again = first.uaJson<{ author: string; trust: string }>("share", "on", "--yes");
  assert.deepEqual([again.author, again.trust], [author, "none"], "whom to trust is said anew");
  assert.equal(push(first).added, 0);
  first.uaJson("share", "off");
  assert.equal(first.uaJson("share", "off", "--delete").deleted, true);
  assert.equal(first.git("ls-remote", "origin", "refs/ua-hooks/*"), "");
  assert.equal(first.ua("share", "off", "--delete").code, 3, "nothing is left to remove");
  assert.notEqual(shareOn(first), author);
});
