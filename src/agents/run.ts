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
 * `UA_HOOKS_AGENT_TIMEOUT`, in seconds: for machines on which a second is too short.
 */
function timeLeft(env: NodeJS.ProcessEnv = process.env): number {
  const seconds = Number(env.UA_HOOKS_AGENT_TIMEOUT);
  const deadline = seconds >= 1 && seconds <= 60 ? seconds * 1000 : 950;
  return Math.max(deadline - performance.now(), 100);
}

/**
 * `agent <client> [event]`: the client's JSON comes in on stdin, at most one document goes out on stdout. Silent where
 * there is nothing to say; never fails. `event`: what install wrote into the settings, for an input that never came.
 */
export async function runAgent(
  [name = "", event = ""]: readonly string[],
  write: (text: string) => void,
): Promise<void> {
  const client = CLIENTS.get(name);
  if (client === undefined || process.env.UA_HOOKS === "0") return;
  const input = await readInput();
  if (input === "garbage") return;
  const occasion = client.read(input === "without" ? {} : input, event === "" ? (client.events[0] ?? "") : event);
  if (!client.events.includes(occasion.event)) return;
  const project = projectFor(occasion, process.cwd(), process.env);
  if (project === null || pausedSince(project.stateDir) !== null) return;
  const message = await inTime(messageFor(project), project.commonDir);
  if (message !== null && isForUs(name, occasion, project, message)) {
    write(`${JSON.stringify(client.answer(message.text, occasion.event))}\n`);
  }
  if (occasion.event === client.prompt) await onPrompt(occasion, project);
}

/** Not where another voice says it, and not a second time. */
function isForUs(client: string, { session }: HookInput, project: Project, { about }: AgentMessage): boolean {
  return !notifiesItself(client, project, process.env) && isFirstTime(project, client, session, about);
}

/** Whoever hangs on a lock or on a thousand new files does not hold the agent up. */
async function inTime(message: Promise<AgentMessage | null>, commonDir: string): Promise<AgentMessage | null> {
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
