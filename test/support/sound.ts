import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { artefactPath, GRAPH } from "../../src/knowledge/artefacts.js";
import { type Marker, readMarker } from "../../src/marker/marker.js";
import { withContext } from "../../src/repository/context.js";
import { locateProject, type Project } from "../../src/repository/locate.js";
import { readTextIfThere } from "../../src/store/files.js";
import type { Db } from "../../src/store/sqlite.js";
import { integrityProblems, openState } from "../../src/store/state.js";
import { readWorktree } from "../../src/sync/switch.js";
import { compareWithClean } from "../../src/updates/run.js";
import { describesGraph } from "../../src/verification/graph-worktree.js";
import type { WorktreeRow } from "../../src/verification/worktree-rows.js";
import { contentOf } from "./clean.js";
import { parseGraph } from "./parse-graph.js";
import type { Repo } from "./repo.js";
import { assertTidy } from "./tidy.js";
import { checkGraph } from "./whole-graph.js";

/**
 * One ordinary read of a worktree, and then everything that it and the stores say is true, whatever happened before:
 * HEAD is verified, the database intact, nothing half written, the graph valid, graph, fingerprints and registry equal
 * to a rebuild, and what is pending equal to a judgement that has forgotten the last one. Returns what was read.
 */
export async function assertSound(worktree: Repo, what: string): Promise<Marker | null> {
  const project = await locateProject({ cwd: worktree.dir, env: {} });
  const { marker } = await withContext(project, readWorktree);
  assert.deepEqual(lasting(readMarker(project)), lasting(marker), `${what}: the marker file is what was read`);
  assertTidy(project, what);
  const isGraphs = await withState(project, (db) => {
    assert.deepEqual(integrityProblems(db), [], `${what}: the database is intact`);
    const row = db.get<WorktreeRow>("SELECT * FROM views WHERE id = ?", project.worktree.id);
    assert.equal(row?.verified_sha, worktree.head(), `${what}: verified at HEAD`);
    return describesGraph(db, project);
  });
  if (isGraphs) {
    const graph = readTextIfThere(artefactPath(project, GRAPH)) ?? "";
    assert.deepEqual(checkGraph(parseGraph(graph)), [], `${what}: the graph is valid`);
    assert.deepEqual(await withContext(project, compareWithClean), [], `${what}: equal to a rebuild`);
  }
  assert.deepEqual(contentOf(marker), await judgedAnew(project), `${what}, ${worktree.dir}: as judged from the start`);
  return marker;
}

/** What is pending in a view, by a judgement that remembers none before it. */
export async function judgedAnew(project: Project): Promise<unknown> {
  await forget(project);
  return contentOf((await withContext(project, readWorktree)).marker);
}

/** The file is not written anew where only events and times moved. */
function lasting(marker: Marker | null): unknown {
  if (marker === null) return null;
  const { events: _events, updatedAt: _updatedAt, ...rest } = marker;
  return rest;
}

/** Every verdict of a view gone, what it is judged against kept. */
async function forget(project: Project): Promise<void> {
  await withState(project, (db) => {
    db.run("UPDATE views SET verified_sha = NULL WHERE id = ?", project.worktree.id);
    db.run("DELETE FROM drift WHERE view = ?", project.worktree.id);
    db.run("DELETE FROM compared WHERE view = ?", project.worktree.id);
  });
  rmSync(join(project.stateDir, "proofs"), { recursive: true, force: true });
}

export async function withState<T>(project: Project, work: (db: Db) => T): Promise<T> {
  const db = await openState(project.stateDir);
  try {
    return work(db);
  } finally {
    db.close();
  }
}
