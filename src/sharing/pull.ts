import { sideRefs } from "../git/side-repository.js";
import type { Context } from "../repository/context.js";
import { fetchedRefs } from "./authors.js";
import { readSharingState, requireSharing, updateSharingState } from "./settings.js";
import { changedTips, knownTips } from "./tips.js";
import { fetchAuthors, type Transport } from "./transport.js";

export interface Pulled {
  trust: "none" | "pushers" | "signers";
  /** Authors who had something new. */
  taken: TakenIn[];
  /** Authors whose newest commit has no signature of theirs. */
  unsigned: string[];
  /** Authors whose ref git could not read in time. */
  unreadable: string[];
  /** Authors that were not looked at, because there are too many. */
  ignored: number;
  /** What is no longer pending. */
  settled: { files: number; tokens: number };
}

export interface TakenIn {
  author: string;
  /** Descriptions that were not known here. */
  added: number;
  /** Lines that are no descriptions, or break a rule. */
  refused: number;
}

/** Fetches what others share, and stores what is trusted. Nothing that is stored is removed because a ref is gone or was rewritten. */
export async function pullDescriptions(context: Context, opening: Promise<Transport>): Promise<Pulled> {
  const db = await context.database();
  const { trust, remote } = requireSharing(db);
  const transport = await opening;
  const { side } = transport;
  if (trust === "none") return nothingPulled(trust);
  const { forgotten } = readSharingState(db);
  const signers = trust === "signers" ? await (await import("./signing.js")).readSigners(side.cwd, remote) : null;
  const isRemembered = (author: string) => !forgotten.includes(author);
  const known = knownTips(db, remote);
  const [before, isChanged] = await Promise.all([
    fetchedBefore(transport), // while git fetches
    fetchAuthors(
      transport,
      signers === null ? { without: forgotten } : { only: [...signers.keys()].filter(isRemembered) },
    ),
  ]);
  const fetched = isChanged ? await sideRefs(side, fetchedRefs(remote)) : before;
  const { changed, ignored } = changedTips(db, remote, fetched, known);
  const pulled = { ...nothingPulled(trust), ignored };
  // What a killed pull stored is still to be shown. Most pulls bring nothing, and need none of this code.
  if (changed.length > 0 || db.get("SELECT 1 AS one FROM sharing_unshown LIMIT 1") !== undefined) {
    const { takeIn } = await import("./take-in.js");
    await takeIn(context, { side, remote, changed, signers }, pulled);
  }
  updateSharingState(db, { pulledAt: new Date().toISOString() });
  return pulled;
}

async function fetchedBefore({ remote, refs }: Transport): Promise<Map<string, string>> {
  const prefix = fetchedRefs(remote);
  const fetched = [...(await refs())].filter(([name]) => name.startsWith(prefix));
  return new Map(fetched.map(([name, tip]) => [name.slice(prefix.length), tip]));
}

export const nothingPulled = (trust: Pulled["trust"]): Pulled => ({
  ...{ trust, taken: [], unsigned: [], unreadable: [], ignored: 0, settled: { files: 0, tokens: 0 } },
});
