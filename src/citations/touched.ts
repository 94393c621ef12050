import { git, isRefusal } from "../git/run.js";
import { parseRawRecords, records, type TreeChange } from "../git/trees.js";

/** Beyond so many commits everything is looked at anew. */
const MOST_COMMITS = 500;

/**
 * Every change of every commit between two others, on either side; a merge against each of its parents. So a change that was taken back is
 * there, too. null: too many commits, or one that this clone does not have.
 */
export async function touchedBetween(cwd: string, from: string, to: string): Promise<TreeChange[] | null> {
  try {
    const flags = [
      "--format=",
      "--raw",
      "-r",
      "-z",
      "-m",
      "--root",
      "--no-renames",
      "--no-abbrev",
      "--no-ext-diff",
      "--no-textconv",
    ];
    const range = `${from}...${to}`;
    const count = Number((await git(cwd, ["rev-list", "--count", range, "--"])).toString("latin1"));
    if (!(count <= MOST_COMMITS)) return null;
    const output = await git(cwd, ["log", "--no-show-signature", ...flags, range, "--"]);
    return parseRawRecords([...records(output)].filter((record) => record.length > 0));
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}
