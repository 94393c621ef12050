import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Repo, repoAt } from "../support/repo.js";
import { describe, type Hub, makeHub, pull, push, shareOn } from "../support/team.js";

/** What a git command says to the server and hears from it, packet by packet: `<time> <place> packet: <command>> <text>`. */
function conversation(repo: Repo, ...args: string[]): string[] {
  const file = join(repo.base, "packets");
  repoAt(repo.dir, repo.base, { ...repo.env, GIT_TRACE_PACKET: file }).git(...args);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  rmSync(file, { force: true });
  const said = lines.flatMap((line) => / packet: +(?:fetch|clone)([<>] .*)$/.exec(line)?.[1] ?? []);
  assert.ok(said.length > 0, "something was said");
  return said;
}

/** An ordinary clone, without ua-hooks: what is said to make it, what it has, and how large that is. */
function ordinaryClone({ first, dir }: Hub, name: string) {
  const said = conversation(first, "clone", "-q", `file://${dir}`, join(first.base, name));
  const clone = first.at(join(first.base, name));
  const has = {
    refs: clone.git("for-each-ref"),
    log: clone.git("log", "--all", "--format=%H"),
    objects: clone.git("cat-file", "--batch-check", "--batch-all-objects"),
    size: clone.git("count-objects", "-v"),
  };
  return { said, has, fetched: conversation(clone, "fetch") };
}

test("an ordinary clone and an ordinary fetch are the same, packet for packet, with and without shared descriptions", (t) => {
  const hub = makeHub(t);
  hub.reachBy(`file://${hub.dir}`);
  const second = hub.clone("second");
  const before = ordinaryClone(hub, "before");
  const ownBefore = conversation(second, "fetch");
  const refsBefore = second.git("for-each-ref");
  for (const repo of [hub.first, second]) shareOn(repo);
  for (const path of ["src/a.ts", "src/b.ts"]) {
    describe(hub.first, [path], "agent");
    push(hub.first);
    assert.equal(pull(second).taken[0]?.added, 2);
  }
  assert.match(hub.first.git("ls-remote", "origin"), /refs\/ua-hooks\//);
  assert.deepEqual(ordinaryClone(hub, "after"), before);
  // Also in a clone that shares: its own repository has no ref and no object of it.
  assert.deepEqual(conversation(second, "fetch"), ownBefore);
  assert.equal(second.git("for-each-ref"), refsBefore);
});
