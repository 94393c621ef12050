import { readSavings, type SharedSaving } from "../knowledge/shared.js";
import type { Context } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { outgoing } from "./outgoing.js";
import { readSharing, readSharingState, type Sharing, type SharingState } from "./settings.js";

/** What is known here, without the network. */
export interface SharingReport extends Omit<SharingState, "tip"> {
  sharing: Sharing | null;
  /** Authors whose descriptions are stored here. */
  authors: { author: string; descriptions: number }[];
  savings: SharedSaving[];
}

export function sharingReport(db: Db): SharingReport {
  const { tip: _tip, ...state } = readSharingState(db);
  return { sharing: readSharing(db), ...state, authors: authorCounts(db), savings: readSavings(db) };
}

/** Descriptions that the next push would add, and how many others stay here. */
export async function waitingToBeSent(
  context: Context,
  { remote }: Sharing,
): Promise<{ ready: number; held: [why: string, count: number][] }> {
  const { ready, held } = await outgoing(context, remote);
  return { ready: ready.length, held: [...held] };
}

/** How many each author has here, most first. */
function authorCounts(db: Db): SharingReport["authors"] {
  return db.all<SharingReport["authors"][number]>(
    `SELECT author, count(*) AS descriptions FROM descriptions WHERE source = 'shared' AND author IS NOT NULL
     GROUP BY author ORDER BY descriptions DESC, author`,
  );
}
