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
 * A marked block at the top of the hook files in the clone's own folder. It is always installed: it is the fastest,
 * gets post-rewrite's stdin before a hook manager reads it, works in every worktree, and remains when a hook manager is
 * removed. The hook manager's own place is what survives its next install.
 */
export const native: HookManager = place("native", () => true);

/** With config hooks, only where there is no other hook file: for older versions of git, which some clients bundle. */
export const freeNative: HookManager = place("native", (file) => !existsSync(file) || hasBlock(readBytes(file)));

function place(name: "native", fits: (file: string) => boolean): HookManager {
  const holds = ({ nativeDir }: HookEnvironment): Event[] =>
    EVENTS.filter((event) => hasBlock(readBytes(join(nativeDir, event))));
  return {
    name,
    holds,
    detect: ({ nativeIsOwn }) => nativeIsOwn,
    plan: async ({ nativeDir, project }) => {
      const wanted = EVENTS.filter((event) => fits(join(nativeDir, event)));
      const block = (event: Event) => hookBlock(project.stateDir, event);
      return { steps: wanted.flatMap((event) => blockSteps(join(nativeDir, event), event, block(event))) };
    },
    undo: ({ nativeDir }) => EVENTS.flatMap((event) => unblockSteps(nativeDir, event)),
  };
}
