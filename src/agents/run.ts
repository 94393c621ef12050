import type { Project } from "../repository/locate.js";
import { pausedSince } from "../repository/paused.js";
import { startWorker } from "../worker/start.js";
import { CLIENTS, type HookInput } from "./clients.js";
import { readInput } from "./input.js";
import { type AgentMessage, messageFor, projectFor } from "./message.js";
import { isFirstTime } from "./notified.js";
import { onPrompt } from "./prompt.js";
import { notifiesItself } from "./understand-anything.js";

/**
 * From the start of the process to its answer: the agent waits. What takes longer is left to a worker, and said at the next event.
 * Another deadline can be set in tests only.
 */
function timeLeft(env: NodeJS.ProcessEnv = process.env): number {
  const seconds = FOR_TESTS ? Number(env.UA_HOOKS_AGENT_TIMEOUT) : Number.NaN;
  const deadline = seconds >= 1 && seconds <= 60 ? seconds * 1000 : 950;
  return Math.max(deadline - performance.now(), 100);
}

/**
 * `agent <client> [event]`: reads the client's JSON from stdin, writes at most one document to stdout. Prints nothing
 * if there is no message; never fails. `event` comes from the settings that install wrote, in case there is no input.
 */
export async function runAgent(
  [name = "", event = ""]: readonly string[],
  write: (text: string) => void,
): Promise<void> {
  const client = CLIENTS.get(name);
  if (client === undefined || process.env.UA_HOOKS === "0") return;
  const input = await readInput();
  if (input === "garbage") return;
  const hookInput = client.read(input === "without" ? {} : input, event === "" ? (client.events[0] ?? "") : event);
  if (!client.events.includes(hookInput.event)) return;
  const project = projectFor(hookInput, process.cwd(), process.env);
  if (project === null || pausedSince(project.stateDir) !== null) return;
  const message = await inTime(messageFor(project, timeLeft()), project.commonDir);
  if (message !== null && isForUs(name, hookInput, project, message)) {
    write(`${JSON.stringify(client.answer(message.text, hookInput.event))}\n`);
  }
  if (hookInput.event === client.prompt) await onPrompt(hookInput, project);
}

/** Not if Understand-Anything sends the message, and not a second time. */
function isForUs(client: string, { session }: HookInput, project: Project, { about }: AgentMessage): boolean {
  return !notifiesItself(client, project, process.env) && isFirstTime(project, client, session, about);
}

/** Waiting for a lock, for a thousand new files or for one that takes the parser long must not delay the agent. */
async function inTime(message: Promise<AgentMessage | "late" | null>, commonDir: string): Promise<AgentMessage | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeLeft());
  });
  const first = await Promise.race([message, late]);
  clearTimeout(timer);
  if (first !== "late") return first;
  startWorker(commonDir);
  return null;
}
