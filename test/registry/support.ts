import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { ListAnswer, StaleAnswer, VerifyAnswer } from "../../src/registry/answers.js";
import type { RegistryRow } from "../../src/registry/read.js";
import type { Updated } from "../../src/registry/update.js";
import { installedRepo, makeRepo, type Repo, repoAt, SMALL_PROJECT } from "../support/repo.js";
import { unseen } from "../support/workers.js";

export const verify = (repo: Repo, ...args: string[]) => repo.uaJson<VerifyAnswer>("registry", "verify", ...args);
export const list = (repo: Repo, ...args: string[]) => repo.uaJson<ListAnswer>("registry", "ls", ...args).files;
export const show = (repo: Repo, path: string, ...args: string[]) =>
  repo.uaJson<RegistryRow>("registry", "show", path, ...args);
export const stale = (repo: Repo, ...args: string[]) => repo.uaJson<StaleAnswer>("registry", "stale", ...args).files;

let inputs = 0;

/** A file with an update in it, beside the repository: where git does not see it. */
export function updateFile(repo: Repo, summaries: Record<string, string>): string {
  const file = join(repo.base, `updates-${++inputs}.json`);
  const updates = Object.entries(summaries).map(([path, summary]) => ({ path, summary }));
  writeFileSync(file, JSON.stringify({ updates }));
  return file;
}

export function tell(repo: Repo, summaries: Record<string, string>, ...args: string[]): Updated {
  return repo.uaJson<Updated>("registry", "update-summaries", updateFile(repo, summaries), ...args);
}

/** `path verdict` of everything that does not match. */
export const verdictsIn = ({ verdicts }: VerifyAnswer) => verdicts.map(({ path, verdict }) => `${path} ${verdict}`);

/** The small project with hooks that are switched off from here on: what happens is found at the next question. */
export function unwatchedRepo(t: TestContext): Repo {
  return unseen(installedRepo(t));
}

export const A = SMALL_PROJECT["src/a.ts"] ?? "";
export const B = SMALL_PROJECT["src/b.ts"] ?? "";
export const COMMENT = `// doubles\n${B}`;
export const BODY = B.replace("x * 2", "x + x");
export const INTERFACE = B.replace("x: number)", "x: number, y = 1)");

/** Hooks installed before there is anything: the repository is empty. */
export function emptyRepo(t: TestContext): Repo {
  const repo = makeRepo(t);
  const { code, stderr } = repo.ua("install");
  if (code !== 0) throw new Error(stderr);
  return repo;
}

/** A bare upstream with the small project, and two clones of it, one with ua-hooks. */
export function twoDevelopers(t: TestContext): { ours: Repo; theirs: Repo } {
  const seed = makeRepo(t, { name: "seed" });
  seed.commit("start", SMALL_PROJECT);
  seed.git("clone", "-q", "--bare", seed.dir, join(seed.base, "upstream.git"));
  const [ours, theirs] = ["ours", "theirs"].map((name) => {
    seed.git("clone", "-q", join(seed.base, "upstream.git"), join(seed.base, name));
    return repoAt(join(seed.base, name), seed.base, { ...seed.env, UA_HOOKS: "0" });
  }) as [Repo, Repo];
  const { code, stderr } = ours.ua("install");
  if (code !== 0) throw new Error(stderr);
  return { ours, theirs };
}
