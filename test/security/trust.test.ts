import assert from "node:assert/strict";
import { chmodSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo, type Repo } from "../support/repo.js";
import { setTraps } from "../support/trap.js";
import { detachedRepo, quiet, workersOf } from "../support/workers.js";

const wider = (by: string) => `export function twice(x: number, ${by} = 1): number {\n  return x * ${by};\n}\n`;
const waits = (repo: Repo) => readFileSync(join(repo.dir, ".git/ua-hooks/env"), "utf8").split("\n")[2];

test("a trusted command does not run when a pull changes a script that it finds by Node's rules", (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  const command = ["node", "tools/an"];
  const config = { ".ua-hooksrc.json": JSON.stringify({ analyzer: { command } }) };
  repo.commit("ours", { ...config, "tools/an.js": traps.javascript("ours"), "src/b.ts": wider("first") });
  assert.match(repo.ua("trust").stdout, /with the current content of tools\/an\.js/);
  repo.ua("run");
  assert.deepEqual(traps.sprung(), ["ours"], "the trap works");
  repo.commit("theirs", { "tools/an.js": traps.javascript("theirs"), "src/b.ts": wider("second") });
  assert.match(repo.ua("run").stderr, /not trusted in this clone/);
  repo.commit("another file of that name", {
    "tools/an": traps.javascript("before"),
    "tools/an.js": traps.javascript("ours"),
  });
  assert.match(repo.ua("run").stderr, /not trusted in this clone/);
  assert.deepEqual(traps.sprung(), []);
});

test("a trusted script does not run when a pull changes the interpreter of its first line, or where a link leads", (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  const config = { ".ua-hooksrc.json": JSON.stringify({ analyzer: { command: ["./tools/a.sh"] } }) };
  repo.commit("ours", {
    ...config,
    "tools/a.sh": "#!tools/interp\n",
    "tools/real": "#!/bin/sh\necho '{}'\n",
    "src/b.ts": wider("first"),
  });
  symlinkSync("real", join(repo.dir, "tools/interp"));
  for (const name of ["a.sh", "real"]) chmodSync(join(repo.dir, "tools", name), 0o755);
  repo.git("add", "-A");
  repo.git("commit", "-qm", "run bits");
  assert.match(repo.ua("trust").stdout, /with the current content of tools\/interp/);
  const trusted = () => repo.uaJson<{ analyzer: { trusted: boolean } }>("status").analyzer.trusted;
  assert.equal(trusted(), true);
  const trap = `#!/bin/sh\nexec ${traps.program("theirs")}\n`;
  repo.commit("theirs", { "tools/real": trap, "src/b.ts": wider("second") });
  assert.match(repo.ua("run").stderr, /not trusted in this clone/);
  assert.equal(trusted(), false);
  assert.equal(repo.ua("trust").code, 0);
  repo.ua("run");
  assert.deepEqual(traps.sprung(), ["theirs"], "the trap works");
  rmSync(join(repo.dir, "tools/interp"));
  symlinkSync(traps.program("elsewhere"), join(repo.dir, "tools/interp"));
  repo.ua("run");
  assert.deepEqual(traps.sprung(), []);
});

test("a pull between two tries of a trusted command: the second one does not run", (t) => {
  const repo = installedRepo(t);
  const ran = join(repo.base, "ran");
  // Its answer cannot be used, so that it is tried again; meanwhile a pull changes the script.
  const script = `require("node:fs").appendFileSync(${JSON.stringify(ran)}, "x");
require("node:fs").appendFileSync(__filename, "// pulled\\n");
process.stdin.resume();
console.log("not a result");
`;
  const config = JSON.stringify({ analyzer: { command: ["node", "tools/an.js"] } });
  repo.commit("ours", { ".ua-hooksrc.json": config, "tools/an.js": script, "src/b.ts": wider("first") });
  assert.equal(repo.ua("trust").code, 0);
  assert.match(repo.ua("run").stderr, /not trusted in this clone/);
  assert.equal(readFileSync(ran, "utf8"), "x");
});

test("a command that cannot be covered is refused by name, and stays untrusted", (t) => {
  const repo = installedRepo(t);
  const command = ["sh", "-c", "node tools/an.js"];
  repo.commit("config", { ".ua-hooksrc.json": JSON.stringify({ analyzer: { command } }), "src/b.ts": wider("by") });
  const refused = repo.ua("trust");
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /sh -c: what it runs cannot be followed/);
  assert.deepEqual(repo.uaJson("status").analyzer, { command, trusted: false });
});

test("trust that another user may have written is no trust", (t) => {
  const repo = installedRepo(t);
  const command = ["node", "an.js"];
  repo.write({ ".ua-hooksrc.json": JSON.stringify({ analyzer: { command } }), "an.js": "" });
  assert.equal(repo.ua("trust").code, 0);
  const trusted = () => repo.uaJson<{ analyzer: { trusted: boolean } }>("status").analyzer.trusted;
  assert.equal(trusted(), true);
  for (const name of ["", "state.db"]) {
    const path = join(repo.dir, ".git/ua-hooks", name);
    chmodSync(path, name === "" ? 0o770 : 0o660);
    assert.equal(trusted(), false, path);
    assert.match(repo.ua("trust").stderr, /can be written by other users/);
    chmodSync(path, name === "" ? 0o700 : 0o600);
  }
  assert.equal(trusted(), true);
});

test("a checkout cannot make git wait: execution: foreground counts after trust, with the very values that were shown", async (t) => {
  const repo = detachedRepo(t);
  const config = (more = {}) => ({ ".ua-hooksrc.json": JSON.stringify({ execution: "foreground", ...more }) });
  repo.commit("config", config());
  await quiet(repo);
  assert.equal(waits(repo), "detached");
  assert.match(repo.ua("status").stdout, /Ignored +\{"execution":"foreground".*ua-hooks trust/);
  assert.match(repo.ua("install", "--yes").stdout, /execution: foreground in the config is ignored until/);
  assert.equal(waits(repo), "detached");

  assert.match(repo.ua("trust").stdout, /git waits for the result, with\n {2}execution: "foreground"\n/);
  assert.equal(waits(repo), "foreground");
  assert.equal(repo.uaJson("status").ignored, null);
  repo.commit("due", { "src/b.ts": wider("by") });
  assert.equal(repo.marker()?.head.commit, repo.head(), "git has waited");

  repo.commit("slower", config({ parseBudgetMs: 4000 }));
  await quiet(repo);
  assert.equal(waits(repo), "detached");
  assert.deepEqual(repo.uaJson<{ ignored: object }>("status").ignored, {
    ...{ execution: "foreground", mode: "marker", maxFileBytes: 1_048_576, parseBudgetMs: 4000 },
  });
  assert.equal(repo.ua("trust").code, 0);
  assert.equal(repo.ua("trust", "--revoke").code, 0);
  assert.equal(waits(repo), "detached");
  assert.deepEqual(workersOf(repo), []);
});
