import assert from "node:assert/strict";
import { test } from "node:test";
import { installedRepo } from "../support/repo.js";

test("trust: shows the exact command, forgets it when it changes, and can be taken back", (t) => {
  const repo = installedRepo(t);
  const nothing = repo.ua("trust");
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /there is nothing to trust in the config/);
  const configure = (...command: string[]) =>
    repo.write({ ".ua-hooksrc.json": JSON.stringify({ analyzer: { command } }), "analyze.mjs": "// one\n" });
  configure("node", "analyze.mjs");
  assert.deepEqual(repo.uaJson("status").analyzer, { command: ["node", "analyze.mjs"], trusted: false });
  const { code, stdout } = repo.ua("trust");
  assert.equal(code, 0);
  assert.match(stdout, /Trusted in this clone: \["node","analyze.mjs"\]\n {2}with the current content of analyze.mjs/);
  assert.match(repo.ua("trust", "--revoke").stdout, /^Not trusted: \["node","analyze.mjs"\]/);
  const document = repo.uaJson("trust");
  assert.deepEqual(document, {
    ...{
      schema: "ua-hooks.trust/1",
      command: ["node", "analyze.mjs"],
      trusted: true,
      scripts: ["analyze.mjs"],
      agents: [],
    },
  });
});
