import { spawnSync } from "node:child_process";
import type { TestContext } from "node:test";

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
