import { join } from "node:path";
import { EVENTS, type Event } from "../git/hook-events.js";
import { readBytes } from "../store/files.js";
import { hasBlock, markedBlock, withBlockLast, withoutBlock } from "../store/marked-block.js";
import type { HookManager } from "./manager.js";
import { slotLine } from "./templates.js";

const NAME = "ua-hooks hooks";

/**
 * git ≥ 2.54 runs hooks that its config names, wherever `core.hooksPath` leads (git-config(1), `hook.<name>.command`): no
 * manager writes there. git hands the command to sh with its own arguments after it, so it ends with the event. Config
 * hooks run before the hook file.
 */
export const configHooks: HookManager = {
  name: "config",
  detect: () => true,
  plan: async ({ project: { commonDir, stateDir } }) => {
    const file = join(commonDir, "config");
    const sections = EVENTS.flatMap((event) => section(event, slotLine(stateDir, "config", event)));
    const text = withBlockLast(readBytes(file), markedBlock(sections, NAME), NAME);
    return { steps: [{ file, what: "hooks named in git's config", text: Buffer.from(text, "latin1") }] };
  },
  undo: ({ project: { commonDir } }) => {
    const file = join(commonDir, "config");
    const text = readBytes(file);
    if (!hasBlock(text, NAME)) return [];
    return [{ file, what: "hooks taken out of git's config", text: Buffer.from(withoutBlock(text, NAME), "latin1") }];
  },
  holds: ({ project: { commonDir } }) => (hasBlock(readBytes(join(commonDir, "config")), NAME) ? [...EVENTS] : []),
};

/** A quoted value: outside of quotes `;` starts a comment (git-config(1), "Syntax"). */
function section(event: Event, command: string): string[] {
  const quoted = command.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return [`[hook "ua-hooks-${event}"]`, `\tevent = ${event}`, `\tcommand = "${quoted}"`];
}
