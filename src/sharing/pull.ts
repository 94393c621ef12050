import { sideRefs } from "../git/side-repository.js";
import type { Context } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { fetchedRefs } from "./authors.js";
import { fetchShared } from "./fetch.js";
import { type LeftOut, leftOut, readSharingState, requireSharing, updateSharingState } from "./settings.js";
import { changedTips, knownTips, MOST_AUTHORS } from "./tips.js";
import type { Transport } from "./transport.js";

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
  /** Of whom else nothing was taken in, or not all, and why. */
  leftOut: LeftOut[];
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
  const { forgotten, tooLarge, isCrowded } = readSharingState(db);
  const signers = trust === "signers" ? await (await import("./signing.js")).readSigners(side.cwd, remote) : null;
  const isRemembered = (author: string) => !forgotten.includes(author);
  const known = knownTips(db, remote);
  const before = fetchedBefore(transport); // while git fetches
  const first = () => firstAuthors(db, { cwd: side.cwd, remote });
  const got = await fetchShared(transport, {
    forgotten,
    signers: signers === null ? null : [...signers.keys()].filter(isRemembered),
    first,
    before,
    tooLarge,
    isCrowded,
  });
  const fetched = got.isChanged ? await sideRefs(side, fetchedRefs(remote)) : await before;
  const isMany = fetched.size > MOST_AUTHORS;
  const { changed, ignored } = changedTips(db, remote, fetched, { first: isMany ? await first() : [], before: known });
  const withoutPlace = [...new Set([...ignored, ...got.ignored])];
  const pulled = { ...nothingPulled(trust), ignored: withoutPlace.length };
  pulled.leftOut = [
    ...leftOut(`no place among the ${MOST_AUTHORS} authors that are read`, withoutPlace),
    ...leftOut("its ref is too large to be fetched", Object.keys(got.tooLarge)),
  ];
  // What a killed pull stored is still to be shown. Most pulls bring nothing, and need none of this code.
  if (changed.length > 0 || db.get("SELECT 1 AS one FROM sharing_unshown LIMIT 1") !== undefined) {
    const { takeIn } = await import("./take-in.js");
    await takeIn(context, { side, remote, changed, signers, first: changed.length > 0 ? await first() : [] }, pulled);
  }
  updateSharingState(db, {
    pulledAt: new Date().toISOString(),
    leftOut: [
      ...pulled.leftOut,
      ...leftOut("its newest commit is not signed by a key listed for it", pulled.unsigned),
      ...leftOut("git cannot read its ref", pulled.unreadable),
    ],
    tooLarge: got.tooLarge,
    isCrowded: got.isCrowded || isMany,
  });
  return pulled;
}

/**
 * Who comes first where somebody has pushed more than is read: those whom the default branch lists, whatever the trust, since only a review
 * changes it; then those who were here before, the oldest first.
 */
export async function firstAuthors(db: Db, { cwd, remote }: { cwd: string; remote: string }): Promise<string[]> {
  const { listedAuthors } = await import("./signing.js");
  return [...(await listedAuthors(cwd, remote)), ...knownTips(db, remote).keys()];
}

async function fetchedBefore({ remote, refs }: Transport): Promise<Map<string, string>> {
  const prefix = fetchedRefs(remote);
  const fetched = [...(await refs())].filter(([name]) => name.startsWith(prefix));
  return new Map(fetched.map(([name, tip]) => [name.slice(prefix.length), tip]));
}

export const nothingPulled = (trust: Pulled["trust"]): Pulled => ({
  trust,
  taken: [],
  unsigned: [],
  unreadable: [],
  ignored: 0,
  leftOut: [],
  settled: { files: 0, tokens: 0 },
});
