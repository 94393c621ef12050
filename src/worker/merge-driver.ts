import { openSync, readSync } from "node:fs";
import { basename, resolve } from "node:path";
import { UaError } from "../errors.js";
import { isAncestor } from "../git/history.js";
import { git, isRefusal } from "../git/run.js";
import { type ArtefactKind, mergeArtefact } from "../graph/artefact-merge.js";
import { GraphError, isGraphError } from "../graph/errors.js";
import type { ByteSource } from "../graph/source.js";
import { FINGERPRINTS, GRAPH, META } from "../knowledge/artefacts.js";
import { locateProject } from "../repository/locate.js";
import { faultPoint } from "../store/fault.js";
import { writeFileAtomic } from "../store/files.js";

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

/** How the program says that it merged (hooks/merge.sh): a Node that fails, or runs another program, ends with another status. */
export const MERGED_STATUS = 96;

/**
 * git's merge driver: %O, %A and %B are temporary files in the working directory. The result goes into `into`, whole or not at all; if
 * a side cannot be read, nothing is written. Needs no state dir.
 */
export async function mergeDriver(cwd: string, files: DriverFiles, into = files.ours): Promise<void> {
  const kind = kindOf(basename(files.path));
  await locateProject({ cwd, env: process.env }); // refuses what git refuses
  try {
    if (kind === undefined) throw new GraphError("wrong-shape", "It is not an artefact.");
    const open = (file: string) => openSource(resolve(cwd, file));
    const versions = { base: open(files.base), ours: open(files.ours), theirs: open(files.theirs) };
    const merged = await mergeArtefact(kind, versions, (older, newer) => isAncestor(cwd, older, newer));
    faultPoint("merge.write");
    writeFileAtomic(resolve(cwd, into), merged);
  } catch (error) {
    if (!isGraphError(error)) throw error;
    const what = `${files.path} cannot be merged by id: ${error.message}`;
    throw new UaError("damaged", what, "resolve it as a text conflict", error);
  }
}

/** One of git's temporary files: read in parts, and by place. It stays open until the process ends. */
function openSource(file: string): ByteSource {
  const fd = openSync(file, "r");
  const read = (start: number, end: number) => {
    const bytes = Buffer.allocUnsafe(end - start);
    let length = 0;
    while (length < bytes.length) {
      const more = readSync(fd, bytes, length, bytes.length - length, start + length);
      if (more === 0) break;
      length += more;
    }
    return bytes.subarray(0, length);
  };
  function* chunks(): Generator<Buffer> {
    for (let at = 0; ; ) {
      const chunk = read(at, at + CHUNK_BYTES);
      if (chunk.length === 0) return;
      at += chunk.length;
      yield chunk;
    }
  }
  return { chunks, read };
}

const CHUNK_BYTES = 1024 * 1024;

/** What git does without a driver, into %A. Returns whether there was no conflict. git-merge-file(1): the exit code counts the conflicts. */
export async function textMerge(cwd: string, { base, ours, theirs }: DriverFiles): Promise<boolean> {
  const labels = ["-L", "ours", "-L", "base", "-L", "theirs"];
  return git(cwd, ["merge-file", ...labels, ours, base, theirs]).then(
    () => true,
    (error: unknown) => {
      if (!isRefusal(error)) throw error;
      return false;
    },
  );
}
