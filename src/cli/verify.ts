import { UaError } from "../errors.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import type { Project } from "../repository/locate.js";
import type { Command, Invocation } from "./command.js";
import { count, printable } from "./output.js";
import { askEarly } from "./registry.js";

/** Enough to see the kind of difference. */
const SHOWN = 20;

export const verify: Command = {
  summary: "compare every file with the registry, or the stores with a rebuild",
  busy: "verifying",
  usage: "[--rehash] [--md5] [--all] | --against-clean [--exit-code]",
  example: "ua-hooks verify --rehash",
  options: {
    ...{ rehash: { type: "boolean" }, md5: { type: "boolean" }, all: { type: "boolean" } },
    ...{ conversation: { type: "string" }, "against-clean": { type: "boolean" }, "exit-code": { type: "boolean" } },
  },
  help: {
    "--rehash": "hash every file, without trusting git's index",
    "--md5": "include the md5 of each content",
    "--all": "also list files that match",
    "--conversation ID": "id of the caller: within one conversation the registry is trusted until HEAD moves",
    "--against-clean":
      "compare graph, fingerprints, registry and pending update with a rebuild from the analysed blobs",
    "--exit-code": "exit 1 if something differs",
  },
  async run(invocation) {
    const { cwd, flags } = invocation;
    const isClean = flags["against-clean"] === true;
    if (isClean && (flags.rehash ?? flags.md5 ?? flags.all) !== undefined) {
      throw new UaError("usage", "--against-clean cannot be combined with --rehash, --md5 or --all");
    }
    const project = await projectAt(cwd);
    if (isClean) return againstClean(invocation, project);
    const asking = askEarly(project, flags);
    const { runVerification } = await import("./registry-verify.js");
    return withContext(project, (context) => runVerification(invocation, context, asking));
  },
};

async function againstClean({ flags, out }: Invocation, project: Project): Promise<number> {
  const { compareWithClean } = await import("../updates/run.js");
  const differences = await withContext(project, compareWithClean);
  const shown = differences.slice(0, SHOWN);
  out.result(
    { schema: "ua-hooks.verify/1", equal: differences.length === 0, count: differences.length, differences: shown },
    [
      differences.length === 0 ? "Equal to a rebuild." : `${count(differences.length, "difference")}:`,
      ...shown.map((line) => `  ${printable(line)}`),
    ],
  );
  return differences.length > 0 && flags["exit-code"] === true ? 1 : 0;
}
