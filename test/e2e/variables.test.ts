import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runProgram } from "../support/commands.js";
import { makeRepo, type Repo, repoAt, root, SMALL_PROJECT } from "../support/repo.js";

// Of our variables, people set UA_HOOKS and UA_HOOKS_FOREGROUND. test/e2e/package.test.ts finds no other one in the published text but those
// that our own processes set; here the published program runs with all of them set.

const FOLDERS = ["src", "hooks", "templates", "scripts", "bench", "test"];

/** Every name that stands anywhere in this repository. */
function variables(): string[] {
  const names = new Set<string>();
  for (const folder of FOLDERS)
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && /\.(ts|m?js|sh)$/.test(entry.name))
        for (const [name] of readFileSync(join(entry.parentPath, entry.name), "utf8").matchAll(
          /UA_HOOKS_[A-Z_]*[A-Z]/g,
        ))
          names.add(name);
  names.delete("UA_HOOKS_FOREGROUND");
  return [...names];
}

/** Values that have an effect where the variable is read: a fault at every point, no time at all, the other SQLite, an event that is done. */
const valuesIn = (dir: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(variables().map((name) => [name, "1"])),
  ...{ UA_HOOKS_FAULT: "*:kill", UA_HOOKS_GIT_TIMEOUT: "0.0001", UA_HOOKS_AGENT_TIMEOUT: "0.0001" },
  ...{ UA_HOOKS_SQLITE: "libsql", UA_HOOKS_CODE: join(dir, "code"), UA_HOOKS_CLI: join(dir, "cli.cjs") },
  ...{ UA_HOOKS_DONE: `post-commit ${dir}`, UA_HOOKS_PROBE: join(dir, "heard"), UA_HOOKS_VERSION: "0.0.0" },
});

/** Commands and hooks of the published program. */
function publishedRepo(t: TestContext): Repo {
  const made = makeRepo(t);
  const names = Object.entries(made.env).filter(([name]) => !name.startsWith("UA_HOOKS"));
  const env = { ...Object.fromEntries(names), UA_HOOKS_FOREGROUND: "1" };
  const repo = repoAt(made.dir, made.base, env);
  repo.ua = (...args) => runProgram(process.execPath, [join(root, "dist/cli.cjs"), ...args], { cwd: made.dir, env });
  repo.commit("start", SMALL_PROJECT);
  return repo;
}

/** Without an agent's hook: the published one has a second to answer, which a busy machine may not give it. */
function results(repo: Repo): unknown {
  assert.equal(repo.ua("install", "--yes").code, 0);
  repo.commit("wider", { "src/b.ts": "export function twice(x: number, y: number): number {\n  return x * y;\n}\n" });
  const { action, filesToReanalyze, dependents } = repo.marker() ?? assert.fail("no marker");
  const { status } = repo.uaJson("status");
  return { action, filesToReanalyze, dependents, status, left: readdirSync(repo.dir).sort() };
}

test("no variable but UA_HOOKS and UA_HOOKS_FOREGROUND changes what the published program does", (t) => {
  const [plain, changed] = [publishedRepo(t), publishedRepo(t)];
  Object.assign(changed.env, valuesIn(changed.dir));
  assert.ok(variables().includes("UA_HOOKS_FAULT"));
  const expected = results(plain);
  assert.match(JSON.stringify(expected), /"filesToReanalyze":\["src\/b\.ts"\]/);
  assert.deepEqual(results(changed), expected);
});
