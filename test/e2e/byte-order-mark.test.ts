import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo } from "../support/repo.js";

const MARK = "\ufeff";

test("every JSON file may begin with a byte order mark", (t) => {
  const repo = installedRepo(t);
  const config = `${MARK}{ "refresh": "behaviour" }\n`;
  repo.commit("config", { ".ua-hooksrc.json": config, "package.json": `${MARK}{ "name": "a" }\n` });
  repo.write({ ".understand-anything/config.json": "{}\n" });
  for (const name of ["knowledge-graph.json", "fingerprints.json", "meta.json", "config.json"]) {
    const file = join(repo.dir, ".understand-anything", name);
    writeFileSync(file, MARK + readFileSync(file, "utf8"));
  }
  repo.write({ ".claude/settings.json": `${MARK}{ "env": {} }\n` });
  for (const args of [["status", "--json"], ["install", "--agent", "claude", "--yes"], ["run"], ["doctor"]]) {
    const { code, stdout, stderr } = repo.ua(...args);
    assert.ok(code === 0 || code === 1, `${args.join(" ")}: ${stdout}${stderr}`);
    assert.doesNotMatch(stdout + stderr, /cannot be read|not JSON|not valid JSON/, args.join(" "));
  }
  const { status } = JSON.parse(repo.ua("status", "--json").stdout) as { status: string };
  assert.notEqual(status, "unknown");

  repo.commit("pending", { "src/b.ts": "export function added(a: number): number {\n  return a;\n}\n" });
  const result = { nodes: [{ id: "file:src/b.ts", type: "file", filePath: "src/b.ts", summary: "Adds." }], edges: [] };
  writeFileSync(join(repo.base, "result.json"), MARK + JSON.stringify(result));
  const applied = repo.ua("apply", join(repo.base, "result.json"));
  assert.doesNotMatch(applied.stderr, /JSON/);
});
