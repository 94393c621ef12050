import { spawnSync } from "node:child_process";
import type { TestContext } from "node:test";
import { type Repo, repoAt } from "./repo.js";

export const mount = (...args: string[]) => spawnSync("mount", args).status === 0;

/** Does the work while nothing can be written below the folder; skips the test where this machine cannot have that. */
export async function whileReadOnly(t: TestContext, dir: string, work: () => void | Promise<void>): Promise<void> {
  if (!mount("--bind", dir, dir)) return t.skip("only root can mount");
  try {
    if (!mount("-o", "remount,ro,bind", dir)) return t.skip("this mount cannot be made read-only");
    await work();
  } finally {
    spawnSync("umount", ["--lazy", dir]); // before the folder goes; libsql lets go of a file at the process's end only
  }
}

const UNSHARE = ["unshare", "--mount", "--propagation", "private"];

/** Why this machine cannot give a test mounts of its own; false where it can. */
export function noNamespace(): string | false {
  const [program = "", ...args] = UNSHARE;
  const { status } = spawnSync(program, [...args, "mount", "-t", "tmpfs", "none", "/proc"]);
  return status === 0 ? false : "no mount namespace can be made here";
}

/** The same repository with git, and all that it starts, in a mount namespace after this line of sh has run there. */
export function inNamespace(repo: Repo, prepare: string): Repo {
  const [program = "", ...args] = UNSHARE;
  const tryGit: Repo["tryGit"] = (...rest) => {
    const line = ["sh", "-c", `PATH=${process.env.PATH}; ${prepare} && PATH=$0 exec "$@"`, repo.env.PATH ?? ""];
    const { status, stdout, stderr } = spawnSync(program, [...args, ...line, "git", ...rest], {
      cwd: repo.dir,
      env: { ...repo.env, PATH: process.env.PATH },
      encoding: "utf8",
    });
    return { code: status ?? -1, stdout, stderr };
  };
  return repoAt(repo.dir, repo.base, repo.env, tryGit);
}

export function withoutProc(repo: Repo): Repo {
  return inNamespace(repo, "mount -t tmpfs none /proc");
}
