import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Marker } from "../../src/marker/marker.js";
import { type Repo, SMALL_PROJECT } from "./repo.js";

/** Where a layout must keep what: the defaults are those of a normal checkout. */
export interface Place {
  dataDir?: string;
  /** The view's id, `.` for a main worktree. */
  id?: string;
  markerName?: string;
  /** Where hooks are in already, and only the commits are wanted. */
  install?: boolean;
}

/** The small project as the first commit. */
export function startProject(repo: Repo): void {
  repo.commit("start", SMALL_PROJECT);
}

export function installInto(repo: Repo, ...args: string[]): void {
  const { code, stderr } = repo.ua("install", ...args);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
}

/**
 * What every layout must be able to do: install, a comment commit that leaves no marker and is verified, a changed
 * parameter that leaves one in the right place; git says nothing and its work tree stays clean.
 */
export function wholeRound(repo: Repo, place: Place = {}): Marker {
  const { dataDir = join(repo.dir, ".understand-anything"), id = ".", install = true } = place;
  const markerName = place.markerName ?? (id === "." ? "pending-update.json" : `pending-update.${id}.json`);
  if (install) installInto(repo);
  const others = markersIn(dataDir);

  const before = repo.read("src/b.ts");
  const comment = quietCommit(repo, `// doubles\n${before}`);
  assert.deepEqual(markersIn(dataDir), others, "a comment is no news");
  const status = repo.uaJson("status");
  assert.equal(status.lastVerifiedSha, comment, "the comment commit is verified");
  assert.equal(status.dataDir, dataDir);

  const changed = quietCommit(repo, before.replace("x: number)", "x: number, y = 1)"));
  assert.deepEqual(markersIn(dataDir), [...others, markerName].sort(), "one marker, and no other");
  const marker = JSON.parse(readFileSync(join(dataDir, markerName), "utf8")) as Marker;
  assert.deepEqual(marker.worktree, { id, path: repo.dir, linked: id !== "." });
  assert.equal(marker.head.commit, changed);
  assert.deepEqual(marker.filesToReanalyze, ["src/b.ts"]);
  assert.deepEqual(marker.fileChanges[0]?.details, ["params changed: twice"]);
  if (dataDir !== join(repo.dir, ".understand-anything")) {
    assert.equal(repo.has(".understand-anything"), false, "nothing is written into the worktree");
  }
  assert.equal(repo.git("status", "--porcelain"), "", "the work tree stays clean");
  return marker;
}

/** Commits src/b.ts, sure that git and hooks say nothing. */
function quietCommit(repo: Repo, text: string): string {
  repo.write({ "src/b.ts": text });
  const said = repo.tryGit("commit", "-q", "-a", "-m", "change");
  assert.deepEqual(said, { code: 0, stdout: "", stderr: "" });
  return repo.head();
}

export function markersIn(dataDir: string): string[] {
  return existsSync(dataDir)
    ? readdirSync(dataDir)
        .filter((name) => name.startsWith("pending-update"))
        .sort()
    : [];
}
