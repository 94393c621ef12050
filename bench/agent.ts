import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandFor } from "../src/agents/settings-files.js";
import { openState } from "../src/store/state.js";
import type { Bench } from "./bench.js";
import { cpuTime, interleave, type Row, row, type Samples, time, withCpu } from "./measure.js";
import { CHANGED, cleanEnv, dist, editAndCommit, installOurs, makeRepo, type Place } from "./repos.js";

/** What each client runs at a prompt, and after a shell command. */
const EVENTS: [client: string, prompt: string, shell: string][] = [
  ["claude", "UserPromptSubmit", "PostToolUse"],
  ["codex", "UserPromptSubmit", "PostToolUse"],
  ["gemini", "BeforeAgent", "AfterTool"],
  ["copilot", "userPromptSubmitted", "postToolUse"],
  ["opencode", "chat.message", "tool.execute.after"],
];

/** The contract's bar for a hook that has nothing to say; the command loads the whole program. */
const BAR = 1.6;
const COMMAND_BAR = 3;

/** What an agent waits for at every shell command and prompt: the very line in its settings, its JSON on stdin. */
export async function agentRows({ base, rounds }: Bench): Promise<Row[]> {
  const place = makeRepo(base, "agent", 500);
  installOurs(place, "--agent", EVENTS.map(([client]) => client).join(","));
  const calls = EVENTS.flatMap(([client, prompt, shell]) => [
    { name: `${client}, a prompt`, line: commandFor(client, prompt), event: prompt },
    { name: `${client}, a shell command`, line: commandFor(client, shell), event: shell },
  ]);
  const inputOf = (event: string) =>
    JSON.stringify({
      ...{ session_id: "s", sessionId: "s", cwd: place.dir, hook_event_name: event },
      ...{ tool_name: "Bash", tool_input: { command: "npm test" }, tool_response: { stdout: "ok\n".repeat(1000) } },
    });
  const here = { cwd: place.dir, env: place.env };
  const elsewhere = { cwd: base, env: cleanEnv(base) };
  const wall = await interleave(rounds(41), {
    node: () => time(process.execPath, ["-e", "0"], elsewhere),
    command: () =>
      time(process.execPath, [join(dist, "cli.cjs"), "agent", "claude"], { ...here, input: inputOf("PostToolUse") }),
    ...Object.fromEntries(
      calls.map(({ name, line, event }) => [name, () => time("sh", ["-c", line], { ...here, input: inputOf(event) })]),
    ),
  });
  const inputFile = (event: string) => {
    const file = join(base, `${event}.json`);
    writeFileSync(file, inputOf(event));
    return file;
  };
  const cpu = await interleave(rounds(8), {
    node: () => cpuTime(`'${process.execPath}' -e 0`, elsewhere),
    ...Object.fromEntries(
      calls.map(({ name, line, event }) => [name, () => cpuTime(line, { ...here, input: inputFile(event) })]),
    ),
  });
  const of = (samples: Samples, name: string) => samples.get(name) ?? [];
  return [
    ...calls.map(({ name }) =>
      withCpu(
        row(`an agent hook with nothing pending, ${name} ÷ node -e 0`, of(wall, name), of(wall, "node"), BAR),
        of(cpu, name),
        of(cpu, "node"),
      ),
    ),
    row("the same as a command, ua-hooks agent ÷ node -e 0", of(wall, "command"), of(wall, "node"), COMMAND_BAR),
    await whileHeld(place, rounds(5), () => {
      const [{ line, event } = { line: "", event: "" }] = calls;
      return time("sh", ["-c", line], { ...here, input: inputOf(event) });
    }),
  ];
}

/** Something is to be verified, and another process holds the database all the time: the agent goes on within a second. */
async function whileHeld(place: Place, rounds: number, hook: () => number): Promise<Row> {
  editAndCommit(place, [CHANGED]);
  const db = await openState(join(place.dir, ".git/ua-hooks"));
  try {
    db.exec("BEGIN EXCLUSIVE");
    const times = (await interleave(rounds, { hook })).get("hook") ?? [];
    const most = Math.max(...times);
    const what = "an agent hook while another process holds the database, the slowest ÷ 1 s";
    return { what, ratio: most / 1000, bar: 1, detail: `${Math.round(most)} ms at most in ${times.length} rounds` };
  } finally {
    db.close();
  }
}
