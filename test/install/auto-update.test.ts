import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeRepo, SMALL_PROJECT } from "../support/repo.js";
import { installInto } from "../support/round.js";

const CONFIG = "config.json";
const WIDER = "export function twice(x: number, y: number): number {\n  return x * y;\n}\n";

for (const folder of [".understand-anything", ".ua"]) {
  test(`no command creates ${folder}/config.json`, (t) => {
    const repo = makeRepo(t);
    repo.commit("one", SMALL_PROJECT);
    repo.write({ [`${folder}/theirs.json`]: "{}" });
    const config = `${folder}/${CONFIG}`;
    for (const more of [[], ["--yes"], ["--rebuild", "--yes"], ["--team", "--yes"]]) {
      installInto(repo, ...more);
      assert.equal(repo.has(config), false, more.join(" "));
    }
    repo.commit("wider", { "src/b.ts": WIDER });
    assert.equal(repo.uaJson("status").status, "pending", "installing is the switch");
    repo.git("clean", "-qxfd");
    assert.equal(repo.uaJson("status").status, "pending", "brought back from the store");
    assert.equal(repo.ua("doctor", "--fix", "--yes").code, 0);
    assert.equal(repo.ua("uninstall", "--yes").code, 0);
    assert.equal(repo.has(config), false);
  });
}

for (const before of [
  '{"autoUpdate":false,"outputLanguage":"de"}',
  '{ "outputLanguage": "de" }',
  '{\n    "autoUpdate": "no"\n}',
  '{ "autoUpdate": true }',
]) {
  test(`${JSON.stringify(before)} stays byte for byte through install --yes, uninstall and --purge`, (t) => {
    const repo = makeRepo(t);
    repo.commit("one", SMALL_PROJECT);
    const config = `.understand-anything/${CONFIG}`;
    repo.write({ [config]: before });
    const { autoUpdate = true } = JSON.parse(before) as { autoUpdate?: unknown };
    const { stdout, code } = repo.ua("install", "--yes");
    assert.equal(code, 0);
    const off =
      /autoUpdate is (false|not true) in config\.json: the hooks do nothing until you remove the key or set it to true/;
    assert.equal(off.exec(stdout)?.[1], { true: undefined, false: "false", no: "not true" }[String(autoUpdate)]);
    assert.equal(repo.uaJson("install").autoUpdate, autoUpdate === true);
    repo.commit("wider", { "src/b.ts": WIDER });
    assert.equal(repo.marker() !== null, autoUpdate === true);
    assert.equal(repo.read(config), before);
    for (const purge of [[], ["--purge"]]) {
      assert.equal(repo.ua("uninstall", "--yes", ...purge).code, 0);
      assert.equal(repo.read(config), before, purge.join(" "));
    }
  });
}

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
