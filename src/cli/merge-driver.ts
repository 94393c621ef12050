import { resolve } from "node:path";
import { messageOf, UaError } from "../errors.js";
import { refuseLinks } from "../platform/change-files.js";
import { mergeDriver as merge, textMerge } from "../worker/merge-driver.js";
import type { Command } from "./command.js";

/** The merge driver as a command; `install --team` registers hooks/merge.sh, which needs no installed command. */
export const mergeDriver: Command = {
  summary: "merge two versions of an artefact, as git's merge driver does",
  usage: "<base> <ours> <theirs> <path>",
  example: "ua-hooks merge-driver %O %A %B %P",
  options: {},
  help: {},
  positionals: true,
  hidden: true,
  async run({ cwd, positionals: [base, ours, theirs, path] }) {
    if (base === undefined || ours === undefined || theirs === undefined || path === undefined) {
      throw new UaError("usage", "a merge driver takes four arguments", "see gitattributes(5): %O %A %B %P");
    }
    const files = { base, ours, theirs, path };
    refuseLinks(resolve(cwd, ours)); // git merge-file would follow one
    try {
      await merge(cwd, files);
      return 0;
    } catch (error) {
      process.stderr.write(`ua-hooks: ${messageOf(error)}\n`);
      // 1: git reports a conflict; a status above 128 would abort the whole merge
      return (await textMerge(cwd, files)) ? 0 : 1;
    }
  },
};
