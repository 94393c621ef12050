import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { releaseUpdate } from "../updates/update.js";
import type { Command } from "./command.js";

export const release: Command = {
  summary: "end a lease without a delivery",
  usage: "[--lease ID] [--error TEXT]",
  example: 'ua-hooks release --error "the model gave no JSON"',
  options: { lease: { type: "string" }, error: { type: "string" } },
  help: {
    "--lease ID": "the lease to end; not needed if there is only one",
    "--error TEXT": "the attempt failed: after three failures agents are no longer notified",
  },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    const lease = typeof flags.lease === "string" ? flags.lease : null;
    const error = typeof flags.error === "string" ? flags.error : null;
    const marker = await withContext(project, (context) => releaseUpdate(context, { lease, error }));
    const state = marker?.state ?? "none";
    out.result({ schema: "ua-hooks.release/1", state, pending: marker }, [
      state === "failed" ? `Released; failed after ${marker?.attempts} attempts.` : "Released.",
    ]);
    return 0;
  },
};
