import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { isRunning } from "../../src/platform/process.js";
import { readTextIfThere } from "../../src/store/files.js";
import { installedRepo, type Repo, repoAt, until } from "./repo.js";

/** The same repository with runners in the background, as a user has it; `extra` reaches git, its hooks and runners. */
export function detached(repo: Repo, extra: NodeJS.ProcessEnv = {}): Repo {
  const { UA_HOOKS_FOREGROUND: _foreground, ...env } = repo.env;
  return repoAt(repo.dir, repo.base, { ...env, ...extra });
}

/** The small project, installed, runners in the background. Whatever the test leaves running ends with it. */
export function detachedRepo(t: TestContext): Repo {
  const repo = installedRepo(t);
  stateDir(repo); // known from now on, also when the repository is gone
  t.after(() => {
    for (const pid of workersOf(repo)) kill(pid);
  });
  return detached(repo);
}

/** git with our hooks switched off: what a runner will find was made behind its back. */
export function unseen(repo: Repo): Repo {
  return detached(repo, { UA_HOOKS: "0" });
}

const stateDirs = new Map<string, string>();

export function stateDir(repo: Repo): string {
  const known = stateDirs.get(repo.dir);
  if (known !== undefined) return known;
  const found = join(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir"), "ua-hooks");
  stateDirs.set(repo.dir, found);
  return found;
}

/**
 * Processes of ours that work for this repository: the test's folder is in their command line. One that a hook has
 * just started still looks like that hook; its number is in runner.pid by then. A shell that waits for git's end sleeps in
 * a process of its own, which looks like that shell until it is `sleep`.
 */
export function workersOf(repo: Repo): number[] {
  const ours = processes().filter(({ args }) => args.includes("hook.cjs") && args.includes(`${repo.base}/`));
  const named = ours
    .filter(({ parent, args }) => !ours.some((other) => other.pid === parent && other.args === args))
    .map(({ pid }) => pid)
    .filter((pid) => isRunning({ pid, born: "" }));
  const started = startedRunner(repo);
  return started === null ? named : [...new Set([...named, started])];
}

/** The runner that runner.pid tells of, where it lives. */
function startedRunner(repo: Repo): number | null {
  const pid = Number(readTextIfThere(join(stateDir(repo), "runner.pid")) ?? 0); // it may be leaving
  return isRunning({ pid, born: "" }) ? pid : null;
}

interface Process {
  pid: number;
  parent: number;
  args: string;
}

function processes(): Process[] {
  if (!existsSync("/proc/self/cmdline")) return fromPs();
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const args = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        // A name may hold brackets and blanks: what is behind the last one counts.
        const [, parent] = /.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
        return [{ pid: Number(name), parent: Number(parent), args }];
      } catch {
        return []; // gone while we looked
      }
    });
}

function fromPs(): Process[] {
  const { stdout } = spawnSync("ps", ["-axo", "pid=,ppid=,args="], { encoding: "utf8" });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, args = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), args }];
  });
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has ended by itself
  }
}

/** Waits until no worker is left. */
export async function quiet(repo: Repo, ms = 30_000): Promise<void> {
  // All of the machine's processes are looked through only where the one that is easily found has ended.
  await until("every runner has ended", () => startedRunner(repo) === null && workersOf(repo).length === 0, ms);
}

/** A process that stands still at a fault point until it is let go. */
export function hold(repo: Repo, point: string): { fault: string; reached: () => boolean; letGo: () => void } {
  const file = join(repo.base, `hold-${point}-${Math.random().toString(36).slice(2)}`);
  return {
    fault: `${point}:wait=${file}`,
    reached: () => existsSync(`${file}.reached`),
    letGo: () => repo.write({ [join("..", file.slice(repo.base.length + 1))]: "" }),
  };
}

/** The lines that `note=` wrote: which point, which process. */
export function notes(file: string): { point: string; pid: number }[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line) => {
    const [point, pid] = line.split(" ");
    return point && pid ? [{ point, pid: Number(pid) }] : [];
  });
}

export const LONG = process.env.UA_HOOKS_LONG === "1";
