import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { defaultLoaders } from "cosmiconfig";
import { lefthook, preCommit, withManagers } from "../install/managers.js";
import { fences } from "../support/docs.js";
import { cli, dist, installedRepo, makeRepo, type Repo, SMALL_PROJECT } from "../support/repo.js";

const root = join(dist, "..");
const yaml = <T>(name: string, text: string) => defaultLoaders[".yaml"](name, text) as T;
const { "src/b.ts": B = "" } = SMALL_PROJECT;
const WIDER = { "src/b.ts": B.replace("x: number)", "x: number, y = 1)") };

interface Workflow {
  on: string;
  jobs: Record<string, { steps: { name?: string; uses?: string; with?: Record<string, number>; run?: string }[] }>;
}

/** What a runner has on its PATH for a step: `npx ua-hooks` is the package under test. */
function withNpx(repo: Repo): NodeJS.ProcessEnv {
  const bin = join(repo.base, "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${cli}' "$@"\n`);
  chmodSync(join(bin, "npx"), 0o755);
  return {
    ...repo.env,
    CI: "true",
    PATH: `${bin}:${process.env.PATH}`,
    GITHUB_STEP_SUMMARY: join(repo.base, "summary"),
  };
}

test("the workflow of docs/ci.md comments what a pull request does, and a clone that is too shallow says so", (t) => {
  const [text = ""] = fences("docs/ci.md", "yaml");
  const workflow = yaml<Workflow>("ua-hooks.yml", text);
  const steps = workflow.jobs.review?.steps ?? [];
  assert.equal(workflow.on, "pull_request");
  const depth = steps.find(({ uses }) => uses?.startsWith("actions/checkout@"))?.with?.["fetch-depth"];
  assert.equal(depth, 0, "who wrote a line is in the history");

  const origin = makeRepo(t);
  const odd = (parameter: string) => ({ "src/odd`na|me.ts": `export function odd(${parameter}) {}\n` });
  origin.commit("start", { ...SMALL_PROJECT, ...odd("a: number") });
  origin.git("checkout", "-q", "-b", "topic");
  origin.commit("odd`name", { ...WIDER, ...odd("b: string") });
  origin.commit("comment", { "src/a.ts": `// sums\n${SMALL_PROJECT["src/a.ts"]}` });
  origin.git("checkout", "-q", "main");
  origin.commit("meanwhile on main", { "src/other.ts": "export const other = 1;\n" });
  origin.git("merge", "-q", "--no-ff", "-m", "what GitHub checks out", "topic");
  origin.git("clone", "-q", `file://${origin.dir}`, "../checkout");
  const checkout = origin.at(join(origin.base, "checkout"));

  const run = steps.find((step) => step.run?.includes("ua-hooks check"))?.run ?? "";
  const options = { cwd: checkout.dir, env: withNpx(origin), encoding: "utf8" as const };
  const { status, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", run], options);
  assert.equal(status, 0, stderr);
  const comment = checkout.read("comment.md");
  assert.match(comment, /\| `twice in src\/b\.ts` \| interface \|/);
  assert.match(comment, /\| `odd in src\/odd.na.me\.ts` \| interface \|/);
  assert.doesNotMatch(comment, /na\|me/, "a bar in a name does not end a cell");
  assert.equal(readFileSync(join(origin.base, "summary"), "utf8"), comment);
  assert.equal(checkout.has(".git/ua-hooks"), false, "check writes nothing");

  origin.git("clone", "-q", "--depth=2", `file://${origin.dir}`, "../shallow");
  const tooShallow = origin.at(join(origin.base, "shallow")).ua("check", "--base", "HEAD~7");
  assert.equal(tooShallow.code, 2);
  assert.match(tooShallow.stderr, /shallow/);
});

/** The clone's own ways in are closed, so that only the manager's is left. */
function withoutOwnHooks(repo: Repo): void {
  for (const event of ["post-commit", "post-merge", "post-checkout", "post-rewrite"])
    repo.write({ [`.git/hooks/${event}`]: "" });
  repo.git("clean", "-qfdx", "-e", ".understand-anything", "-e", "node_modules", "-e", "vendor");
}

function givesMarker(repo: Repo): void {
  repo.commit("parameter", WIDER);
  assert.deepEqual(repo.marker()?.filesToReanalyze, ["src/b.ts"]);
  repo.git("checkout", "-q", "HEAD~1");
  assert.equal(repo.marker(), null, "post-checkout came with its arguments");
}

function skipWithout(t: TestContext, missing: string | null): boolean {
  if (missing !== null) t.skip(missing);
  return missing !== null;
}

test("pre-commit: this repository as a repo entry calls the clone's ua-hooks, and nothing where there is none", (t) => {
  if (skipWithout(t, preCommit.missing)) return;
  const ours = makeRepo(t, { name: "ours" });
  ours.write({ ".pre-commit-hooks.yaml": readFileSync(join(root, ".pre-commit-hooks.yaml"), "utf8") });
  mkdirSync(join(ours.dir, "hooks"));
  copyFileSync(join(root, "hooks/pre-commit.sh"), join(ours.dir, "hooks/pre-commit.sh"));
  ours.commit("as published");
  ours.git("tag", "v0.1.0");
  const config = fences("docs/ci.md", "yaml")[1]?.replace(/repo: \S+/, `repo: ${ours.dir}`) ?? "";

  const repo = withManagers(installedRepo(t));
  withoutOwnHooks(repo);
  repo.commit("shared config", { ".pre-commit-config.yaml": config });
  const installed = spawnSync("pre-commit", ["install", "-f"], { cwd: repo.dir, env: repo.env, encoding: "utf8" });
  assert.equal(installed.status, 0, installed.stderr);
  givesMarker(repo);
  const clone = repo.at(join(repo.base, "teammate"));
  repo.git("clone", "-q", repo.dir, clone.dir);
  spawnSync("pre-commit", ["install", "-f"], { cwd: clone.dir, env: clone.env });
  clone.commit("a teammate without ua-hooks", { "src/c.ts": "export const c = 1;\n" });
  assert.equal(clone.has(".git/ua-hooks"), false);
});

test("lefthook: the file to extend from calls the clone's ua-hooks", (t) => {
  if (skipWithout(t, lefthook.missing)) return;
  const repo = withManagers(installedRepo(t));
  withoutOwnHooks(repo);
  const config = fences("docs/ci.md", "yaml").find((text) => text.includes("node_modules/ua-hooks/")) ?? "";
  const [, file = ""] = /- node_modules\/ua-hooks\/(\S+)/.exec(config) ?? [];
  repo.write({
    [`vendor/${file}`]: readFileSync(join(root, file), "utf8"),
    ".git/info/exclude": "vendor\n.understand-anything\n",
  });
  repo.commit("shared config", { "lefthook.yml": config.replace("node_modules/ua-hooks", "vendor") });
  lefthook.install(repo);
  givesMarker(repo);
});
