import { existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { EVENTS, type Event } from "../git/hook-events.js";
import { refuseLinks } from "../platform/change-files.js";
import { readBytes } from "../store/files.js";
import { hasBlock, withBlock } from "../store/marked-block.js";
import { type Ask, type HookEnvironment, isTracked } from "./environment.js";
import { afterShebang, blockSteps, isOursAlone, isShellScript, unblockSteps } from "./hook-file.js";
import type { ManagerPlan } from "./manager.js";
import type { FileStep } from "./plan.js";
import { hookBlock } from "./templates.js";

/**
 * Hook files in the work tree, beside the project's own. A free name is used without asking: the file is untracked and
 * excluded in this clone (git may overwrite it if the project adds a hook of that name). Into an existing file the
 * block goes only after confirmation; in a clone without ua-hooks it does nothing.
 */
export async function workTreePlan(
  environment: HookEnvironment,
  dir: string,
  ask: Ask,
  { shared = false } = {},
): Promise<ManagerPlan> {
  refuseLinks(dir); // before anything there is read, and shown
  const steps: FileStep[] = [];
  const exclude: string[] = [];
  const notes: string[] = [];
  for (const event of EVENTS) {
    const file = join(dir, event);
    const block = hookBlock(environment.project.stateDir, event);
    const text = readBytes(file);
    if ((!existsSync(file) && !shared) || (isOursAlone(text) && !(await isTracked(environment, file)))) {
      for (const step of blockSteps(file, event, block)) steps.push(step);
      if (!shared) exclude.push(file);
    } else if (existsSync(file) && !canHoldBlock(file, text))
      notes.push(`${file} is not a shell script: ${event} events are missed`);
    else if (text.includes(block)) continue;
    else if (await ask(file, `adds lines that report ${event} to ua-hooks; they do nothing in a clone without it`)) {
      steps.push(existsSync(file) ? blockStep(file, event, text, block) : newFile(file, event, block));
    } else notes.push(`${file} was not changed: ${event} events are missed (--yes writes it)`);
  }
  return { steps, exclude, notes };
}

const newFile = (file: string, event: Event, block: string): FileStep =>
  ({ file, what: `${event}: new hook file`, text: `#!/bin/sh\n${block}`, mode: 0o755 }) satisfies FileStep;

/** husky also runs files that are not executable: the mode is kept. */
function blockStep(file: string, event: Event, text: string, block: string): FileStep {
  const wanted = withBlock(text, Buffer.from(block).toString("latin1"), afterShebang(text));
  const mode = statSync(file).mode & 0o777;
  return { file, what: `${event}: block added to the existing hook`, text: Buffer.from(wanted, "latin1"), mode };
}

function canHoldBlock(file: string, text: string): boolean {
  return lstatSync(file).isFile() && isShellScript(text);
}

export function workTreeUndo(dir: string): FileStep[] {
  return EVENTS.flatMap((event) => unblockSteps(dir, event));
}

export function workTreeHolds(dir: string): Event[] {
  return EVENTS.filter((event) => hasBlock(readBytes(join(dir, event))));
}
