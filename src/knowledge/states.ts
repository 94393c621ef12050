import { isText, listOf, objectOf } from "../store/check.js";
import { readSetting, type Setting, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";

/** Commit and time of a graph, as it says them of itself. */
export interface StateTimes {
  gitCommitHash: string;
  analyzedAt: string;
}

interface GraphState extends StateTimes {
  digest: string;
}

/** Enough for the branches that a user switches between. */
const MOST = 32;

const STATES: Setting<GraphState[]> = {
  ...{ key: "states:", version: 1, invalid: "absent" },
  check: listOf(objectOf<GraphState>({ digest: isText, gitCommitHash: isText, analyzedAt: isText })),
};

/** When the graph of a state was made: an equal state gives equal bytes. */
export function knownState(db: Db, scope: string, digest: string): StateTimes | null {
  const known = readSetting(db, STATES, scope)?.find((state) => state.digest === digest);
  return known === undefined ? null : { gitCommitHash: known.gitCommitHash, analyzedAt: known.analyzedAt };
}

export function noteState(db: Db, scope: string, digest: string, { gitCommitHash, analyzedAt }: StateTimes): void {
  const others = (readSetting(db, STATES, scope) ?? []).filter((state) => state.digest !== digest);
  const now = { digest, gitCommitHash: gitCommitHash ?? "", analyzedAt: analyzedAt ?? "" };
  writeSetting(db, STATES, [now, ...others].slice(0, MOST), scope);
}

/** The times of a graph that arrives for a state: those of the state, where they are later. An old copy makes nothing older. */
export function latestTimes(db: Db, scope: string, digest: string, given: StateTimes): StateTimes {
  const known = knownState(db, scope, digest);
  return known !== null && known.analyzedAt > given.analyzedAt ? known : given;
}
