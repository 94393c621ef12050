import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { visit } from "../support/life.js";
import { makeRepo, type Repo, repoAt } from "../support/repo.js";
import { startProject } from "../support/round.js";

/**
 * Kinds of repository. What each must answer besides (roots, views, what is refused) is in test/project/; here all of them
 * live the same life to its end.
 */
visit({
  plain: (t) => ({ repo: started(t) }),
  "detached HEAD": (t) => {
    const repo = started(t);
    repo.git("checkout", "-q", "--detach");
    return { repo };
  },
  "sha256, without info/ and hooks/": (t) => ({ repo: started(t, ["--object-format=sha256", "--template="]) }),
  reftable: (t) => {
    const repo = makeRepo(t, { init: false });
    if (repo.tryGit("init", "-q", "--ref-format=reftable").code !== 0) return "this git knows no reftable";
    startProject(repo);
    return { repo };
  },
  "shallow clone": (t) => ({ repo: cloned(t, "--depth=1") }),
  "partial clone": (t) => ({ repo: cloned(t, "--filter=blob:none") }),
  "sparse, partial clone": (t) => {
    const repo = cloned(t, "--filter=blob:none", "--sparse");
    repo.git("sparse-checkout", "set", "src");
    return { repo };
  },
  "sparse index": (t) => {
    const repo = started(t);
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "src");
    return { repo };
  },
  "objects of another repository (alternates)": (t) => {
    const origin = started(t);
    origin.git("clone", "-q", "--shared", origin.dir, join(origin.base, "borrower"));
    return { repo: origin.at(join(origin.base, "borrower")) };
  },
  "separate git dir": (t) => {
    const repo = makeRepo(t, { init: false });
    repo.git("init", "-q", "--separate-git-dir", join(repo.base, "elsewhere"));
    startProject(repo);
    return { repo };
  },
  submodule: (t) => ({ repo: submodule(t) }),
  "worktree of a submodule": (t) => {
    const sub = submodule(t);
    const linked = sub.at(join(sub.base, "sub-tree"));
    sub.git("worktree", "add", "-q", linked.dir, "-b", "topic");
    return { repo: linked, place: { dataDir: join(sub.dir, ".understand-anything"), id: "sub-tree" } };
  },
  "worktree of a bare repository": (t) => {
    const source = started(t);
    const bare = source.at(join(source.base, "store.git"));
    source.git("clone", "-q", "--bare", source.dir, bare.dir);
    const repo = source.at(join(source.base, "one"));
    bare.git("worktree", "add", "-q", repo.dir, "-b", "one");
    return { repo, place: { dataDir: join(bare.dir, "ua-hooks/data"), id: "one" } };
  },
  "replaced commits": (t) => {
    const repo = started(t);
    const tree = repo.git("rev-parse", "HEAD^{tree}");
    repo.commit("more", { "src/c.ts": "export const c = 1;\n" });
    const other = repo.git("commit-tree", "-m", "another parent", tree);
    repo.git("replace", "--graft", "HEAD", other);
    repo.git("replace", repo.git("rev-parse", "HEAD:src/c.ts"), repo.git("rev-parse", "HEAD:tools/run.py"));
    return { repo };
  },
  "grafts file": (t) => {
    const repo = started(t);
    repo.commit("more", { "src/c.ts": "export const c = 1;\n" });
    repo.git("config", "advice.graftFileDeprecated", "false");
    mkdirSync(join(repo.dir, ".git/info"), { recursive: true });
    writeFileSync(join(repo.dir, ".git/info/grafts"), `${repo.head()}\n`);
    return { repo };
  },
  "10,000 branches": (t) => ({ repo: manyBranches(t, 10_000) }),
  "moved after its install": (t) => {
    const repo = started(t);
    if (repo.ua("install").code !== 0) throw new Error("install");
    renameSync(repo.dir, join(repo.base, "moved to ä place"));
    return { repo: repo.at(join(repo.base, "moved to ä place")), place: { install: false } };
  },
  "GIT_DIR, GIT_WORK_TREE and config of the caller": (t) => {
    const repo = started(t);
    const config = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.abbrev", GIT_CONFIG_VALUE_0: "4" };
    const where = { GIT_DIR: join(repo.dir, ".git"), GIT_WORK_TREE: repo.dir, GIT_PREFIX: "src/" };
    return { repo: repoAt(repo.dir, repo.base, { ...repo.env, ...where, ...config }) };
  },
});

function started(t: TestContext, args: string[] = []): Repo {
  const repo = makeRepo(t, { args });
  startProject(repo);
  return repo;
}

function cloned(t: TestContext, ...args: string[]): Repo {
  const remote = started(t);
  remote.commit("more", { "docs/a.ts": "export const a = 1;\n" });
  remote.git("config", "uploadpack.allowFilter", "true");
  remote.git("clone", "-q", ...args, `file://${remote.dir}`, join(remote.base, "clone"));
  return remote.at(join(remote.base, "clone"));
}

function submodule(t: TestContext): Repo {
  const library = started(t);
  const outer = library.at(join(library.base, "outer"));
  mkdirSync(outer.dir);
  outer.git("init", "-q");
  outer.git("submodule", "--quiet", "add", library.dir, "sub");
  outer.commit("with a submodule");
  return library.at(join(outer.dir, "sub"));
}

function manyBranches(t: TestContext, count: number): Repo {
  const repo = started(t);
  const head = repo.head();
  const lines = Array.from({ length: count }, (_, at) => `${head} refs/heads/topic/${String(at).padStart(6, "0")}`);
  const packed = `# pack-refs with: peeled fully-peeled sorted \n${[`${head} refs/heads/main`, ...lines].join("\n")}\n`;
  writeFileSync(join(repo.dir, ".git/packed-refs"), packed);
  repo.git("update-ref", "-d", "refs/heads/unused");
  return repo;
}
