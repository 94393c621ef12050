import { existsSync } from "node:fs";
import { join } from "node:path";
import { removeFile } from "../platform/change-files.js";
import { DEFAULTS, loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { isNumber, isObject, isText, parseJson } from "../store/check.js";
import { readTextIfThere, stagingDir, writeFileAtomic } from "../store/files.js";
import { activeSession } from "./session.js";
import { contextDir, logError } from "./update.js";

/** Saved between two prompts of a worktree. In the state dir: a checkout cannot write there. */
interface Memory {
  session: string;
  prompts: number;
  transcript: string | null;
}

/**
 * Called once per prompt: starts an update that is due (detached, by the caller), then counts the prompt; every
 * `context.every`th one leaves a marker for the next prompt. Prints nothing; errors go to the log only.
 */
export async function onPrompt(
  project: Project,
  transcript: string | null,
  start: (transcript: string) => void,
): Promise<void> {
  try {
    await countPrompt(project, transcript, start);
  } catch (error) {
    logError(project, error);
  }
}

async function countPrompt(
  project: Project,
  transcript: string | null,
  start: (transcript: string) => void,
): Promise<void> {
  const session = activeSession(project);
  if (session === null || !existsSync(session.dir)) return;
  const before = readMemory(project);
  const prompts = before.session === session.name ? before.prompts : 0;
  const path = transcript ?? (before.session === session.name ? before.transcript : null);
  if (existsSync(session.marker)) {
    // Removed before the update: if it does not start, the next prompt must not find the marker again.
    removeFile(session.marker);
    if (path === null) logError(project, new Error("the client does not report where its transcript is"));
    else start(path);
  }
  const { every } = (await loadConfig(project.root).catch(() => DEFAULTS)).context; // other commands report that it is damaged
  const count = (prompts + 1) % every;
  const memory: Memory = { session: session.name, prompts: count, transcript: path };
  writeFileAtomic(memoryFile(project), JSON.stringify(memory), 0o600);
  if (count === 0) writeFileAtomic(session.marker, "", 0o644, stagingDir(project.stateDir));
}

function memoryFile({ stateDir, worktree }: Project): string {
  return join(contextDir(stateDir), worktree.id === "." ? "main.json" : `linked.${worktree.id}.json`);
}

/** A counter damaged by a kill starts at zero. */
function readMemory(project: Project): Memory {
  const { session, prompts, transcript } = parseJson(readTextIfThere(memoryFile(project)) ?? "{}", isObject) ?? {};
  return {
    session: isText(session) ? session : "",
    prompts: isNumber(prompts) && Number.isSafeInteger(prompts) ? prompts : 0,
    transcript: isText(transcript) ? transcript : null,
  };
}

/** The transcript of the last prompt, for an update that the user starts. */
export function rememberedTranscript(project: Project): string | null {
  return readMemory(project).transcript;
}
