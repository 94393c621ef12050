import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";

const CONFIG = ".understand-anything/config.json";
const OFF = '{"autoUpdate":false,"outputLanguage":"de"}';

function withConfig(t: TestContext, config: string): Repo {
  const repo = makeRepo(t);
  repo.commit("one", SMALL_PROJECT);
  repo.write({ [CONFIG]: config });
  return repo;
}

const setting = (repo: Repo) => (JSON.parse(repo.read(CONFIG)) as { autoUpdate?: unknown }).autoUpdate;

test("autoUpdate: false of the user stays without a yes, and install says what that means", (t) => {
  const repo = withConfig(t, OFF);
  const { code, stdout } = repo.ua("install");
  assert.equal(code, 0);
  assert.match(stdout, /autoUpdate is false in config\.json: the hooks do nothing/);
  assert.equal(repo.read(CONFIG), OFF);
  assert.equal(repo.ua("uninstall").code, 0);
  assert.equal(repo.read(CONFIG), OFF);
});

for (const purge of [[], ["--purge"]]) {
  for (const before of [OFF, '{ "outputLanguage": "de" }', '{\n    "autoUpdate": "no"\n}']) {
    test(`with --yes it is set, said, and uninstall ${purge.join()} restores ${JSON.stringify(before)} byte for byte`, (t) => {
      const repo = withConfig(t, before);
      const { stdout } = repo.ua("install", "--yes");
      assert.match(stdout, /config\.json .*autoUpdate .*uninstall restores it/);
      assert.equal(setting(repo), true);
      assert.equal(repo.ua("install", "--yes").code, 0, "a second install forgets nothing");
      assert.equal(repo.ua("uninstall", "--yes", ...purge).code, 0);
      assert.equal(repo.read(CONFIG), before);
    });
  }
}

test("what another tool wrote into config.json meanwhile stays; a value that the user chose since, too", (t) => {
  const repo = withConfig(t, OFF);
  repo.ua("install", "--yes");
  repo.write({ [CONFIG]: '{ "autoUpdate": true, "outputLanguage": "fr", "theme": "dark" }' });
  repo.ua("uninstall");
  assert.deepEqual(JSON.parse(repo.read(CONFIG)), { autoUpdate: false, outputLanguage: "fr", theme: "dark" });
  repo.ua("install", "--yes");
  const own = '{ "autoUpdate": "weekly" }';
  repo.write({ [CONFIG]: own });
  repo.ua("uninstall");
  assert.equal(repo.read(CONFIG), own);
});

test("an install that fails leaves autoUpdate as it was", (t) => {
  const repo = withConfig(t, OFF);
  const failing = repoAt(repo.dir, repo.base, { ...repo.env, UA_HOOKS_FAULT: "verify.save:ENOSPC" });
  assert.notEqual(failing.ua("install", "--yes").code, 0);
  assert.equal(repo.read(CONFIG), OFF);
});

test("install --mode is for this clone, precedes the config, and goes with uninstall", (t) => {
  const repo = makeRepo(t);
  repo.commit("one", SMALL_PROJECT);
  assert.equal(repo.ua("install", "--mode", "always").code, 2);
  assert.equal(existsSync(join(repo.dir, ".git/ua-hooks")), false);
  const wider = (name: string) => ({
    "src/b.ts": `export function twice(x: number, ${name}: number): number {\n  return x;\n}\n`,
  });

  assert.equal(repo.uaJson("install", "--mode", "inline").mode, "inline");
  repo.commit("two", wider("y"));
  assert.equal(repo.marker(), null, "the worker updated the graph");
  assert.equal(repo.uaJson("install").mode, "inline", "a later install leaves it");
  assert.equal(repo.uaJson("install", "--mode", "marker").mode, "marker");
  repo.commit("three", wider("z"));
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);

  repo.commit("four", { ".ua-hooksrc.json": '{ "mode": "inline" }' });
  assert.equal(repo.uaJson("install").mode, "inline", "marker was the config's, so the config counts");
  assert.equal(repo.uaJson("install", "--mode", "marker").mode, "marker");
  repo.ua("uninstall");
  assert.equal(repo.uaJson("install").mode, "inline");
});
