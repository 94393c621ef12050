import type { Marker } from "../marker/marker.js";
import { loadConfig } from "../repository/config.js";
import { withContext } from "../repository/context.js";
import { projectAt } from "../repository/installed.js";
import { runStructural } from "../updates/run.js";
import { runCommand } from "../updates/run-command.js";
import type { Command } from "./command.js";
import { count, printable, short } from "./output.js";

export const run: Command = {
  summary: "update the graph now",
  usage: "[--full]",
  example: "ua-hooks run",
  options: { full: { type: "boolean" } },
  help: { "--full": "analyze every file again, not only changed ones; descriptions are kept" },
  async run({ cwd, flags, out }) {
    const project = await projectAt(cwd);
    const full = flags.full === true;
    const { analyzer } = await loadConfig(project.root);
    if (analyzer !== "structural") {
      const applied = await withContext(project, (context) => runCommand(context, { full }));
      const files = applied?.applied ?? [];
      out.result(
        {
          schema: "ua-hooks.run/1",
          state: applied === null ? "nothing" : "done",
          applied: files,
          pending: applied?.marker ?? null,
        },
        [
          applied === null ? "Nothing is pending." : `${count(files.length, "file")} applied`,
          ...(applied?.refused ?? []).map(({ path, reason }) => `  ${printable(path)} stays pending: ${reason}`),
        ],
      );
      return 0;
    }
    const { done, verification } = await withContext(project, (context) => runStructural(context, { full }));
    const at = short(verification.head.commit);
    out.result(
      {
        schema: "ua-hooks.run/1",
        state: done ? "done" : "nothing",
        head: verification.head,
        pending: verification.marker,
      },
      [
        done
          ? `The graph now describes ${at}.`
          : `The graph already describes ${at}: nothing to do. \`ua-hooks run --full\` builds it again.`,
        ...stillPending(done ? verification.marker : null),
      ],
    );
    return 0;
  },
};

/** What no analyzer can renew: a description of a symbol that has another interface now. */
function stillPending(marker: Marker | null): string[] {
  if (marker === null) return [];
  const files = count(marker.filesToReanalyze.length, "file");
  return [`Still pending: ${files} with a description of an interface that changed. \`ua-hooks pending\` lists what.`];
}
