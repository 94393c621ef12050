import { relative } from "node:path";
import { uninstall as uninstallFrom } from "../install/uninstall.js";
import { locateProject } from "../repository/locate.js";
import { ask, isAttended } from "./ask.js";
import type { Command } from "./command.js";
import { paint, printable, table } from "./output.js";

export const uninstall: Command = {
  summary: "remove the hooks",
  usage: "[--purge] [--yes]",
  example: "ua-hooks uninstall --purge",
  options: { purge: { type: "boolean" }, yes: { type: "boolean", short: "y" } },
  help: {
    "--purge": "also remove the state and the artefacts that install created; lists them, and asks on a terminal",
    "--yes": "answer yes to all questions",
  },
  async run({ cwd, flags, out }) {
    const project = await locateProject({ cwd, env: process.env });
    const place = (file: string) => printable(relative(project.root ?? project.worktree.path, file) || file);
    const purge = flags.purge === true;
    const { steps, kept, refused, done } = await uninstallFrom(project, {
      purge,
      mayGo: async (going) => {
        if (!purge) return true;
        const artefacts = going.steps.filter(({ text }) => text === null).map(({ file }) => file);
        const gone = [...going.folders, ...artefacts].map((file) => `  ${place(file)}`);
        if (gone.length > 0) out.note(["These files will be deleted:", ...gone].join("\n"));
        // Without a terminal, --purge itself is the confirmation.
        return flags.yes === true || gone.length === 0 || !isAttended() || ask("Delete them?");
      },
    });
    if (!done) {
      out.result({ schema: "ua-hooks.uninstall/1", changed: [], kept: [], refused: [] }, ["Nothing was removed."]);
      return 0;
    }
    const lines = table(steps.map(({ file, what }) => [`  ${place(file)}`, paint("dim", what)]));
    const changed = steps.map(({ file, what }) => ({ file, what }));
    const left = refused.map(({ message }) => message);
    out.result({ schema: "ua-hooks.uninstall/1", changed, kept, refused: left }, [
      steps.length === 0 ? "Nothing was installed." : "Removed:",
      ...lines,
      ...(kept.length === 0
        ? []
        : [`Kept: ${kept.map(place).join(", ")}; \`npx ua-hooks uninstall --purge\` removes it`]),
    ]);
    for (const error of refused) out.note(`ua-hooks: ${printable(error.message)}\n  ${error.next}`);
    return refused[0]?.exitCode ?? 0;
  },
};
