import { accessSync, constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { messageOf, UaError } from "../errors.js";
import { gitLineSync } from "../git/run.js";
import { actAsOwner, chownCommand, currentUser, isOwn, ownerOf } from "../platform/owner.js";

interface RepositoryPlaces {
  /** The worktree's root; null where it is not known. */
  top: string | null;
  gitDir: string;
  commonDir: string;
  stateDir: string;
}

/**
 * Invariant "only a clone that git accepts": before anything of its config or state is read. What belongs to this user is accepted
 * without a process; everything else is for git to decide (safe.directory).
 */
export function requireAccepted({ top, gitDir, commonDir, stateDir }: RepositoryPlaces): void {
  const checked = [...(top === null ? [] : [top, join(top, ".git")]), gitDir, commonDir];
  const around = basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
  if (!checked.every((path) => isOwn(path))) askGit(top ?? around);
  if (currentUser() === 0) becomeOwner(commonDir);
  const owner = ownerOf(stateDir);
  if (owner === null || owner === (currentUser() ?? owner)) return;
  if (owner === ownerOf(commonDir)) requireReadable(stateDir, owner);
  else
    throw new UaError(
      "refused",
      `${stateDir} belongs to another user (uid ${owner}) than the repository`,
      `give it back to its owner: ${chownCommand(stateDir)}`,
    );
}

/** git accepts the repository (of a group, by safe.directory), but the state in it is for its owner alone. */
function requireReadable(stateDir: string, owner: number): void {
  try {
    accessSync(stateDir, constants.R_OK | constants.X_OK);
  } catch (error) {
    throw new UaError(
      "refused",
      `${stateDir} is for another user alone (uid ${owner})`,
      "work as that user, or use a clone of your own",
      error,
    );
  }
}

function becomeOwner(commonDir: string): void {
  if (actAsOwner(commonDir)) return;
  const owner = ownerOf(commonDir);
  throw new UaError(
    "refused",
    `this repository belongs to another user (uid ${owner}), who cannot read this copy of ua-hooks`,
    `run it as that user: sudo -u '#${owner}' …`,
  );
}

/** git prints the path and the command that accepts it; the first line is enough beside our own. */
function askGit(cwd: string): void {
  try {
    gitLineSync(cwd, ["rev-parse", "--git-dir"]);
  } catch (error) {
    throw new UaError(
      "refused",
      `git refuses this repository: ${messageOf(error)}`,
      "work as its owner, or accept it as git-config(1) describes under safe.directory",
      error,
    );
  }
}
