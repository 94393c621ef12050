import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePush } from "../../src/sharing/transport.js";

const rejected = (summary: string) =>
  parsePush(`To https://forge.example/team.git\n!\tabc:refs/ua-hooks/descriptions/v1/a\t${summary}\nDone\n`);

test("nothing said is a push that went well", () => {
  assert.deepEqual(parsePush(""), { state: "pushed" });
});

test("the remote has another tip: the own segments go on top of it", () => {
  for (const why of ["non-fast-forward", "fetch first", "stale info"])
    assert.deepEqual(rejected(`[rejected] (${why})`), { state: "moved" });
});

test("a lock of another push, or a disk that cannot be written: tried again", () => {
  for (const reason of [
    "failed to update ref",
    "cannot lock ref 'refs/x': is at 1 but expected 2",
    "cannot lock ref 'refs/x': Unable to create '/srv/x.lock': File exists.",
    "reference already exists",
    "incorrect old value provided",
    "failed to lock",
    "unpacker error",
  ])
    assert.deepEqual(rejected(`[remote rejected] (${reason})`), { state: "busy", reason });
});

test("what a forge says that takes heads and tags only, or protects its refs, is a refusal: said once, with its words", () => {
  for (const reason of [
    "deny updating a hidden ref",
    "pre-receive hook declined",
    "hook declined",
    "funny refname",
    "prohibited by Gerrit: not permitted: create",
    "refusing to allow a token without `workflow` scope",
    "push to a locked repository",
    "blocked by policy: only refs/heads and refs/tags are allowed",
    "the name already exists in another namespace",
  ])
    assert.deepEqual(rejected(`[remote rejected] (${reason})`), { state: "refused", reason });
  assert.deepEqual(rejected("[remote rejected]"), { state: "refused", reason: "no reason given" });
});
