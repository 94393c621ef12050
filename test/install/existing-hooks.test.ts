import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { install } from "../../src/install/install.js";
import { uninstall as uninstallFrom } from "../../src/install/uninstall.js";
import { locateProject } from "../../src/repository/locate.js";
import { makeRepo, type Repo } from "../support/repo.js";
import { installInto, startProject } from "../support/round.js";
import { snapshot } from "../support/tree.js";

const HOOK = ".git/hooks/post-commit";

function repoWithHook(t: TestContext, text: string | Buffer, mode = 0o755): Repo {
  const repo = makeRepo(t);
  startProject(repo);
  repo.write({ [HOOK]: text });
  chmodSync(join(repo.dir, HOOK), mode);
  return repo;
}

const uninstall = (repo: Repo) => assert.equal(repo.ua("uninstall").code, 0);
const commitParameter = (repo: Repo) =>
  repo.commit("parameter", { "src/b.ts": repo.read("src/b.ts").replace("x: number", "x: number, y = 1") });

const SHELL_HOOKS: Record<string, string> = {
  plain: '#!/bin/sh\necho "$0" >>ran\n',
  "with set -eu": "#!/bin/sh\nset -eu\necho ran >>ran\n",
  "with env and bash": "#!/usr/bin/env bash\necho ran >>ran\n",
  "that execs": "#!/bin/sh\nexec sh -c 'echo ran >>ran'\n",
  "that exits early": "#!/bin/sh\necho ran >>ran\nexit 0\necho never\n",
  "without a final newline": "#!/bin/sh\necho ran >>ran",
  "without a shebang": "echo ran >>ran\n",
  "with bytes that are no UTF-8": "#!/bin/sh\n# \u00e9\u00ff\necho ran >>ran\n",
};

test("an existing shell hook goes on running, and is the same byte for byte after uninstall", async (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  const project = await locateProject({ cwd: repo.dir, env: {} });
  const no = async () => false;
  const switches = { dryRun: false, init: false, rebuild: false, team: false };
  const options = {
    ...switches,
    agents: null,
    shared: false,
    mayWriteSettings: async () => false,
    mayWriteTracked: no,
    onProgress: () => {},
  };
  for (const [what, text] of Object.entries(SHELL_HOOKS)) {
    const bytes = Buffer.from(text, "latin1");
    repo.write({ [HOOK]: bytes });
    chmodSync(join(repo.dir, HOOK), 0o750);
    await install(project, options);
    assert.equal(lstatSync(join(repo.dir, HOOK)).mode & 0o777, 0o750, what);
    repo.git("commit", "-q", "--allow-empty", "-m", what);
    assert.ok(repo.has("ran"), `${what}: it ran`);
    repo.git("clean", "-qf", "ran");
    assert.ok(repo.has(".git/ua-hooks/ua-hooks.log"), `${what}: ours ran`);
    rmSync(join(repo.dir, ".git/ua-hooks/ua-hooks.log"));
    await uninstallFrom(project, { purge: false });
    assert.deepEqual(readFileSync(join(repo.dir, HOOK)), bytes, what);
    assert.equal(lstatSync(join(repo.dir, HOOK)).mode & 0o777, 0o750, what);
  }
});

test("a hook in another language, a binary and a link are chained and come back as they were", (t) => {
  const python = "#!/usr/bin/env python3\nopen('ran', 'a').write('python\\n')\n";
  const node = `#!${process.execPath}\nrequire("fs").writeFileSync("ran", process.argv.slice(2).join());\n`;
  for (const text of [python, node]) {
    const repo = repoWithHook(t, text);
    installInto(repo);
    assert.equal(repo.read(`${HOOK}.before-ua-hooks`), text);
    installInto(repo, "--no-init");
    assert.equal(repo.read(`${HOOK}.before-ua-hooks`), text, "a second install does not chain twice");
    commitParameter(repo);
    assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
    if (text === node) assert.ok(repo.has("ran"), "the chained one ran");
    uninstall(repo);
    assert.equal(repo.read(HOOK), text);
    assert.equal(existsSync(join(repo.dir, `${HOOK}.before-ua-hooks`)), false);
  }
  const repo = repoWithHook(t, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]));
  const target = join(repo.base, "shared-hook");
  writeFileSync(target, "#!/bin/sh\necho ran >>ran\n", { mode: 0o755 });
  symlinkSync("../../../shared-hook", join(repo.dir, ".git/hooks/post-merge"));
  const before = snapshot(join(repo.dir, ".git/hooks"));
  installInto(repo);
  assert.equal(
    readFileSync(target, "utf8"),
    "#!/bin/sh\necho ran >>ran\n",
    "what a link leads to is not ours to write",
  );
  repo.git("checkout", "-q", "-b", "topic");
  repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "x");
  repo.git("checkout", "-q", "main");
  repo.git("merge", "-q", "topic");
  assert.ok(repo.has("ran"), "the linked one ran");
  uninstall(repo);
  assert.deepEqual(snapshot(join(repo.dir, ".git/hooks")), before);
  assert.equal(readlinkSync(join(repo.dir, ".git/hooks/post-merge")), "../../../shared-hook");
});

test("a hook without the run bit stays silent while ours runs, and comes back as it was", (t) => {
  const repo = repoWithHook(t, "#!/bin/sh\necho ran >>ran\n", 0o644);
  installInto(repo);
  repo.write({ "src/b.ts": "export const b = 1;\n" });
  assert.deepEqual(repo.tryGit("commit", "-q", "-a", "-m", "x"), { code: 0, stdout: "", stderr: "" });
  assert.notEqual(repo.marker(), null);
  assert.equal(repo.has("ran"), false, "git did not run it before either");
  uninstall(repo);
  assert.equal(repo.read(HOOK), "#!/bin/sh\necho ran >>ran\n");
  assert.equal(lstatSync(join(repo.dir, HOOK)).mode & 0o777, 0o644);
});

test("the chained hook gets git's arguments, its stdin and its say about the exit status", (t) => {
  const repo = repoWithHook(t, "");
  const script = `#!${process.execPath}\nconst fs = require("fs");\nfs.writeFileSync("said", process.argv.slice(2) + "|" + fs.readFileSync(0));\nprocess.exit(1);\n`;
  repo.git("config", "core.hooksPath", ".git/hooks");
  for (const event of ["post-rewrite", "post-checkout"]) repo.write({ [`.git/hooks/${event}`]: script });
  for (const event of ["post-rewrite", "post-checkout"]) chmodSync(join(repo.dir, ".git/hooks", event), 0o755);
  installInto(repo);
  const old = repo.head();
  repo.git("commit", "-q", "--amend", "--allow-empty", "-m", "amended");
  assert.equal(repo.read("said"), `amend|${old} ${repo.head()}\n`);
  repo.git("clean", "-qf", "said");
  assert.equal(repo.tryGit("checkout", "-q", "-b", "topic").code, 1, "as it was without us");
  assert.match(repo.read("said"), /^[0-9a-f]{40},[0-9a-f]{40},1\|$/);
});

test("a foreign line that a hook gained since survives the upgrade of our block and uninstall", (t) => {
  const repo = makeRepo(t);
  startProject(repo);
  installInto(repo);
  const ours = repo.read(HOOK);
  repo.write({
    [HOOK]: ours.replace("#!/bin/sh\n", "#!/bin/sh\n# theirs, before\n").concat("echo theirs, after >>ran\n"),
  });
  repo.write({ [HOOK]: repo.read(HOOK).replace("ua_common=$ua_dir\n", "ua_common=$ua_dir # an older version\n") });
  installInto(repo);
  assert.doesNotMatch(repo.read(HOOK), /an older version/);
  uninstall(repo);
  assert.equal(repo.read(HOOK), "#!/bin/sh\n# theirs, before\necho theirs, after >>ran\n");
});
