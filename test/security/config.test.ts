import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../../src/repository/config.js";
import { installedRepo } from "../support/repo.js";
import { setTraps, type Traps } from "../support/trap.js";

const wider = (by: string) => `export function twice(x: number, ${by} = 1): number {\n  return x * ${by};\n}\n`;

/** What config loaders of this world take for a reason to run code, in turn: each alone, since the first may win. */
function scripts({ javascript }: Traps): Record<string, string>[] {
  const esm = (name: string) => `${javascript(name)}export default { mode: "inline" };\n`;
  const cjs = (name: string) => `${javascript(name)}module.exports = { mode: "inline" };\n`;
  return [
    ...["js", "cjs", "ts"].map((ext) => ({ [`.config/config.${ext}`]: cjs(`meta-${ext}`) })),
    { ".config/config.mjs": esm("meta-mjs") },
    { ".ua-hooksrc.js": cjs("rc-js"), ".ua-hooksrc.cjs": cjs("rc-cjs"), ".ua-hooksrc.mjs": esm("rc-mjs") },
    { ".ua-hooksrc.ts": cjs("rc-ts"), "ua-hooks.config.js": cjs("config"), ".config/ua-hooksrc.js": cjs("dot-config") },
    { ".ua-hooksrc.json": '{ "$import": "./evil.cjs" }', "evil.cjs": cjs("import-json") },
    { ".ua-hooksrc": "$import: [./evil.cjs]\n", "evil.cjs": cjs("import-yaml") },
    { ".ua-hooksrc.yaml": 'mode: !!js/function "function () { return 1 }"\n' },
    {
      "package.json": JSON.stringify({ "ua-hooks": {}, cosmiconfig: { searchPlaces: ["evil.cjs"] } }),
      "evil.cjs": cjs("search-places"),
    },
  ];
}

test("a config that is a script, or names one, is never loaded", async (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  const home = process.cwd();
  process.chdir(repo.dir); // where a hook stands
  t.after(() => process.chdir(home));
  for (const files of scripts(traps)) {
    rmSync(join(repo.dir, ".config"), { recursive: true, force: true });
    mkdirSync(join(repo.dir, ".config"));
    // Whether there is a config at all decides how much is loaded.
    const config = Object.keys(files).some((name) => name.startsWith(".ua-hooksrc.")) ? {} : { ".ua-hooksrc": "" };
    repo.write({ "package.json": '{ "ua-hooks": { "mode": "marker" } }', ...config, ...files });
    const loaded = await loadConfig(repo.dir).catch(() => null); // one that is no data is refused, which is as good
    assert.notEqual(loaded?.mode, "inline");
    assert.deepEqual(traps.sprung(), [], Object.keys(files).join(" "));
    for (const name of Object.keys({ ...config, ...files })) rmSync(join(repo.dir, name));
  }

  repo.commit("all that a hook may meet", {
    ...Object.assign({}, ...scripts(traps).slice(0, 6)),
    ".ua-hooksrc": "mode: marker\n",
    "src/b.ts": wider("by"),
  });
  assert.equal(repo.marker()?.head.commit, repo.head(), "the hook worked");
  assert.equal(repo.ua("status").stderr, "");
  assert.deepEqual(traps.sprung(), []);
});

test("an analyzer command of the config runs nowhere until it is trusted, nor when its script is another", (t) => {
  const repo = installedRepo(t);
  const traps = setTraps(repo);
  const config = (mode: string) =>
    JSON.stringify({ mode, execution: "foreground", analyzer: { command: ["node", "tools/analyze.cjs"] } });
  const script = (name: string) => ({ "tools/analyze.cjs": traps.javascript(name) });
  repo.commit("config", { ".ua-hooksrc.json": config("inline"), ...script("ours"), "src/b.ts": wider("first") });
  for (const command of ["status", "run", "check"]) repo.ua(command);
  assert.deepEqual(traps.sprung(), []);

  repo.commit("by hand only", { ".ua-hooksrc.json": config("marker") });
  repo.git("worktree", "add", "-q", "../theirs", "-b", "theirs");
  const theirs = repo.at(join(repo.base, "theirs"));
  assert.equal(repo.ua("trust").code, 0);
  theirs.commit("their script", { ...script("theirs"), "src/b.ts": wider("theirs") });
  assert.match(theirs.ua("run").stderr, /not trusted in this clone/);
  assert.deepEqual(traps.sprung(), [], "a linked worktree has a script of its own");
  repo.ua("run");
  assert.deepEqual(traps.sprung(), ["ours"], "what was trusted runs");
});
