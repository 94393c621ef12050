import { UaError } from "../errors.js";
import { openSideRepository, sideGit, sideRefs } from "../git/side-repository.js";
import type { Context } from "../repository/context.js";
import { keyPath } from "../store/state.js";
import { showNewDescriptions } from "../updates/shown.js";
import { fetchedRefs, isAuthor, sideFolder } from "./authors.js";
import { countOf } from "./importer.js";
import { firstAuthors, nothingPulled } from "./pull.js";
import { readSharing, readSharingState, updateSharingState } from "./settings.js";
import { readSigners } from "./signing.js";
import { takeIn } from "./take-in.js";
import { changedTips, forgetTips } from "./tips.js";

/** Removes everything that an author shared with this clone, and takes in nothing more from there. Returns how many. */
export async function forgetAuthor(context: Context, author: string): Promise<number> {
  const db = await context.database();
  const { forgotten } = readSharingState(db);
  const count = countOf(db, author);
  if (!isAuthor(author) || (count === 0 && !forgotten.includes(author) && !(await isFetched(context, author))))
    throw new UaError("usage", "there is no such author here", "`ua-hooks share status` lists them");
  const sql = "SELECT DISTINCT path FROM descriptions WHERE source = 'shared' AND author = ?";
  const paths = new Set(db.all<{ path: string }>(sql, author).map(({ path }) => keyPath(path)));
  await showNewDescriptions(context, paths, () => {
    db.run("DELETE FROM descriptions WHERE source = 'shared' AND author = ?", author);
    // Another author may have shared the same text later: then it is that author's now.
    forgetTips(db, author);
    db.run("DELETE FROM sharing_segments WHERE author != ?", readSharing(db)?.author ?? "");
    updateSharingState(db, { forgotten: [...new Set([...forgotten, author])] });
  });
  await dropFetched(context, author);
  await takeInOthers(context);
  return count;
}

/** From now on the author is like any other; the next pull brings what there is. */
export async function rememberAuthor(context: Context, author: string): Promise<void> {
  const db = await context.database();
  const { forgotten } = readSharingState(db);
  if (!forgotten.includes(author)) throw new UaError("usage", "this author is not forgotten here");
  updateSharingState(db, { forgotten: forgotten.filter((one) => one !== author) });
}

const sideOf = ({ project: { stateDir, worktree } }: Context) =>
  openSideRepository(sideFolder(stateDir), worktree.path);

const FETCHED = "refs/ua-hooks/remote/";

async function isFetched(context: Context, author: string): Promise<boolean> {
  const refs = await sideRefs(await sideOf(context), FETCHED);
  return [...refs.keys()].some((name) => name.endsWith(`/${author}`));
}

async function dropFetched(context: Context, author: string): Promise<void> {
  const side = await sideOf(context);
  for (const name of (await sideRefs(side, FETCHED)).keys())
    if (name.endsWith(`/${author}`)) await sideGit(side, ["update-ref", "-d", `${FETCHED}${name}`]);
}

/** From what was fetched before: no network is needed. */
async function takeInOthers(context: Context): Promise<void> {
  const sharing = readSharing(await context.database());
  if (sharing === null || sharing.trust === "none") return;
  const { remote, trust } = sharing;
  const side = await sideOf(context);
  const signers = trust === "signers" ? await readSigners(side.cwd, remote) : null;
  const db = await context.database();
  const first = await firstAuthors(db, { cwd: side.cwd, remote });
  const { changed } = changedTips(db, remote, await sideRefs(side, fetchedRefs(remote)), { first });
  await takeIn(context, { side, remote, changed, signers, first }, nothingPulled(trust));
}
