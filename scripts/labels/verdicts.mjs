// The verdict of this build on each labelled change.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Contents, changedSymbols, contentsOf } from "./changes.mjs";

async function verdictOf(label, contents) {
  const both = await contentsOf(contents, label.commit, label.path);
  const found = both && changedSymbols(both).find(({ kind, name }) => kind === label.kind && name === label.name);
  return found === undefined ? undefined : { ...label, drift: found.drift, isAside: found.after.isAside };
}

/** Labels of clones that are not in the folder are left out; a change that is none in this build is an error. */
export async function verdicts(labels, folder) {
  const read = [];
  for (const repository of new Set(labels.map((label) => label.repository))) {
    const clone = join(folder, repository.replace("/", "+"));
    if (!existsSync(clone)) continue;
    const contents = new Contents(clone);
    for (const label of labels.filter((one) => one.repository === repository)) {
      const verdict = await verdictOf(label, contents);
      if (verdict === undefined)
        throw new Error(`no such change: ${repository} ${label.commit} ${label.path} ${label.name}`);
      read.push(verdict);
    }
    contents.close();
  }
  return read;
}
