import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cli, dist, installedRepo, start } from "../../support/repo.js";

/** 147 MB, so no dependency of ours: `npm install --no-save @modelcontextprotocol/inspector`, or its path in a variable. */
const inspector = process.env.UA_HOOKS_INSPECTOR ?? join(dist, "../node_modules/.bin/mcp-inspector");
const skip = existsSync(inspector) ? false : "the MCP inspector is not installed";

test("the inspector's CLI lists tools and resources without a warning", { skip }, async (t) => {
  const repo = installedRepo(t);
  const ask = (...args: string[]) =>
    start(inspector, ["--cli", process.execPath, cli, "mcp", ...args], { cwd: repo.dir, env: repo.env });
  const listed = await ask("--method", "tools/list");
  assert.deepEqual([listed.code, listed.stderr], [0, ""]);
  const { tools } = JSON.parse(listed.stdout) as { tools: { name: string }[] };
  assert.ok(tools.some(({ name }) => name === "get_freshness"));
  const templates = await ask("--method", "resources/templates/list");
  assert.match(templates.stdout, /ua:\/\/graph\/\{node\}/);
  const called = await ask("--method", "tools/call", "--tool-name", "get_freshness");
  assert.deepEqual([called.code, called.stderr], [0, ""]);
  assert.equal(
    (JSON.parse(called.stdout) as { structuredContent: { status: string } }).structuredContent.status,
    "fresh",
  );
});
