import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DEFAULTS, loadConfig } from "../repository/config.js";
import type { Project } from "../repository/locate.js";
import { isNumber, isObject, isText, parseJson } from "../store/check.js";
import { readTextIfThere, stagingDir, writeFileAtomic } from "../store/files.js";
import { activeSession } from "./session.js";
import { contextDir, logError } from "./update.js";

/** What is remembered between two prompts of a worktree. In the state dir: a checkout cannot write there. */
interface Memory {
  session: string;
  prompts: number;
  transcript: string | null;
}

/**
 * Once per prompt: an update that is due is started (detached, by the caller's means), then the prompts are counted, and every
 * `context.every`th leaves a marker for the next. Says nothing, and fails into the log only.
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
    // Taken away here already: should the update never come up, the next prompt must not find the marker again.
    rmSync(session.marker, { force: true });
    if (path === null) logError(project, new Error("the client does not say where its transcript is"));
    else start(path);
  }
  const { every } = (await loadConfig(project.root).catch(() => DEFAULTS)).context; // others say that it is broken
  const count = (prompts + 1) % every;
  const memory: Memory = { session: session.name, prompts: count, transcript: path };
  writeFileAtomic(memoryFile(project), JSON.stringify(memory), 0o600);
  if (count === 0) writeFileAtomic(session.marker, "", 0o644, stagingDir(project.stateDir));
}

function memoryFile({ stateDir, worktree }: Project): string {
  return join(contextDir(stateDir), worktree.id === "." ? "main.json" : `linked.${worktree.id}.json`);
}

/** A counter that a kill garbled begins anew. */
function readMemory(project: Project): Memory {
  const { session, prompts, transcript } = parseJson(readTextIfThere(memoryFile(project)) ?? "{}", isObject) ?? {};
  return {
    session: isText(session) ? session : "",
    prompts: isNumber(prompts) && Number.isSafeInteger(prompts) ? prompts : 0,
    transcript: isText(transcript) ? transcript : null,
  };
}

/** Where the conversation of the last prompt is written down, for an update that somebody asks for. */
export function rememberedTranscript(project: Project): string | null {
  return readMemory(project).transcript;
}
