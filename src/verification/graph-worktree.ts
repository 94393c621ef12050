import { rmSync } from "node:fs";
import type { Project } from "../repository/locate.js";
import { isAway, listWorktrees } from "../repository/worktrees.js";
import { writeLog } from "../store/log.js";
import { readSetting, SETTINGS, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";
import { stampPath } from "./stamp.js";

/** The graph describes one worktree: the main one, or in a bare repository the one that install ran in. */
export function describesGraph(db: Db, project: Project): boolean {
  if (!isSharedByBare(project)) return !project.worktree.linked || project.scope === project.worktree.id;
  return readSetting(db, SETTINGS.graphWorktree) === project.worktree.id;
}

/** Worktrees of a bare repository share one graph, and none of them is the main one. */
function isSharedByBare({ mainPath, scope }: Project): boolean {
  return mainPath === null && scope === ".";
}

/** For status, in a bare repository: which worktree the graph describes. null where that is clear, or there is none. */
export function graphWorktreeOf(db: Db, project: Project): { id: string; isGone: boolean } | null {
  const id = isSharedByBare(project) ? readSetting(db, SETTINGS.graphWorktree) : null;
  return id === null ? null : { id, isGone: isGone(project, id) };
}

function isGone(project: Project, id: string): boolean {
  return !isAway(project, id) && !listWorktrees(project).some((worktree) => worktree.id === id);
}

/**
 * Called with the lock held, before a verification. In a bare repository the graph's worktree can be removed like any other: then
 * the one that is verified next takes over. What it had acknowledged for itself alone is compared again, so that analyses that were
 * delivered there go into the graph.
 */
export function takeOverGraph(db: Db, project: Project): void {
  const { worktree, stateDir } = project;
  const before = readSetting(db, SETTINGS.graphWorktree);
  if (!isSharedByBare(project) || before === worktree.id || (before !== null && !isGone(project, before))) return;
  rmSync(stampPath(project), { force: true });
  db.write(() => {
    db.run("DELETE FROM view_baseline WHERE view = ?", worktree.id);
    db.run("UPDATE views SET verified_sha = NULL WHERE id = ?", worktree.id);
    writeSetting(db, SETTINGS.graphWorktree, worktree.id);
  });
  const was = before === null ? "no worktree was known for the graph" : `the graph's worktree ${before} is gone`;
  const entry = { at: new Date().toISOString(), view: worktree.id, events: [], head: null, outcome: "took over" };
  writeLog(stateDir, { ...entry, reason: `${was}: it now describes ${worktree.id}`, parses: 0, ms: 0 });
}
