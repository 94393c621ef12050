import { join } from "node:path";
import { EVENTS, type Event } from "../git/hook-events.js";
import { isLink, readBytes } from "../store/files.js";
import { hasBlock, markedBlock, withBlockLast, withoutBlock } from "../store/marked-block.js";
import type { HookManager } from "./manager.js";
import { slotLine } from "./templates.js";

const NAME = "ua-hooks hooks";

/**
 * git ≥ 2.54 runs hooks from its config, independent of `core.hooksPath` (git-config(1), `hook.<name>.command`); no
 * hook manager writes there. git passes the command to sh with git's arguments after it, so it ends with the event.
 * Config hooks run before the hook file.
 */
export const configHooks: HookManager = {
  name: "config",
  // A link, to a file that other repositories may include too, would be replaced by a file.
  detect: ({ project: { commonDir } }) => !isLink(join(commonDir, "config")),
  plan: async ({ project: { commonDir, stateDir } }) => {
    const file = join(commonDir, "config");
    const sections = EVENTS.flatMap((event) => section(event, slotLine(stateDir, "config", event)));
    const text = withBlockLast(readBytes(file), markedBlock(sections, NAME), NAME);
    return { steps: [{ file, what: "hooks added to git's config", text: Buffer.from(text, "latin1") }] };
  },
  undo: ({ project: { commonDir } }) => {
    const file = join(commonDir, "config");
    const text = readBytes(file);
    if (!hasBlock(text, NAME)) return [];
    return [{ file, what: "hooks removed from git's config", text: Buffer.from(withoutBlock(text, NAME), "latin1") }];
  },
  holds: ({ project: { commonDir } }) => (hasBlock(readBytes(join(commonDir, "config")), NAME) ? [...EVENTS] : []),
};

/** Quoted: outside of quotes `;` starts a comment (git-config(1), "Syntax"). */
function section(event: Event, command: string): string[] {
  const quoted = command.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return [`[hook "ua-hooks-${event}"]`, `\tevent = ${event}`, `\tcommand = "${quoted}"`];
}
