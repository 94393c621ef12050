import { isRefusal, isTimeout } from "../git/run.js";
import { dropUnfinishedPacks, sideGit, sideRefs } from "../git/side-repository.js";
import type { Context } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import { showNewDescriptions } from "../updates/shown.js";
import { dropStamps } from "../verification/stamp.js";
import { fetchedRefs, isAuthor } from "./authors.js";
import { readSharingState, requireSharing, updateSharingState } from "./settings.js";
import { isSignedBy, readSigners, type Signers } from "./signing.js";
import { Importer, knownTip, type TakenIn } from "./take-in.js";
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

export const nothingPulled = (trust: Pulled["trust"]): Pulled => ({
  ...{ trust, taken: [], unsigned: [], unreadable: [], ignored: 0, settled: { files: 0, tokens: 0 } },
});

/** A remote may have any number of refs: those of known authors come first. */
const MOST_AUTHORS = 500;

/** Fetches what others share, and stores what is trusted. Nothing that is stored is removed because a ref is gone or was rewritten. */
export async function pullDescriptions(context: Context, opening: Promise<Transport>): Promise<Pulled> {
  const db = await context.database();
  const { trust, remote } = requireSharing(db);
  const pulled = nothingPulled(trust);
  const transport = await opening;
  if (trust === "none") return pulled;
  const { forgotten } = readSharingState(db);
  const signers = trust === "signers" ? await readSigners(transport.side.cwd, remote) : null;
  await fetchAuthors(
    transport,
    signers === null
      ? { without: forgotten }
      : { only: [...signers.keys()].filter((author) => !forgotten.includes(author)) },
  );
  await takeInFetched(context, { side: transport.side, remote }, pulled, signers);
  updateSharingState(db, { pulledAt: new Date().toISOString() });
  return pulled;
}

/** Stores what is in the side repository and not in the database yet. Also without the network, after `forget`. */
export async function takeInFetched(
  context: Context,
  { side, remote }: { side: Transport["side"]; remote: string },
  pulled: Pulled,
  signers: Signers | null,
): Promise<void> {
  const db = await context.database();
  const changed = await changedAuthors(db, { side, remote }, pulled);
  // What is pending depends on what is stored: after a kill no reader must believe that nothing has changed.
  if (changed.length > 0) dropStamps(context.project);
  const importer = new Importer(db, side);
  const all: TakenIn[] = [];
  for (const { author, tip } of changed) {
    try {
      if (signers !== null && !(await isSignedBy(side, tip, author, signers))) pulled.unsigned.push(author);
      else all.push(await importer.take({ remote, author, tip }));
    } catch (error) {
      if (!isRefusal(error) && !isTimeout(error)) throw error;
      pulled.unreadable.push(author); // a history without end, a damaged object: the others go on
    }
  }
  importer.flush();
  pulled.taken = all.filter(({ added, refused }) => added + refused > 0);
  if (pulled.taken.length > 0) {
    dropUnfinishedPacks(side);
    await sideGit(side, ["gc", "--auto", "--quiet"], { timeFactor: 5 });
  }
  const unshown = db.all<{ path: string }>("SELECT path FROM sharing_unshown").map(({ path }) => keyPath(path));
  if (unshown.length === 0) return;
  const shown = () => db.run("DELETE FROM sharing_unshown");
  pulled.settled = await showNewDescriptions(context, new Set(unshown), shown);
}

async function changedAuthors(
  db: Db,
  { side, remote }: { side: Transport["side"]; remote: string },
  pulled: Pulled,
): Promise<{ author: string; tip: string }[]> {
  const { forgotten } = readSharingState(db);
  const fetched = [...(await sideRefs(side, fetchedRefs(remote)))];
  const refs = fetched.filter(([name]) => isAuthor(name) && !forgotten.includes(name));
  const authors = refs.map(([author, tip]) => ({ author, tip, known: knownTip(db, remote, author) }));
  authors.sort((a, b) => Number(a.known === null) - Number(b.known === null) || (a.author < b.author ? -1 : 1));
  pulled.ignored = Math.max(0, authors.length - MOST_AUTHORS);
  return authors.slice(0, MOST_AUTHORS).filter(({ tip, known }) => tip !== known);
}
