import { join } from "node:path";

/** On the remote: one ref for each author, which no other clone writes. */
export const REMOTE_REFS = "refs/ua-hooks/descriptions/v1/";

/** In the side repository: all refs of ours. */
export const SIDE_REFS = "refs/ua-hooks/";

/** In the side repository: this clone's own ref. What is public on one remote may not be so on another. */
export const ownRef = ({ remote, author }: { remote: string; author: string }): string =>
  `${SIDE_REFS}own/${remote}/${author}`;

/** In the side repository: the refs of a remote, as they were fetched. */
export const fetchedRefs = (remote: string): string => `${SIDE_REFS}remote/${remote}/`;

export const sideFolder = (stateDir: string): string => join(stateDir, "sharing.git");

/** Also what a name from a remote must be to be looked at. */
export const isAuthor = (name: string): boolean => /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(name);

/** Random: it says nothing about the user or the machine. */
export const newAuthor = (): string => process.getBuiltinModule("node:crypto").randomBytes(6).toString("hex");

/** Of the commits of a ref: no address of anyone's, and in no commit of the project. */
export const emailOf = (author: string): string => `${author}@invalid`;
