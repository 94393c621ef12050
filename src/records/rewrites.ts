import { waitingRewrites } from "../store/rewrites.js";
import type { Db } from "../store/sqlite.js";
import { addEvent } from "./store.js";

/** Amends of amends: more steps than this are a circle. */
const MOST_STEPS = 1_000;

/** Updates the commits of anchors from post-rewrite's pairs, so that they name existing commits. */
export function followRewrites(db: Db, stateDir: string, at: string): void {
  const waiting = waitingRewrites(stateDir);
  if (movedAnchors(db, waiting).length === 0) return; // almost always: then nothing is locked
  db.write(() => {
    for (const { id, commit, target } of movedAnchors(db, waiting)) {
      db.run("UPDATE records SET created_at_commit = ? WHERE id = ?", target, id);
      addEvent(db, id, { at, event: "rewritten", was: commit, became: target });
    }
  });
}

interface MovedAnchor {
  id: string;
  commit: string;
  target: string;
}

function movedAnchors(db: Db, waiting: ReadonlyMap<string, string>): MovedAnchor[] {
  const sql = 'SELECT id, created_at_commit AS "commit" FROM records WHERE created_at_commit';
  const open = db.all<{ id: string; commit: string }>(`${sql} IN (SELECT old FROM rewrites)`);
  for (const old of waiting.keys()) {
    for (const row of db.all<{ id: string; commit: string }>(`${sql} = ?`, old)) open.push(row);
  }
  const moves = open.map(({ id, commit }) => ({ id, commit, target: lastOf(db, waiting, commit) }));
  const moved = moves.filter(({ commit, target }) => commit !== target);
  return [...new Map(moved.map((move) => [move.id, move])).values()];
}

function lastOf(db: Db, waiting: ReadonlyMap<string, string>, commit: string): string {
  const met = new Set([commit]);
  let at = commit;
  for (let step = 0; step < MOST_STEPS; step++) {
    const kept = db.get<{ new: string }>("SELECT new FROM rewrites WHERE old = ?", at)?.new;
    const next = waiting.get(at) ?? kept;
    if (next === undefined) return at;
    if (met.has(next)) return commit; // a circle
    met.add(next);
    at = next;
  }
  return at;
}
