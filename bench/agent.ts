import { join } from "node:path";
import { commandFor } from "../src/agents/settings-files.js";
import type { Bench } from "./bench.js";
import { interleave, type Row, row, time } from "./measure.js";
import { cleanEnv, dist, installOurs, makeRepo } from "./repos.js";

/** What each client runs at a prompt, and after a shell command. */
const EVENTS: [client: string, prompt: string, shell: string][] = [
  ["claude", "UserPromptSubmit", "PostToolUse"],
  ["codex", "UserPromptSubmit", "PostToolUse"],
  ["gemini", "BeforeAgent", "AfterTool"],
  ["copilot", "userPromptSubmitted", "postToolUse"],
  ["opencode", "chat.message", "tool.execute.after"],
];

/** What an agent waits for at every shell command and prompt: the very line in its settings, its JSON on stdin. */
export async function agentRows({ base, rounds }: Bench): Promise<Row[]> {
  const place = makeRepo(base, "agent", 500);
  installOurs(place, "--agent", EVENTS.map(([client]) => client).join(","));
  const inputOf = (event: string) =>
    JSON.stringify({
      ...{ session_id: "s", sessionId: "s", cwd: place.dir, hook_event_name: event },
      ...{ tool_name: "Bash", tool_input: { command: "npm test" }, tool_response: { stdout: "ok\n".repeat(1000) } },
    });
  const call = (client: string, event: string) => () =>
    time("sh", ["-c", commandFor(client, event)], { cwd: place.dir, env: place.env, input: inputOf(event) });
  const here = { cwd: place.dir, env: place.env, input: inputOf("PostToolUse") };
  const calls = EVENTS.flatMap(([client, prompt, shell]) => [
    [`${client}, a prompt`, call(client, prompt)] as const,
    [`${client}, a shell command`, call(client, shell)] as const,
  ]);
  const samples = await interleave(rounds(41), {
    node: () => time(process.execPath, ["-e", "0"], { cwd: base, env: cleanEnv(base) }),
    command: () => time(process.execPath, [join(dist, "cli.cjs"), "agent", "claude"], here),
    ...Object.fromEntries(calls),
  });
  const of = (name: string) => samples.get(name) ?? [];
  return [
    ...calls.map(([name]) => row(`an agent hook with nothing pending, ${name} ÷ node -e 0`, of(name), of("node"), 1.6)),
    row("the same as a command, ua-hooks agent ÷ node -e 0", of("command"), of("node"), 3),
  ];
}
