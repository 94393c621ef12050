import { UaError } from "../errors.js";
import { proveClean } from "../hook/update.js";
import { locateProject } from "../project/locate.js";
import type { Command } from "./command.js";
import { count, printable } from "./output.js";
import { requireSetUp } from "./pending.js";

/** Enough to see what kind of difference it is. */
const SHOWN = 20;

export const verify: Command = {
  summary: "prove that the stores equal a rebuild",
  usage: "--against-clean [--exit-code]",
  example: "ua-hooks verify --against-clean",
  options: { "against-clean": { type: "boolean" }, "exit-code": { type: "boolean" } },
  help: {
    "--against-clean": "compare graph, fingerprints and pending set with a rebuild from the analysed blobs",
    "--exit-code": "exit 1 where something differs",
  },
  async run({ cwd, flags, out }) {
    if (flags["against-clean"] !== true) throw new UaError("usage", "say what to verify: --against-clean");
    const project = await locateProject({ cwd, env: process.env });
    requireSetUp(project);
    const differences = await proveClean(project);
    const shown = differences.slice(0, SHOWN);
    out.result(
      { schema: "ua-hooks.verify/1", equal: differences.length === 0, count: differences.length, differences: shown },
      [
        differences.length === 0 ? "Equal to a rebuild." : `${count(differences.length, "difference")}:`,
        ...shown.map((line) => `  ${printable(line)}`),
      ],
    );
    return differences.length > 0 && flags["exit-code"] === true ? 1 : 0;
  },
};
