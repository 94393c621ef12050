import { UaError } from "../errors.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { ackUpdate } from "../updates/update.js";
import type { Command } from "./command.js";
import { count, printable } from "./output.js";

export const ack: Command = {
  summary: "mark the pending files as up to date, without an analysis",
  busy: "updating the graph",
  usage: "[--generation N] [--lease ID]",
  example: "ua-hooks ack --generation 7",
  options: { generation: { type: "string" }, lease: { type: "string" } },
  help: {
    "--generation N": "only the files of that generation that have not changed since",
    "--lease ID": "the lease of the claim",
  },
  async run({ cwd, flags, out }) {
    const generation = flags.generation === undefined ? null : Number(flags.generation);
    if (generation !== null && !(Number.isInteger(generation) && generation > 0)) {
      throw new UaError("usage", "--generation must be a whole number above 0");
    }
    const project = await projectAt(cwd);
    const lease = typeof flags.lease === "string" ? flags.lease : null;
    const { acked, marker } = await withContext(project, (context) => ackUpdate(context, { lease, generation }));
    out.result({ schema: "ua-hooks.ack/1", acked, pending: marker }, [
      `${count(acked.length, "file")} acknowledged; ${marker === null ? "nothing is pending any more" : marker.reason}`,
      ...acked.map((path) => `  ${printable(path)}`),
    ]);
    return 0;
  },
};
