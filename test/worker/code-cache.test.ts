import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { cli, makeRepo, type Repo, repoAt } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";

function installed(t: Parameters<typeof makeRepo>[0]): Repo {
  const made = makeRepo(t);
  const { UA_HOOKS_CODE: _shared, ...env } = made.env;
  const repo = repoAt(made.dir, made.base, env);
  startProject(repo);
  installInto(repo);
  return repo;
}

let edits = 0;

/** A commit whose changed parameter must be pending afterwards, whatever the kept code was. */
function judged(repo: Repo): void {
  repo.commit("parameter", {
    "src/b.ts": `export function twice(y${++edits}: number): number {\n  return y${edits};\n}\n`,
  });
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  assert.equal(repo.marker()?.head.commit, repo.head());
}

const folder = (repo: Repo) => join(repo.dir, ".git/ua-hooks/code/hook");
const kept = (repo: Repo) =>
  readdirSync(folder(repo)).map((name) => [
    name,
    statSync(join(folder(repo), name)).mtimeMs,
    statSync(join(folder(repo), name)).mode & 0o777,
  ]);

test("compiled code is kept once, and used from then on", (t) => {
  const repo = installed(t);
  judged(repo);
  const first = kept(repo);
  assert.deepEqual(first.map(([name]) => String(name).split(".cjs.")[0]).sort(), ["tree-sitter", "verify"]);
  assert.ok(first.every(([, , mode]) => mode === 0o600));
  judged(repo);
  assert.deepEqual(kept(repo), first, "V8 took what was kept: nothing was written again");
});

test("code that is loaded after the parser is kept and used, too: V8's flags are others then", (t) => {
  const repo = installed(t);
  assert.equal(repo.ua("install", "--mode", "inline").code, 0);
  const change = () => repo.commit("body", { "src/b.ts": `export const twice = (x: number) => x * ${++edits};\n` });
  change();
  const first = kept(repo);
  assert.ok(
    first.some(([name]) => String(name).startsWith("program.")),
    "the structural analyzer ran",
  );
  change();
  assert.deepEqual(kept(repo), first);
});

test("what V8 refuses is made anew; what another program left goes", (t) => {
  const repo = installed(t);
  judged(repo);
  for (const [name] of kept(repo)) writeFileSync(join(folder(repo), String(name)), "not what V8 wrote");
  writeFileSync(join(folder(repo), "older.cjs.1.2.v20.0.0-x64"), "of an older program");
  judged(repo);
  assert.ok(kept(repo).every(([name]) => statSync(join(folder(repo), String(name))).size > 1000));
  const made = kept(repo);
  judged(repo);
  assert.deepEqual(kept(repo), made);
});

test("a wrong byte, on which V8 would crash, is seen before V8 sees it", (t) => {
  const repo = installed(t);
  judged(repo);
  for (const copy of [0, 1]) {
    for (const [name] of kept(repo)) {
      const file = join(folder(repo), String(name));
      const bytes = readFileSync(file);
      // Of one copy: the same bytes wrong in both is what no disk does, and what nobody would see.
      const start = (copy * bytes.length) / 2;
      for (let at = start + 100; at < start + bytes.length / 2; at += 1000) bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      writeFileSync(file, bytes);
    }
    judged(repo);
    assert.equal(repo.has(".git/ua-hooks/code/hook"), true, "nobody crashed");
  }
});

test("each command and verb keeps its own and loads one file; what an older program left goes", (t) => {
  const repo = installed(t);
  const code = join(repo.dir, ".git/ua-hooks/code");
  mkdirSync(join(code, "log"), { recursive: true });
  writeFileSync(join(code, "log/older.cjs.1.2.v20.0.0-x64"), "");
  repo.git("init", "-q", "--bare", join(repo.base, "hub.git"));
  repo.git("remote", "add", "origin", join(repo.base, "hub.git"));
  assert.equal(repo.ua("share", "on", "--yes", "--trust", "pushers").code, 0);
  const commands = { status: "program", log: "program", "record relevant src/b.ts": "quick", "record list": "quick" };
  for (const [command, file] of Object.entries({ ...commands, "registry ls": "quick", "share sync": "quick" })) {
    const [name = "", ...args] = command.split(" ");
    assert.equal(repo.ua(name, ...args).code, 0);
    const folder = join(code, file === "quick" ? `${name}-${args[0]}` : name);
    assert.deepEqual(
      readdirSync(folder).map((one) => one.split(".")[0]),
      [file],
      command,
    );
  }
});

test("a Node that dies on it takes it along, and git notices nothing", (t) => {
  const repo = installed(t);
  judged(repo);
  const [, ...rest] = repo.read(".git/ua-hooks/env").split("\n");
  repo.write({ ".git/ua-hooks/env": ["/bin/false", ...rest].join("\n") });
  const { code, stdout, stderr } = repo.tryGit("commit", "-q", "--allow-empty", "-m", "dies");
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
  assert.equal(repo.has(".git/ua-hooks/code"), false);
});

test("if the cache cannot be written, the verdict is the same", (t) => {
  const repo = installed(t);
  rmSync(join(repo.dir, ".git/ua-hooks/code"), { recursive: true, force: true });
  repo.write({ ".git/ua-hooks/code": "a file where the folder should be" });
  judged(repo);
});

test("a disk without room gets no half of a cache at every run", (t) => {
  const repo = installed(t);
  const code = join(repo.dir, ".git/ua-hooks/code");
  rmSync(code, { recursive: true, force: true });
  const args = ["-c", 'ulimit -f 8; exec "$0" "$@"', process.execPath, cli, "log"];
  assert.equal(spawnSync("sh", args, { cwd: repo.dir, env: repo.env }).status, 0);
  assert.deepEqual(readdirSync(join(code, "log")), []);
});

test("a diff that git could not make, or that is another one's, is asked for again", (t) => {
  const repo = installed(t);
  const from = repo.read(".git/ua-hooks/proofs/main").split("\n")[0] ?? "";
  const quietly = { ...repo.env, UA_HOOKS: "0" };
  const hook = join(repo.dir, ".git/ua-hooks/runtime/hook.cjs");
  for (const [at, input] of [
    "",
    "end",
    ":000000 garbage\0x\0",
    `:100644 100644 ${from} ${from} M\0src/none.ts\0`,
  ].entries()) {
    repo.write({ "src/b.ts": `export function twice(z${at}: number): number {\n  return z${at};\n}\n` });
    spawnSync("git", ["commit", "-qam", "quiet"], { cwd: repo.dir, env: quietly });
    const last = repo.read(".git/ua-hooks/proofs/main").split("\n")[0] ?? "";
    // "end" alone would be a true answer (nothing differs) for other commits: the last but one, here.
    const args = ["event", "post-commit", input === "end" ? repo.head() : last, repo.head()];
    const { status } = spawnSync(process.execPath, [hook, ...args], { cwd: repo.dir, env: repo.env, input });
    assert.equal(status, 0);
    assert.equal(repo.marker()?.head.commit, repo.head());
    assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"], `after ${JSON.stringify(input)}`);
  }
});
