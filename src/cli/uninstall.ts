import { relative } from "node:path";
import { uninstall as uninstallFrom } from "../install/install.js";
import { locateProject } from "../project/locate.js";
import type { Command } from "./command.js";
import { paint } from "./output.js";

export const uninstall: Command = {
  summary: "take the hooks out again",
  usage: "[--purge]",
  example: "npx ua-hooks uninstall --purge",
  options: { purge: { type: "boolean" }, yes: { type: "boolean", short: "y" } },
  help: { "--purge": "also remove the state and the artefacts that install made" },
  async run({ cwd, flags, out }) {
    const project = await locateProject({ cwd, env: process.env });
    const { steps, kept } = await uninstallFrom(project, { purge: flags.purge === true });
    const place = (file: string) => relative(project.root ?? project.view.path, file) || file;
    const lines = steps.map(({ file, what }) => `  ${place(file)}  ${paint("dim", what)}`);
    out.result({ schema: "ua-hooks.uninstall/1", changed: steps.map(({ file, what }) => ({ file, what })), kept }, [
      steps.length === 0 ? "There was nothing of ours." : "Taken out:",
      ...lines,
      ...(kept.length === 0 ? [] : [`Kept (--purge removes it): ${kept.map(place).join(", ")}`]),
    ]);
    return 0;
  },
};
