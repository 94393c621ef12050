import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { UaError } from "../errors.js";
import { isAncestor } from "../git/history.js";
import { git, isRefusal } from "../git/run.js";
import { type ArtefactKind, mergeArtefact } from "../graph/artefact-merge.js";
import { GraphError, isGraphError } from "../graph/errors.js";
import { FINGERPRINTS, GRAPH, META } from "../knowledge/artefacts.js";
import { locateProject } from "../repository/locate.js";
import { faultPoint } from "../store/fault.js";
import { stagingDir, toJson, writeFileAtomic } from "../store/files.js";

const KINDS: Partial<Record<string, ArtefactKind>> = {
  [GRAPH]: "graph",
  [FINGERPRINTS]: "fingerprints",
  [META]: "meta",
};

/** The kind of merge for an artefact; undefined for those that are not merged. */
function kindOf(name: string): ArtefactKind | undefined {
  return Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
}

export interface DriverFiles {
  base: string;
  ours: string;
  theirs: string;
  /** The path in the repository, which decides the kind. */
  path: string;
}

/**
 * git's merge driver: %O, %A and %B are temporary files in the working directory, and the result goes into %A. If a
 * side cannot be read it contains git's text merge, and git reports the error as a conflict.
 */
export async function mergeDriver(cwd: string, files: DriverFiles): Promise<void> {
  const kind = kindOf(basename(files.path));
  try {
    if (kind === undefined) throw new GraphError("wrong-shape", "It is not an artefact.");
    const [base, ours, theirs] = [files.base, files.ours, files.theirs].map((file) => read(resolve(cwd, file)));
    const versions = { base: base ?? null, ours: ours ?? "", theirs: theirs ?? "" };
    const merged = await mergeArtefact(kind, versions, (older, newer) => isAncestor(cwd, older, newer));
    const { stateDir } = await locateProject({ cwd, env: process.env });
    faultPoint("merge.write");
    // All or nothing: if it fails, git's text merge still needs the file.
    writeFileAtomic(resolve(cwd, files.ours), toJson(merged), 0o644, stagingDir(stateDir));
  } catch (error) {
    if (!isGraphError(error)) throw error;
    await textMerge(cwd, files);
    const what = `${files.path} cannot be merged by id: ${error.message}`;
    throw new UaError("damaged", what, "resolve it as a text conflict", error);
  }
}

const read = (file: string) => readFileSync(file, "utf8");

/** Conflict markers in %A, as git without a driver leaves them. git-merge-file(1): the exit code counts the conflicts. */
async function textMerge(cwd: string, { base, ours, theirs }: DriverFiles): Promise<void> {
  const labels = ["-L", "ours", "-L", "base", "-L", "theirs"];
  await git(cwd, ["merge-file", ...labels, ours, base, theirs]).catch((error: unknown) => {
    if (!isRefusal(error)) throw error;
  });
}
