import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { releaseUpdate } from "../updates/update.js";
import type { Command } from "./command.js";

export const release: Command = {
  summary: "give a claimed update back",
  usage: "[--lease ID] [--error TEXT]",
  example: 'ua-hooks release --error "the model gave no JSON"',
  options: { lease: { type: "string" }, error: { type: "string" } },
  help: {
    "--lease ID": "the lease to end; not needed where there is one",
    "--error TEXT": "it was tried and did not work: after three tries it is no longer pushed at anybody",
  },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    const lease = typeof flags.lease === "string" ? flags.lease : null;
    const error = typeof flags.error === "string" ? flags.error : null;
    const marker = await withContext(project, (context) => releaseUpdate(context, { lease, error }));
    const state = marker?.state ?? "none";
    out.result({ schema: "ua-hooks.release/1", state, pending: marker }, [
      state === "failed" ? `Given back; failed after ${marker?.attempts} tries.` : "Given back.",
    ]);
    return 0;
  },
};
