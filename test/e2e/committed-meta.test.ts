import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { installedRepo, repoAt } from "../support/repo.js";
import { installInto } from "../support/round.js";

const FOLDER = ".understand-anything";
const META = `${FOLDER}/meta.json`;

for (const core of ["", "statements"]) {
  const name = core === "" ? "" : ` (core ${core})`;

  test(`a committed meta.json: doctor names the command after which it follows HEAD again, in every clone${name}`, (t) => {
    const small = installedRepo(t);
    const repo = repoAt(small.dir, small.base, { ...small.env, UA_HOOKS_CORE: core });
    repo.git("add", "-f", `${FOLDER}/knowledge-graph.json`, `${FOLDER}/fingerprints.json`, META);
    repo.commit("the graph");
    const mate = repoAt(join(repo.base, "mate"), repo.base, repo.env);
    repo.git("clone", "-q", repo.dir, mate.dir);
    installInto(mate);
    const metaOf = (clone: typeof repo) => JSON.parse(clone.read(META)).gitCommitHash as string;
    const clean = (clone: typeof repo) => assert.equal(clone.git("status", "--porcelain"), "");

    mate.commit("a comment", { "src/b.ts": `// one\n${mate.read("src/b.ts")}` });
    assert.notEqual(metaOf(mate), mate.head(), "hooks write no tracked file");
    mate.git("reset", "-q", "--hard", "HEAD~1");
    const command = /run `git (rm --cached \S+)`/.exec(repo.ua("doctor").stdout)?.[1];
    assert.equal(command, `rm --cached ${META}`);

    repo.git("rm", "-q", "--cached", META);
    repo.commit("meta.json is each clone's own");
    repo.commit("a comment", { "src/b.ts": `// one\n${repo.read("src/b.ts")}` });
    assert.equal(repo.uaJson("status").status, "fresh");
    assert.equal(metaOf(repo), repo.head());
    clean(repo);
    assert.doesNotMatch(repo.ua("doctor").stdout, /committed graph/);

    mate.git("pull", "-q");
    mate.commit("another", { "src/a.ts": `// two\n${mate.read("src/a.ts")}` });
    assert.equal(mate.uaJson("status").status, "fresh");
    assert.equal(metaOf(mate), mate.head(), "a teammate only pulls");
    clean(mate);
    mate.git("checkout", "-q", "HEAD~3");
    clean(mate);
    mate.git("checkout", "-q", "main");
    clean(mate);
  });
}
