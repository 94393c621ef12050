import { rmSync } from "node:fs";
import { UaError } from "../errors.js";
import { listConfig, remoteAddress, remoteNames } from "../git/remote-config.js";
import { sideGit } from "../git/side-repository.js";
import { printable } from "../printable.js";
import type { Context } from "../repository/context.js";
import { isAuthor, newAuthor, ownRef, sideFolder } from "./authors.js";
import {
  readFormerSharing,
  readSharing,
  type Sharing,
  type Trust,
  updateSharingState,
  writeFormerSharing,
  writeSharing,
} from "./settings.js";
import { pushOwn, type Transport } from "./transport.js";

export interface SwitchOptions {
  remote: string | null;
  trust: Trust | null;
  author: string | null;
}

/** What would be switched on: what is given, else what is on, else the defaults. */
export async function plannedSharing(context: Context, given: SwitchOptions): Promise<Sharing> {
  const db = await context.database();
  const now = readSharing(db);
  const before = now ?? readFormerSharing(db);
  const cwd = context.project.worktree.path;
  const remote = given.remote ?? before?.remote ?? (await onlyRemote(cwd));
  await requireRemote(cwd, remote);
  const address = remoteAddress(await listConfig(cwd), remote);
  if (given.author !== null && !isAuthor(given.author))
    throw new UaError(
      "usage",
      "an author's name has at most 40 letters a-z, digits and hyphens",
      "for example --author ci",
    );
  // On another remote the clone has another name, unless the user chose it.
  const kept = before !== null && (isSameRemote(before, { remote, address }) || before.isNamed) ? before : null;
  return {
    ...{ remote, address, trust: given.trust ?? now?.trust ?? "none" },
    author: given.author ?? kept?.author ?? newAuthor(),
    isNamed: given.author !== null || kept?.isNamed === true,
  };
}

async function requireRemote(cwd: string, remote: string): Promise<void> {
  const names = await remoteNames(cwd);
  if (names.includes(remote)) return;
  if (names.length === 0)
    throw new UaError("usage", "this clone has no remote", "`git remote add NAME URL` adds one, then `git fetch`");
  const known = names.map(printable).join(", ");
  throw new UaError("usage", `there is no remote ${printable(remote)}; this clone has ${known}`, "--remote names one");
}

/** Switched on by a program that did not note the address, it may be the same. */
const isSameRemote = (before: Sharing, now: Pick<Sharing, "remote" | "address">): boolean =>
  before.remote === now.remote && (before.address === undefined || before.address === now.address);

async function onlyRemote(cwd: string): Promise<string> {
  const names = await remoteNames(cwd);
  const [first] = names;
  if (names.includes("origin") || first === undefined) return "origin";
  if (names.length === 1) return first;
  throw new UaError("usage", `this clone has ${names.length} remotes`, "name one with --remote");
}

/** Another name or another remote begins with everything anew. */
export async function switchOn(context: Context, sharing: Sharing): Promise<void> {
  const db = await context.database();
  const before = readSharing(db) ?? readFormerSharing(db);
  const isSame = before !== null && isSameRemote(before, sharing);
  // Another repository under the same name: what was fetched from the one before, or sent there, is not for this one.
  if (before?.remote === sharing.remote && !isSame)
    rmSync(sideFolder(context.project.stateDir), { recursive: true, force: true });
  db.write(() => {
    writeSharing(db, sharing);
    writeFormerSharing(db, null);
    updateSharingState(db, { paused: null });
    if (isSame && before.author === sharing.author) return;
    updateSharingState(db, { tip: null });
    db.run("DELETE FROM sharing_sent");
    if (!isSame) db.run("DELETE FROM sharing_tips WHERE remote = ?", sharing.remote);
  });
}

/** What was taken in stays: `forget` removes that. `isDeleted`: nothing of this clone is left on the remote. */
export async function switchOff(context: Context, { isDeleted }: { isDeleted: boolean }): Promise<void> {
  const db = await context.database();
  db.write(() => {
    const sharing = readSharing(db);
    if (isDeleted) writeFormerSharing(db, null);
    else if (sharing !== null) writeFormerSharing(db, sharing);
    writeSharing(db, null);
  });
}

/** Removes this clone's own ref from the remote, and the name with it. */
export async function deleteOwn(context: Context, transport: Transport, sharing: Sharing): Promise<boolean> {
  const result = await pushOwn(transport, sharing, null);
  if (result.state === "refused" && !/does not exist|unable to delete/i.test(result.reason))
    throw new UaError("git", `the remote ${transport.remote} does not delete the ref: ${result.reason}`);
  await sideGit(transport.side, ["update-ref", "-d", ownRef(sharing)]);
  const db = await context.database();
  db.write(() => {
    db.run("DELETE FROM sharing_sent");
    updateSharingState(db, { tip: null, pushedAt: null });
  });
  return result.state === "pushed";
}
