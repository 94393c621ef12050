import { hostname, userInfo } from "node:os";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { claimUpdate } from "../updates/update.js";
import type { Command } from "./command.js";
import { printable, table } from "./output.js";

export const claim: Command = {
  summary: "take a lease on the pending update",
  usage: "[--full] [--holder NAME] [--lease ID]",
  example: "ua-hooks claim --holder reviewer --json",
  options: { full: { type: "boolean" }, holder: { type: "string" }, lease: { type: "string" } },
  help: {
    "--full": "also a FULL_UPDATE, which never starts automatically",
    "--holder NAME": "name of the holder, shown to others",
    "--lease ID": "extend your own lease",
  },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    const holder = typeof flags.holder === "string" ? flags.holder : `${userInfo().username}@${hostname()}`;
    const renew = typeof flags.lease === "string" ? flags.lease : null;
    const marker = await withContext(project, (context) =>
      claimUpdate(context, { holder, full: flags.full === true, renew }),
    );
    if (marker === null) {
      out.result({ schema: "ua-hooks.pending/1", state: "none" }, ["Nothing is pending."]);
      return 0;
    }
    const files = [...marker.filesToReanalyze, ...marker.deletedFiles.map((file) => `${file} (deleted)`)];
    out.result({ ...marker }, [
      ...table([
        ["Lease", `${marker.lease?.id}, until ${marker.lease?.expiresAt}`],
        ["Update", `${marker.action}: ${marker.reason}`],
      ]),
      ...files.map((file) => `  ${printable(file)}`),
    ]);
    return 0;
  },
};
