import { visible } from "../printable.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { readWorktree } from "../sync/switch.js";
import { BEING_VERIFIED, readSoon } from "../verification/soon.js";
import type { Command } from "./command.js";
import { printable } from "./output.js";
import { actionLabel, attemptLines, changeLines, lastKnownText, nextLines } from "./verdict-lines.js";

export const pending: Command = {
  summary: "list the pending update, if there is one",
  busy: "verifying",
  usage: "[--client C] [--exit-code]",
  example: "ua-hooks pending --json",
  options: { client: { type: "string" }, "exit-code": { type: "boolean" } },
  help: {
    "--client C": "print the message in that agent's format: claude, codex, cursor, gemini, copilot, opencode",
    "--exit-code": "exit 1 if something is pending",
  },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    const soon = await withContext(project, async (context) => {
      await context.config(); // reports a config that cannot be read: hooks continue with the last valid one
      return readSoon(context, readWorktree);
    });
    if (soon.found === null) {
      const { beingVerified: lastKnown } = soon;
      out.result({ schema: "ua-hooks.pending/1", state: "unknown", reason: BEING_VERIFIED, lastKnown }, [
        `Unknown: ${BEING_VERIFIED}. Last known: ${lastKnownText(lastKnown)}`,
      ]);
      return flags["exit-code"] === true ? 1 : 0;
    }
    const { marker } = soon.found;
    if (typeof flags.client === "string") {
      const { previewFor } = await import("../agents/preview.js");
      const document = previewFor(flags.client, marker, project.stateDir);
      if (document !== null) out.result(document, [visible(JSON.stringify(document))]);
      return marker !== null && flags["exit-code"] === true ? 1 : 0;
    }
    if (marker === null) {
      out.result({ schema: "ua-hooks.pending/1", state: "none" }, ["Nothing is pending."]);
      return 0;
    }
    out.result({ ...marker }, [
      `${actionLabel(marker.action)}: ${printable(marker.reason)}`,
      ...changeLines(marker.fileChanges),
      ...attemptLines(marker),
      ...nextLines(marker),
    ]);
    return flags["exit-code"] === true ? 1 : 0;
  },
};
