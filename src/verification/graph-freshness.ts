import { messageOf } from "../errors.js";
import { decodePath } from "../git/paths.js";
import { gitLineSync, gitSync } from "../git/run.js";
import { dirtyPathsSync, distanceSync } from "../git/status.js";
import { records } from "../git/trees.js";
import { artefactPath, GRAPH, readMeta } from "../knowledge/artefacts.js";
import { readProjectPart } from "../knowledge/graph-file.js";
import { isOurs } from "../repository/inputs.js";
import { locateProjectSync, type Project } from "../repository/locate.js";
import { createIgnoreFilter } from "../repository/rules.js";

/**
 * The paths that differ between a commit and HEAD, both names of a rename. Throws a GitError if git fails: an empty
 * list would mean fresh.
 *
 * @example getChangedFiles(process.cwd(), "4f2c1e9") // ["src/a.ts"]
 */
export function getChangedFiles(projectDir: string, lastCommitHash: string): string[] {
  const commit = resolveCommit(projectDir, lastCommitHash);
  const flags = ["--name-only", "-z", "--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--no-color"];
  const output = gitSync(projectDir, ["diff", ...flags, commit, "HEAD", "--"]);
  return [...records(output)].map(decodePath);
}

/** The hash comes from a file that may contain anything: git must not treat it as an option or a range. */
function resolveCommit(cwd: string, name: string): string {
  return gitLineSync(cwd, ["rev-parse", "--verify", "--end-of-options", `${name}^{commit}`]);
}

export interface StalenessResult {
  stale: boolean;
  changedFiles: string[];
  /** Why the result is unknown: then `stale` is true and the list is empty. */
  reason?: string;
}

/**
 * Whether anything differs between a commit and HEAD.
 *
 * @example isStale(process.cwd(), meta.gitCommitHash).stale // true
 */
export function isStale(projectDir: string, lastCommitHash: string): StalenessResult {
  try {
    const changedFiles = getChangedFiles(projectDir, lastCommitHash);
    return { stale: changedFiles.length > 0, changedFiles };
  } catch (error) {
    return { stale: true, changedFiles: [], reason: messageOf(error) };
  }
}

export interface GraphFreshness {
  status: "fresh" | "dirty" | "stale" | "unknown";
  /** Commits that HEAD has and the graph's commit does not, and the other way round. */
  behind: number;
  ahead: number;
  diverged: boolean;
  reason: string;
  graphCommit: string | null;
  headCommit: string | null;
  /** Paths with uncommitted changes that are not ignored. */
  dirtyFiles: string[];
}

/**
 * Where the knowledge graph of a project stands against HEAD, by commits and paths alone: it finds the graph and its
 * commit by itself (`getGraphFreshness` is given the commit). `stale` where a path differs
 * that is not ignored, `dirty` where one has uncommitted changes only. Never throws: what cannot be known is `unknown`.
 *
 * @example readGraphFreshness(process.cwd()).status // "fresh"
 */
export function readGraphFreshness(projectDir: string): GraphFreshness {
  const found: GraphFreshness = {
    status: "unknown",
    behind: 0,
    ahead: 0,
    diverged: false,
    reason: "",
    graphCommit: null,
    headCommit: null,
    dirtyFiles: [],
  };
  try {
    // The caller names the folder; GIT_DIR of a running hook would name another repository.
    const { UNDERSTAND_NO_WORKTREE_REDIRECT: own } = process.env;
    const project = locateProjectSync({ cwd: projectDir, env: { UNDERSTAND_NO_WORKTREE_REDIRECT: own } });
    return Object.assign(found, look(project, found));
  } catch (error) {
    return { ...found, status: "unknown", reason: messageOf(error) };
  }
}

/** Stores partial results in `found`, so that they are kept if a later step fails. */
function look(project: Project, found: GraphFreshness): Partial<GraphFreshness> {
  const cwd = project.worktree.path;
  found.graphCommit = graphCommitOf(project);
  if (found.graphCommit === null)
    return { reason: "there is no meta.json, and no knowledge graph that begins with its commit" };
  found.headCommit = gitLineSync(cwd, ["rev-parse", "--verify", "HEAD^{commit}"]);
  const counts = keep(project);
  found.dirtyFiles = dirtyPathsSync(cwd).filter(counts);
  const graphCommit = resolveCommit(cwd, found.graphCommit);
  const { relation, behind, ahead } = distanceSync(cwd, graphCommit, found.headCommit);
  const at = { behind, ahead, diverged: relation === "diverged" };
  const changed = relation === "equal" ? [] : getChangedFiles(cwd, graphCommit).filter(counts);
  if (changed.length > 0) return { ...at, status: "stale", reason: `${paths(changed)} changed since ${graphCommit}` };
  if (found.dirtyFiles.length > 0) {
    return { ...at, status: "dirty", reason: `${paths(found.dirtyFiles)} with uncommitted changes` };
  }
  const reason = relation === "equal" ? "the graph is at HEAD" : "HEAD moved, but only ignored paths differ";
  return { ...at, status: "fresh", reason };
}

/** meta.json's commit first, else the one that the graph begins with. */
function graphCommitOf(project: Project): string | null {
  const meta = readMeta(project);
  if (meta !== null) return meta.gitCommitHash;
  const described = readProjectPart(project, artefactPath(project, GRAPH));
  if (typeof described !== "object" || described === null || !("gitCommitHash" in described)) return null;
  return typeof described.gitCommitHash === "string" ? described.gitCommitHash : null;
}

function keep({ root, worktree }: Project): (path: string) => boolean {
  const filter = createIgnoreFilter(root ?? worktree.path);
  return (path) => !isOurs(path) && !filter.isIgnored(path);
}

function paths(list: readonly string[]): string {
  return `${list.length} ${list.length === 1 ? "path" : "paths"}`;
}
