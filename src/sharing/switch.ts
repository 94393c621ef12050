import { UaError } from "../errors.js";
import { remoteNames } from "../git/remote-config.js";
import { sideGit } from "../git/side-repository.js";
import { printable } from "../printable.js";
import type { Context } from "../repository/context.js";
import { isAuthor, newAuthor, ownRef } from "./authors.js";
import { readSharing, type Sharing, type Trust, updateSharingState, writeSharing } from "./settings.js";
import { pushOwn, type Transport } from "./transport.js";

export interface SwitchOptions {
  remote: string | null;
  trust: Trust | null;
  author: string | null;
}

/** What would be switched on: what is given, else what is on, else the defaults. */
export async function plannedSharing(context: Context, given: SwitchOptions): Promise<Sharing> {
  const db = await context.database();
  const before = readSharing(db);
  const remote = given.remote ?? before?.remote ?? (await onlyRemote(context.project.worktree.path));
  const names = await remoteNames(context.project.worktree.path);
  if (!names.includes(remote)) {
    const known = names.length === 0 ? "this clone has none" : `this clone has ${names.map(printable).join(", ")}`;
    throw new UaError("usage", `there is no remote ${printable(remote)}; ${known}`, "name one with --remote");
  }
  if (given.author !== null && !isAuthor(given.author))
    throw new UaError(
      "usage",
      "an author's name has at most 40 letters a-z, digits and hyphens",
      "for example --author ci",
    );
  // On another remote the clone has another name, unless the user chose it.
  const kept = before !== null && (before.remote === remote || before.isNamed) ? before : null;
  return {
    ...{ remote, trust: given.trust ?? before?.trust ?? "none" },
    author: given.author ?? kept?.author ?? newAuthor(),
    isNamed: given.author !== null || kept?.isNamed === true,
  };
}

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
  db.write(() => {
    const before = readSharing(db);
    writeSharing(db, sharing);
    updateSharingState(db, { paused: null });
    if (before?.author === sharing.author && before.remote === sharing.remote) return;
    updateSharingState(db, { tip: null });
    db.run("DELETE FROM sharing_sent");
  });
}

/** What was taken in stays: `forget` removes that. */
export async function switchOff(context: Context): Promise<void> {
  writeSharing(await context.database(), null);
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
