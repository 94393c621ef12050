import { messageFor, projectFor } from "./answer.js";
import { CLIENTS, type Occasion } from "./clients.js";
import { readInput } from "./input.js";

/** A client gives up sooner or later; what takes longer is left to a runner, and told at the next event. */
const DEADLINE_MS = 5000;

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
  if (project === null) return;
  const text = await inTime(textFor(name, occasion, project), project.commonDir);
  if (text !== null) write(`${JSON.stringify(client.answer(text, occasion.event))}\n`);
  if (occasion.event === client.prompt) await (await import("./prompt.js")).onPrompt(occasion, project);
}

type Found = NonNullable<ReturnType<typeof projectFor>>;

async function textFor(client: string, { session }: Occasion, project: Found): Promise<string | null> {
  const message = await messageFor(project);
  if (message === null) return null;
  const { isFirstTime, speaksForItself } = await import("./speak.js");
  if (speaksForItself(client, project, process.env)) return null;
  return isFirstTime(project, client, session, message.about) ? message.text : null;
}

/** Whoever hangs on a lock or on a thousand new files does not hold the agent up. */
async function inTime(text: Promise<string | null>, commonDir: string): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), DEADLINE_MS);
  });
  const first = await Promise.race([text, late]);
  clearTimeout(timer);
  if (first !== "late") return first;
  (await import("./later.js")).startRunner(commonDir);
  return null;
}
