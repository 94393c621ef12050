import { UaError } from "../errors.js";
import { readHead } from "../git/head.js";
import { type SideRepository, sideRefs } from "../git/side-repository.js";
import type { Context } from "../repository/context.js";
import { faultPoint } from "../store/fault.js";
import type { Db } from "../store/sqlite.js";
import { type Appended, appendUnsigned } from "./append.js";
import { fetchedRefs, newAuthor, ownRef } from "./authors.js";
import { appendSegments, isBelow, moveOwnRef, newSegments, ownTip, presentIn, writeSegment } from "./chain.js";
import { type Outgoing, outgoing } from "./outgoing.js";
import { toSegments } from "./segments.js";
import { readSharingState, requireSharing, type Sharing, updateSharingState, writeSharing } from "./settings.js";
import { isSignedBy, ownSigning, readSigners } from "./signing.js";
import { knownTips, putKnownTip } from "./tips.js";
import { fetchAuthors, pushOwn, type Transport } from "./transport.js";

export interface Pushed {
  /** Descriptions that were added to this clone's ref. */
  added: number;
  author: string;
  /** Why others stay here, and how many. */
  held: [why: string, count: number][];
  state: "pushed" | "nothing" | "paused" | "later";
  reason: string | null;
}

const TRIES = 5;
const MOST_WAIT_MS = 400;

/**
 * Adds what is new to this clone's own ref, then sends the ref. The ref here is moved first: what is in it is sent by this push or by a
 * later one, also after a kill, and after the remote has lost it.
 */
export async function pushDescriptions(context: Context, opening: Promise<Transport>): Promise<Pushed> {
  const db = await context.database();
  const { paused } = readSharingState(db);
  const { author, remote } = requireSharing(db);
  if (paused !== null) return { added: 0, author, held: [], state: "paused", reason: paused };
  const found = outgoing(context, remote); // while git reads the config
  found.catch(() => {}); // thrown where it is used
  const transport = await opening;
  const { added, held, tip } = await addNew(context, transport, found);
  faultPoint("share.push");
  const sent = await send(context, transport, tip);
  return { added, held, author: requireSharing(db).author, ...sent };
}

async function addNew(
  context: Context,
  { side, refs }: Transport,
  found: Promise<Outgoing>,
): Promise<Pick<Pushed, "added" | "held"> & { tip: string | null }> {
  const db = await context.database();
  let wanted = found;
  for (let tries = 0; ; tries++) {
    const sharing = requireSharing(db);
    const tip = tries === 0 ? refs().then((all) => all.get(ownRef(sharing)) ?? null) : ownTip(side, sharing);
    const [{ ready, held }, from] = await Promise.all([wanted, tip]);
    // The side repository is gone, or was never there: everything is sent anew. Twice is no harm.
    const isLost = from === null && db.get("SELECT 1 AS one FROM sharing_sent LIMIT 1") !== undefined;
    if (isLost) db.run("DELETE FROM sharing_sent");
    else if (ready.length === 0) return { added: 0, held: [...held], tip: from };
    else {
      const texts = [...toSegments(ready.map(({ description }) => description))].map(({ text }) => text);
      const appended = await append(context, side, texts, from);
      faultPoint("share.append");
      if (appended !== null) {
        saveSent(db, sharing, ready, { ...appended, from });
        return { added: ready.length, held: [...held], tip: appended.tip };
      }
    }
    if (tries >= TRIES) throw new UaError("busy", "another process of this clone is sharing at the same time");
    if (!isLost) await jitter(tries);
    wanted = outgoing(context, sharing.remote);
  }
}

/** In this order: what is marked as sent is in the ref. */
function saveSent(
  db: Db,
  { author, remote }: Sharing,
  ready: Outgoing["ready"],
  { oids, tip, from }: Appended & { from: string | null },
): void {
  faultPoint("share.moved");
  db.write(() => {
    for (const { id } of ready) db.run("INSERT OR IGNORE INTO sharing_sent(description) VALUES(?)", id);
    for (const oid of oids) db.run("INSERT OR IGNORE INTO sharing_segments(author, oid) VALUES(?, ?)", author, oid);
    updateSharingState(db, { tip });
    // If all before it was taken in or written here, a pull has nothing to read in this ref.
    if ((knownTips(db, remote).get(author) ?? null) === from) putKnownTip(db, remote, { author, tip });
  });
}

/** null: another process moved the ref. */
async function append(
  context: Context,
  side: SideRepository,
  texts: readonly string[],
  from: string | null,
): Promise<Appended | null> {
  const sharing = requireSharing(await context.database());
  const signing = await signingFor(side.cwd, sharing);
  if (signing === null) {
    const { gitDir } = context.project.worktree;
    const likeThis = from ?? (await readHead(gitDir, context.project.commonDir)).commit ?? "";
    return appendUnsigned(side, sharing, texts, { parent: from, digits: likeThis.length });
  }
  const oids: string[] = [];
  for (const text of texts) oids.push(await writeSegment(side, text));
  const tip = await appendSegments(side, oids, { author: sharing.author, parent: from, signing });
  return tip !== null && (await moveOwnRef(side, sharing, { from, to: tip })) ? { oids, tip } : null;
}

/** Only where the team looks at signatures: a key may ask for a password. */
const signingFor = async (cwd: string, { trust }: Sharing) => (trust === "signers" ? ownSigning(cwd) : null);

type Sent = Pick<Pushed, "state" | "reason">;

async function send(context: Context, transport: Transport, first: string | null): Promise<Sent> {
  const db = await context.database();
  let reason = "other pushes were faster";
  for (let tries = 0; tries < TRIES; tries++) {
    const sharing = requireSharing(db);
    const tip = tries === 0 ? first : await ownTip(transport.side, sharing);
    if (tip === null) return { state: "nothing", reason: null };
    const result = await pushOwn(transport, sharing, tip);
    faultPoint("share.pushed");
    if (result.state === "pushed") {
      updateSharingState(db, { pushedAt: new Date().toISOString(), tip });
      return { state: "pushed", reason: null };
    }
    if (result.state === "refused") return pause(db, transport, result.reason);
    if (result.state === "busy") reason = `${transport.remote} says: ${result.reason}`;
    if (result.state === "moved") await makeRoom(context, transport);
    if (requireSharing(db).author !== sharing.author)
      await addNew(context, transport, outgoing(context, sharing.remote));
    await jitter(tries);
  }
  return { state: "later", reason: `${reason}; the next push sends it` };
}

/** Not at the same moment as the others that were refused. */
const jitter = (tries: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * MOST_WAIT_MS * (tries + 1)));

/** Said once: nothing is tried again until the user switches sharing on anew. */
function pause(db: Db, { remote }: Transport, reason: string): never {
  updateSharingState(db, { paused: `${remote} refuses refs of ua-hooks: ${reason}` });
  const next = "sharing is paused in this clone; `ua-hooks share on` tries again, `ua-hooks share off` ends it";
  throw new UaError("git", `the remote ${remote} refuses refs of ua-hooks: ${reason}`, next);
}

/**
 * The ref on the remote is not what this clone wrote last: a copy of the clone, another job under the same name, a backup. The own
 * segments go on top of it; or, if it must not be built on, under a new name.
 */
async function makeRoom(context: Context, transport: Transport): Promise<void> {
  const db = await context.database();
  const { side, remote } = transport;
  const sharing = requireSharing(db);
  await fetchAuthors(transport, { only: [sharing.author] });
  const theirs = (await sideRefs(side, fetchedRefs(remote))).get(sharing.author) ?? null;
  const ours = await ownTip(side, sharing);
  if (theirs === null || ours === null || (await isBelow(side, theirs, ours))) return;
  if (!(await mayBuildOn(context, transport, theirs))) return takeNewName(db, sharing);
  const known = await presentIn(side, [theirs]);
  const segments = await newSegments(side, { tips: [ours], without: known });
  if (segments === null) throw new UaError("failed", "this clone's own ref has more files than can be read");
  const missing = segments.get(ours) ?? [];
  const signing = await signingFor(side.cwd, sharing);
  const to = await appendSegments(side, missing, { author: sharing.author, parent: theirs, signing });
  if (to !== null && (await moveOwnRef(side, sharing, { from: ours, to }))) updateSharingState(db, { tip: to });
}

/** A signature on top of a commit vouches for it: only for one's own, or for one whose author was checked. */
async function mayBuildOn(context: Context, { side }: Transport, tip: string): Promise<boolean> {
  const db = await context.database();
  const { author, remote, trust } = requireSharing(db);
  if (readSharingState(db).tip === tip || trust === "pushers") return true;
  if (trust === "none") return false;
  return isSignedBy(side, tip, author, await readSigners(side.cwd, remote));
}

function takeNewName(db: Db, sharing: Sharing): void {
  if (sharing.isNamed) {
    const what = `the ref of ${sharing.author} has commits that were not written here, and that this clone does not trust`;
    const next =
      "`ua-hooks share on --trust pushers` trusts them; `ua-hooks share on --author NAME` takes another name";
    throw new UaError("refused", what, next);
  }
  db.write(() => {
    writeSharing(db, { ...sharing, author: newAuthor() });
    updateSharingState(db, { tip: null });
    db.run("DELETE FROM sharing_sent");
  });
}
