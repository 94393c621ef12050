import { spawn, spawnSync } from "node:child_process";
import type { TestContext } from "node:test";
import { cli, type Repo } from "./repo.js";

/** util-linux' `script` gives a program a terminal; macOS has one of that name that takes other arguments. */
export function hasTerminal(t: TestContext): boolean {
  const found = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;
  if (!found) t.skip("there is no util-linux script here to make a terminal with");
  return found;
}

export interface Session {
  code: number;
  /** All that a person would have seen, with colours and wiped lines. */
  seen: string;
}

/** Types `keys`, or does something else, as soon as `when` is on the screen. */
export interface Typing {
  when: RegExp;
  keys?: string;
  act?: () => void;
}

/** ua-hooks, as it is called by `program`, on a terminal of some width. */
export function onTerminal(
  repo: Repo,
  args: string[],
  { columns = 80, typing = [] as Typing[], program = `'${process.execPath}' '${cli}'` } = {},
) {
  const command = `stty cols ${columns} rows 24; exec ${program} ${args.join(" ")}`;
  const { NO_COLOR: _, ...env } = repo.env;
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd: repo.dir, env: { ...env, TERM: "xterm" } });
  const waiting = [...typing];
  let seen = "";
  return new Promise<Session>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      seen += chunk;
      if (waiting[0]?.when.test(seen) !== true) return;
      const { keys, act } = waiting.shift() ?? {};
      act?.();
      if (keys !== undefined) child.stdin.write(keys);
    });
    child.on("error", reject);
    const deadline = setTimeout(() => child.kill("SIGKILL"), 120_000); // a question that nothing answers
    deadline.unref();
    child.on("close", (code) => resolve({ code: code ?? -1, seen }));
  });
}
