import { dropUnfinishedPacks, type SideRepository, sideGit } from "../git/side-repository.js";
import type { Context } from "../repository/context.js";
import type { Db } from "../store/sqlite.js";
import { keyPath } from "../store/state.js";
import { showNewDescriptions } from "../updates/shown.js";
import { dropStamps } from "../verification/stamp.js";
import { Importer } from "./importer.js";
import type { Pulled } from "./pull.js";
import { leftOut } from "./settings.js";
import { isSignedBy, type Signers } from "./signing.js";
import type { AuthorTip } from "./tips.js";

export interface Fetched {
  side: SideRepository;
  remote: string;
  changed: readonly AuthorTip[];
  /** null: everyone who can push is trusted. */
  signers: Signers | null;
  /** Authors who come first where not all of it can be taken in. */
  first: readonly string[];
}

/** Stores what is in the side repository and not in the database yet. Also without the network, after `forget`. */
export async function takeIn(
  context: Context,
  { side, remote, changed, signers, first }: Fetched,
  pulled: Pulled,
): Promise<void> {
  const db = await context.database();
  // What is pending depends on what is stored: after a kill no reader must believe that nothing has changed.
  if (changed.length > 0) dropStamps(context.project);
  const importer = new Importer(db, { side, remote, first });
  pulled.unreadable = await importer.take(await trustedTips({ side, changed, signers }, pulled));
  pulled.taken = importer.taken;
  pulled.leftOut.push(
    ...leftOut("more than its share of what one pull reads; the next one goes on", importer.postponed),
  );
  if (pulled.taken.length > 0) {
    dropUnfinishedPacks(side);
    await sideGit(side, ["gc", "--auto", "--quiet"], { timeFactor: 5 });
  }
  pulled.settled = await showUnshown(context, db);
}

/** A signature that git cannot read is none. */
async function trustedTips(
  { side, changed, signers }: Pick<Fetched, "side" | "changed" | "signers">,
  pulled: Pulled,
): Promise<readonly AuthorTip[]> {
  if (signers === null) return changed;
  const trusted: AuthorTip[] = [];
  for (const one of changed) {
    if (await isSignedBy(side, one.tip, one.author, signers)) trusted.push(one);
    else pulled.unsigned.push(one.author);
  }
  return trusted;
}

async function showUnshown(context: Context, db: Db): Promise<Pulled["settled"]> {
  const unshown = db.all<{ path: string }>("SELECT path FROM sharing_unshown").map(({ path }) => keyPath(path));
  if (unshown.length === 0) return { files: 0, tokens: 0 };
  return showNewDescriptions(context, new Set(unshown), () => db.run("DELETE FROM sharing_unshown"));
}
