import { UaError } from "../errors.js";
import { isNumber, isObject, isText, listOf, objectOf, oneOf, orNull } from "../store/check.js";
import { readSetting, type Setting, writeSetting } from "../store/settings.js";
import type { Db } from "../store/sqlite.js";

/** Whose descriptions are taken in: none; those of everyone who can push to the remote; those of listed signers. */
export const TRUSTS = ["none", "pushers", "signers"] as const;
export type Trust = (typeof TRUSTS)[number];

/** What the user switched on in this clone. Only a typed command writes it: a checkout cannot. */
export interface Sharing {
  remote: string;
  trust: Trust;
  /** The name of this clone's ref. */
  author: string;
  /** The user chose the name (`ci`): it is not replaced by a new one. */
  isNamed: boolean;
  /** Where the remote was then: what is public there may not be elsewhere, and whom to trust was said of that one. */
  address?: string;
}

const isSharing = objectOf<Sharing>(
  {
    ...{ remote: isText, trust: oneOf(...TRUSTS), author: isText },
    isNamed: (value): value is boolean => typeof value === "boolean",
  },
  { address: isText },
);

const SHARING: Setting<Sharing> = { key: "sharing", version: 1, invalid: "absent", check: isSharing };
/** What was on before it was switched off: the ref on the remote has a name that nothing else knows. */
const FORMER: Setting<Sharing> = { key: "sharing.former", version: 1, invalid: "absent", check: isSharing };

/** What happened so far. */
export interface SharingState {
  /** Why the remote does not take the refs; null while it does. */
  paused: string | null;
  /** The last commit of this clone's own ref that was written. */
  tip: string | null;
  pulledAt: string | null;
  pushedAt: string | null;
  /** Authors whose descriptions are not wanted here. */
  forgotten: string[];
  /** Of whom the last pull took in nothing, or not all, and why. */
  leftOut: LeftOut[];
  /** Refs that were too large to be fetched, with their tips. */
  tooLarge: Record<string, string>;
  /** Too much was pushed to fetch it all at once. */
  isCrowded: boolean;
}

export interface LeftOut {
  why: string;
  count: number;
  /** The first of them. */
  authors: string[];
}

const MOST_NAMED = 20;

export function leftOut(why: string, authors: readonly string[]): LeftOut[] {
  return authors.length === 0 ? [] : [{ why, count: authors.length, authors: authors.slice(0, MOST_NAMED) }];
}

const NOTHING_YET: SharingState = {
  paused: null,
  tip: null,
  pulledAt: null,
  pushedAt: null,
  forgotten: [],
  leftOut: [],
  tooLarge: {},
  isCrowded: false,
};

const isTips = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

const STATE: Setting<SharingState> = {
  ...{ key: "sharing.state", version: 1, invalid: "absent" },
  check: objectOf<SharingState>({
    ...{ paused: orNull(isText), tip: orNull(isText), pulledAt: orNull(isText), pushedAt: orNull(isText) },
    forgotten: listOf(isText),
    leftOut: listOf(objectOf<LeftOut>({ why: isText, count: isNumber, authors: listOf(isText) })),
    tooLarge: isTips,
    isCrowded: isFlag,
  }),
};

export const readSharing = (db: Db): Sharing | null => readSetting(db, SHARING);
export const readFormerSharing = (db: Db): Sharing | null => readSetting(db, FORMER);
export const writeFormerSharing = (db: Db, sharing: Sharing | null): void => writeSetting(db, FORMER, sharing);
export const writeSharing = (db: Db, sharing: Sharing | null): void => writeSetting(db, SHARING, sharing);

export const readSharingState = (db: Db): SharingState => readSetting(db, STATE) ?? NOTHING_YET;

export function updateSharingState(db: Db, change: Partial<SharingState>): void {
  db.write(() => writeSetting(db, STATE, { ...readSharingState(db), ...change }));
}

export function requireSharing(db: Db): Sharing {
  const sharing = readSharing(db);
  if (sharing !== null) return sharing;
  throw new UaError("not-set-up", "sharing is off in this clone", "`ua-hooks share on` switches it on");
}
