import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { status } from "../../src/cli/status.js";
import type { Marker } from "../../src/marker/marker.js";
import { withContext } from "../../src/repository/context.js";
import { locateProject } from "../../src/repository/locate.js";
import type { LogEntry } from "../../src/store/log.js";
import { openState } from "../../src/store/state.js";
import { readWorktree } from "../../src/sync/switch.js";
import type { Repo } from "./repo.js";

/** What a test expects to be pending: paths to analyse again, those that went, those that moved (`from → to`). */
export interface Expected {
  action?: Marker["action"];
  changed?: string[];
  deleted?: string[];
  renamed?: string[];
  /** `git status --porcelain`, where it is not to be clean. */
  status?: string;
}

interface StatusDocument {
  lastVerifiedSha: string | null;
  pending: Marker | null;
}

/**
 * After an operation whose hooks fire: the hook itself brought the marker in line, before anybody asked. Then all of
 * `expectAtRead`.
 */
export async function expectTruth(repo: Repo, expected: Expected = {}): Promise<Marker | null> {
  const place = whereIs(repo);
  assert.equal(runs(repo, place).at(-1)?.head, place.head, "the hook judged the commit that HEAD ended at");
  const byHook = markerOf(repo, place);
  const read = await expectAtRead(repo, expected);
  assert.deepEqual(pendingSet(byHook), pendingSet(read), "what the hook wrote is what a reader is told");
  assert.equal(byHook?.head.commit, read?.head.commit);
  return read;
}

/**
 * After any operation, at the next read: HEAD is verified, what is pending equals a judgement that knows nothing but
 * the artefacts and the commit, the marker file says the same, and the work tree is as git left it.
 */
export async function expectAtRead(repo: Repo, expected: Expected = {}): Promise<Marker | null> {
  const place = whereIs(repo);
  const { lastVerifiedSha, pending } = await statusOf(repo);
  assert.equal(lastVerifiedSha, place.head, "HEAD is verified");
  assert.deepEqual(pendingSet(pending), wanted(expected), "what is pending");
  assert.deepEqual(pendingSet(pending), pendingSet(await judgeClean(repo, place)), "as a clean judgement has it");
  assert.deepEqual(markerOf(repo, place), pending, "the marker file");
  if (pending !== null) assert.equal(pending.head.commit, place.head);
  assert.equal(repo.git("status", "--porcelain"), expected.status ?? "", "the work tree");
  return pending;
}

/** The command itself without the start of a process: it is asked after every step of every story. */
async function statusOf(repo: Repo): Promise<StatusDocument> {
  let document: unknown;
  const keep = (result: unknown) => {
    document = result;
  };
  await status.run({ cwd: repo.dir, flags: {}, positionals: [], out: { json: true, result: keep, note: () => {} } });
  return document as StatusDocument;
}

function wanted({ action, changed = [], deleted = [], renamed = [] }: Expected) {
  if (changed.length + deleted.length + renamed.length === 0) return { action: "none" };
  return { action: action ?? "PARTIAL_UPDATE", changed, deleted, renamed };
}

function pendingSet(marker: Marker | null) {
  if (marker === null) return { action: "none" };
  const { action, filesToReanalyze: changed, deletedFiles: deleted, renamedFiles } = marker;
  return { action, changed, deleted, renamed: renamedFiles.map(({ from, to }) => `${from} → ${to}`) };
}

/** Which worktree this is, as git says it. */
interface Place {
  head: string;
  gitDir: string;
  commonDir: string;
}

function whereIs(repo: Repo): Place {
  const args = ["rev-parse", "HEAD", "--path-format=absolute", "--git-dir", "--git-common-dir"];
  const [head = "", gitDir = "", commonDir = ""] = repo.git(...args).split("\n");
  return { head, gitDir, commonDir };
}

/** Of a linked worktree too: its marker is beside the graph, in the main one. */
function markerOf(repo: Repo, { gitDir, commonDir }: Place): Marker | null {
  const name = gitDir === commonDir ? "pending-update.json" : `pending-update.${basename(gitDir)}.json`;
  return repo.at(dirname(commonDir)).marker(name);
}

/**
 * The truth, without any memory: a repository that borrows the objects, stands at the same commit, has the artefacts
 * and an empty state, so that everything is taken in and judged anew.
 */
async function judgeClean(repo: Repo, { head, commonDir }: Place): Promise<Marker | null> {
  const dir = join(repo.base, "clean");
  const gitDir = join(dir, ".git");
  for (const name of ["objects/info", "refs", "ua-hooks"]) mkdirSync(join(gitDir, name), { recursive: true });
  writeFileSync(join(gitDir, "HEAD"), `${head}\n`);
  writeFileSync(join(gitDir, "objects/info/alternates"), `${join(commonDir, "objects")}\n`);
  (await openState(join(gitDir, "ua-hooks"))).close();
  cpSync(join(dirname(commonDir), ".understand-anything"), join(dir, ".understand-anything"), {
    recursive: true,
    filter: (path) => !basename(path).startsWith("pending-update"),
  });
  try {
    return (await withContext(await locateProject({ cwd: dir, env: {} }), readWorktree)).marker;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** What the hooks and runners of this clone have logged, oldest first. */
export function runs(repo: Repo, { commonDir } = whereIs(repo)): LogEntry[] {
  const file = join(commonDir, "ua-hooks", "ua-hooks.log");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as LogEntry);
}
