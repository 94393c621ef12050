import { setTimeout as sleep } from "node:timers/promises";
import type { Project } from "../repository/locate.js";
import { pausedSince } from "../repository/paused.js";
import { startWorker } from "../worker/start.js";
import { ownBrokenLines } from "./broken-lines.js";
import { noteCall } from "./calls.js";
import { CLIENTS, type Client, callerOf, type HookInput } from "./clients.js";
import { holderName, returnLease } from "./conversation.js";
import { type InputSource, readInput } from "./input.js";
import { type AgentMessage, commandFor, messageFor, projectFor } from "./message.js";
import {
  type Conversation,
  conversationOf,
  countSubAgents,
  forgetNotified,
  forgetSubAgents,
  hasSubAgents,
  isRecorded,
  recordNew,
} from "./notified.js";
import { onPrompt } from "./prompt.js";
import { isCompacted } from "./transcript.js";
import { isTheirEvent, theirView } from "./understand-anything.js";

/**
 * From the start of the process to its answer: the agent waits. What takes longer is left to a worker, and said at the next event.
 * Another deadline can be set in tests only.
 */
function timeLeft(env: NodeJS.ProcessEnv = process.env): number {
  const seconds = FOR_TESTS ? Number(env.UA_HOOKS_AGENT_TIMEOUT) : Number.NaN;
  const deadline = seconds >= 1 && seconds <= 60 ? seconds * 1000 : 950;
  return Math.max(deadline - process.uptime() * 1000, 100);
}

/**
 * `agent <client> [event]`: reads the client's JSON from stdin, writes at most one document to stdout. Prints nothing
 * if there is no message; never fails. `event` comes from the settings that install wrote, in case there is no input.
 */
export async function runAgent(
  [configured = "", event = ""]: readonly string[],
  write: (text: string) => void,
  source?: InputSource,
): Promise<void> {
  if (!CLIENTS.has(configured) || process.env.UA_HOOKS === "0") return;
  const input = await readInput(source);
  if (input === "garbage") return;
  const given = input === "without" ? {} : input;
  const caller = callerOf(configured, given);
  if (caller === null) return;
  const { name, client } = caller;
  const hookInput = client.read(given, event === "" ? (client.events[0] ?? "") : event);
  const effect = client.effect(hookInput);
  // A sub-agent's parent gets the message at its own next event.
  if (hookInput.isSubAgent || (effect === null && !client.events.includes(hookInput.event))) return;
  const project = projectFor(hookInput, process.cwd(), process.env);
  if (project === null || pausedSince(project.stateDir) !== null) return;
  noteCall(project, name);
  const conversation = conversationOf(project, name, hookInput.session);
  const clientEvent = { name, project, conversation, hookInput };
  await followConversation(client, clientEvent);
  if (!client.events.includes(hookInput.event) || hasSubAgents(conversation)) return;
  const reader = { client: name, holder: holderName(name, hookInput.session) };
  const message = await inTime(messageFor(project, reader, timeLeft()), project.commonDir);
  const isTheirs = isSaidByTheirs(clientEvent, message);
  const isNew = message !== null && recordNew(conversation, message, isTheirs ? THEIRS : hookInput.event) && !isTheirs;
  const isAfterTool = hookInput.event !== client.start && !client.prompt.includes(hookInput.event);
  const broken = await ownBrokenLines(project, conversation, { isAfterTool, command: commandFor(project) });
  const texts = [...(isNew ? [message.text] : []), ...(broken === null ? [] : [broken])];
  if (texts.length > 0) write(`${JSON.stringify(client.answer(texts.join("\n\n"), hookInput.event))}\n`);
  if (client.prompt.includes(hookInput.event)) await onPrompt(hookInput, project);
}

interface ClientEvent {
  name: string;
  project: Project;
  conversation: Conversation;
  hookInput: HookInput;
}

/** Who sent a message, in place of an event, where that was Understand-Anything's own hook. */
const THEIRS = "understand-anything";

/**
 * Whether Understand-Anything's own hook tells the conversation about the update: one message is enough. It speaks at fewer events than we
 * do, so what it said is noted: by what is pending, or by the commit if that is not known in time.
 */
function isSaidByTheirs(
  { name, project, conversation, hookInput }: ClientEvent,
  message: AgentMessage | null,
): boolean {
  if (message !== null && (message.isTrouble || message.items.length === 0)) return false;
  const view = theirView({ client: name, folder: process.cwd(), project, env: process.env });
  if (view === null || !view.isStale) return false;
  const said = { items: [`commit ${view.head}`], isComplete: false };
  if (!isTheirEvent(hookInput)) return isRecorded(conversation, said);
  if (message === null) recordNew(conversation, said, THEIRS);
  return true;
}

/** What an event says about the conversation itself. */
async function followConversation(
  client: Client,
  { name, project, conversation, hookInput }: ClientEvent,
): Promise<void> {
  const { event, source, session } = hookInput;
  if (event === client.start || client.prompt.includes(event)) forgetSubAgents(conversation);
  if (client.compaction !== null && isCompacted(conversation, hookInput.transcript, client.compaction))
    forgetNotified(conversation, []);
  switch (client.effect(hookInput)) {
    case "messages are lost":
      forgetNotified(conversation, []);
      break;
    case "sub-agent starts":
      countSubAgents(conversation, "+");
      break;
    case "sub-agent ends":
      countSubAgents(conversation, "-");
      break;
    case "session ends":
      await Promise.race([returnLease(project, holderName(name, session)), sleep(timeLeft())]);
      break;
    default:
      if (source === "resume" && client.kept !== "all") forgetNotified(conversation, client.kept);
  }
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
