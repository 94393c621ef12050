import { existsSync } from "node:fs";
import { join } from "node:path";
import { EVENTS, type Event } from "../git/hook-events.js";
import { readBytes } from "../store/files.js";
import { hasBlock } from "../store/marked-block.js";
import type { HookEnvironment } from "./environment.js";
import { blockSteps, unblockSteps } from "./hook-file.js";
import type { HookManager } from "./manager.js";
import { hookBlock } from "./templates.js";

/**
 * A marked block at the top of the hook files in the clone's own folder. It is in there whatever else is: it is the quickest,
 * sees post-rewrite's stdin before a manager swallows it, serves every worktree, and is what is left when a
 * manager goes. What outlives a manager's re-install is that manager's own place.
 */
export const native: HookManager = place("native", () => true);

/** Beside config hooks, only where nobody else is: for gits that are too old for those, as some clients bring along. */
export const freeNative: HookManager = place("native", (file) => !existsSync(file) || hasBlock(readBytes(file)));

function place(name: "native", fits: (file: string) => boolean): HookManager {
  const holds = ({ nativeDir }: HookEnvironment): Event[] =>
    EVENTS.filter((event) => hasBlock(readBytes(join(nativeDir, event))));
  return {
    name,
    holds,
    detect: () => true,
    plan: async ({ nativeDir, project }) => {
      const wanted = EVENTS.filter((event) => fits(join(nativeDir, event)));
      const block = (event: Event) => hookBlock(project.stateDir, event);
      return { steps: wanted.flatMap((event) => blockSteps(join(nativeDir, event), event, block(event))) };
    },
    undo: ({ nativeDir }) => EVENTS.flatMap((event) => unblockSteps(nativeDir, event)),
  };
}
