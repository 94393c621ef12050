import { withoutGitEnv } from "./run.js";

/** Config from the user's environment is kept: it may name other hooks. */
const KEPT = new Set(["GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"]);

/** A test commit is not signed, opens no editor, starts no gc and no fsmonitor; its author does not matter. */
const TRIAL_CONFIG = [
  "core.fsmonitor=false",
  "commit.gpgsign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "core.editor=true",
  "merge.ff=true",
];
const IDENTITY = { NAME: "ua-hooks", EMAIL: "ua-hooks@localhost" };

/** Runs git as the user does, with hooks: only for doctor, which tests them. Returns stdout. */
export function liveGit(cwd: string, args: readonly string[], env: Record<string, string>): string {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const without = Object.entries(withoutGitEnv()).filter(([name]) => !KEPT.has(name));
  const who = Object.entries(IDENTITY).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  const config = TRIAL_CONFIG.flatMap((setting) => ["-c", setting]);
  const { status, stdout, stderr, error } = spawnSync("git", [...config, ...args], {
    cwd,
    env: {
      ...process.env,
      ...Object.fromEntries(without),
      ...Object.fromEntries(who),
      GIT_TERMINAL_PROMPT: "0",
      ...env,
    },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 30_000,
    windowsHide: true,
  });
  if (error !== undefined || status !== 0) throw new Error(`git ${args.join(" ")}: ${error?.message ?? stderr.trim()}`);
  return stdout.trim();
}
