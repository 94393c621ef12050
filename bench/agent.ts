import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./bench.js";
import { interleave, type Row, row, time } from "./measure.js";
import { cleanEnv, dist, installOurs, makeRepo } from "./repos.js";

/** What an agent waits for at every shell command and prompt: the very line in its settings, its JSON on stdin. */
export async function agentRows({ base, rounds }: Bench): Promise<Row[]> {
  const place = makeRepo(base, "agent", 500);
  installOurs(place, "--agent", "claude");
  const settings = JSON.parse(readFileSync(join(place.dir, ".claude/settings.local.json"), "utf8")) as {
    hooks: { PostToolUse: { hooks: { command: string }[] }[] };
  };
  const command = settings.hooks.PostToolUse[0]?.hooks[0]?.command ?? "";
  const tool = {
    tool_name: "Bash",
    tool_input: { command: "npm test" },
    tool_response: { stdout: "ok\n".repeat(1000) },
  };
  const input = JSON.stringify({ session_id: "s", cwd: place.dir, hook_event_name: "PostToolUse", ...tool });
  const here = { cwd: place.dir, env: place.env, input };
  const samples = await interleave(rounds(41), {
    node: () => time(process.execPath, ["-e", "0"], { cwd: base, env: cleanEnv(base) }),
    hook: () => time("sh", ["-c", command], here),
    command: () => time(process.execPath, [join(dist, "cli.cjs"), "agent", "claude"], here),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [
    row("an agent hook with nothing pending ÷ node -e 0", of("hook"), of("node"), 3),
    row("the same as a command, ua-hooks agent ÷ node -e 0", of("command"), of("node"), 3),
  ];
}
