import { readSavings, type SharedSaving } from "../knowledge/shared.js";
import type { Context } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { mostOf } from "./importer.js";
import { outgoing } from "./outgoing.js";
import { leftOut, readSharing, readSharingState, type Sharing, type SharingState } from "./settings.js";
import { knownTips } from "./tips.js";

/** What is known here, without the network. */
export interface SharingReport extends Omit<SharingState, "tip" | "tooLarge" | "isCrowded"> {
  sharing: Sharing | null;
  /** Authors whose descriptions are stored here. */
  authors: { author: string; descriptions: number }[];
  savings: SharedSaving[];
}

export function sharingReport(db: Db): SharingReport {
  const { tip: _tip, tooLarge: _tooLarge, isCrowded: _isCrowded, ...state } = readSharingState(db);
  const sharing = readSharing(db);
  const authors = authorCounts(db);
  const stored = authors.reduce((sum, { descriptions }) => sum + descriptions, 0);
  const first = sharing === null ? [] : [...knownTips(db, sharing.remote).keys()];
  const full = authors.filter(({ author, descriptions }) => descriptions >= mostOf(author, { stored, first }));
  const why = "as many of its descriptions are here as are stored of one author";
  const left = [
    ...state.leftOut,
    ...leftOut(
      why,
      full.map(({ author }) => author),
    ),
  ];
  return { sharing, ...state, leftOut: left, authors, savings: readSavings(db) };
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
